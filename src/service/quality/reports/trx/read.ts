import { reportUnparsable } from '../model/errors.ts'
import { MOST_CASES } from '../model/report.ts'
import { LONGEST_TRACE, plainText } from '../model/text.ts'
import { decodeContent, readChildren, readElement, type Where, type XmlElement } from '../xml/element.ts'
import { scanXml, type Tag } from '../xml/scan.ts'

/** A result as written, with the rows of a data-driven test or the parts of an ordered one. */
export interface TrxResult {
  attributes: Record<string, string>
  message: string
  stack: string
  output: string
  inner: TrxResult[]
}

/** A test that a result refers to by its id. */
export interface TrxTest {
  name: string
  className: string
  /** The assembly. */
  storage: string
  categories: string[]
}

export interface TrxDocument {
  results: TrxResult[]
  tests: Map<string, TrxTest>
  times: Record<string, string>
  /** The outcome of the run and its counts. */
  summary: { outcome: string; counts: Record<string, string>; errors: string[] }
}

const FORMAT = 'REPORT_FORMAT_TRX'
const RESULT = /^(?:UnitTest|Test|GenericTest|WebTest|LoadTest|ManualTest)Result(?:Aggregation)?$/u
const PIECES = new Set(['UnitTest', 'GenericTest', 'WebTest', 'OrderedTest', 'ResultSummary', 'Times'])
/** Elements in one result. */
const MOST_ELEMENTS = 100_000

/** Reads the results, tests and summary of a TRX report (schema TeamTest/2010). Throws `REPORT_UNPARSABLE`. */
export function readTrx(xml: string): TrxDocument {
  const summary = { outcome: '', counts: {}, errors: [] }
  const document: TrxDocument = { results: [], tests: new Map(), times: {}, summary }
  let piece: Tag | undefined
  let elements = 0
  scanXml(xml, FORMAT, {
    holdsText: () => true,
    open(tag) {
      if (piece === undefined && (RESULT.test(tag.name) || PIECES.has(tag.name))) {
        piece = tag
        elements = 0
      } else if (piece !== undefined && (elements += 1) > MOST_ELEMENTS) {
        throw reportUnparsable(FORMAT, 'one result has too many elements')
      }
    },
    close(tag, end) {
      if (tag !== piece) return
      piece = undefined
      addPiece(document, readElement(xml.slice(tag.start, end), WHERE))
      if (document.results.length > MOST_CASES)
        throw reportUnparsable(FORMAT, 'it has more than 200,000 results; split it into several reports')
    },
  })
  return document
}

const WHERE: Where = { format: FORMAT, line: 0 }

function addPiece(document: TrxDocument, element: XmlElement): void {
  if (RESULT.test(element.name)) document.results.push(readResult(element, 0))
  else if (element.name === 'Times') document.times = element.attributes
  else if (element.name === 'ResultSummary') document.summary = readSummary(element)
  else document.tests.set(element.attributes['id'] ?? '', readTest(element))
}

const DEEPEST = 20

function readResult(element: XmlElement, depth: number): TrxResult {
  const output = within(element, 'Output')
  const error = output === undefined ? undefined : within(output, 'ErrorInfo')
  const inner = depth < DEEPEST ? within(element, 'InnerResults') : undefined
  const results = inner === undefined ? [] : children(inner).filter(({ name }) => RESULT.test(name))
  return {
    attributes: element.attributes,
    message: textIn(error, 'Message'),
    stack: textIn(error, 'StackTrace'),
    output: textIn(output, 'StdOut'),
    inner: results.map((one) => readResult(one, depth + 1)),
  }
}

function readTest(element: XmlElement): TrxTest {
  const method = within(element, 'TestMethod')?.attributes ?? {}
  const categories = within(element, 'TestCategory')
  return {
    name: method['name'] ?? element.attributes['name'] ?? '',
    // Older writers add the assembly: `Shop.CartTests, Shop.Tests, Version=1.0.0.0`.
    className: (method['className'] ?? '').replace(/,.*$/su, '').trim(),
    storage: element.attributes['storage'] ?? '',
    categories: (categories === undefined ? [] : children(categories)).flatMap(
      ({ attributes }) => attributes['TestCategory'] ?? [],
    ),
  }
}

function readSummary(element: XmlElement): TrxDocument['summary'] {
  const infos = within(element, 'RunInfos')
  const failed = (infos === undefined ? [] : children(infos)).filter(({ attributes }) =>
    /^(?:Error|Failed|Aborted|Timeout)$/u.test(attributes['outcome'] ?? ''),
  )
  return {
    outcome: element.attributes['outcome'] ?? '',
    counts: within(element, 'Counters')?.attributes ?? {},
    errors: failed.map((info) => textIn(info, 'Text')),
  }
}

/** A piece has its children already, everything below them only its text. */
function children(element: XmlElement): XmlElement[] {
  return element.children.length > 0 ? element.children : readChildren(element, WHERE)
}

function within(element: XmlElement, name: string): XmlElement | undefined {
  return children(element).find((child) => child.name === name)
}

function textIn(element: XmlElement | undefined, name: string): string {
  const found = element === undefined ? undefined : within(element, name)
  return found === undefined ? '' : plainText(decodeContent(found.raw, LONGEST_TRACE * 2)).trim()
}
