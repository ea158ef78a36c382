import { reportUnparsable } from '../model/errors.ts'
import { lineCounter } from '../model/lines.ts'
import { MOST_CASES } from '../model/report.ts'
import { plainText } from '../model/text.ts'
import { readChildren, decodeContent, readElement, type XmlElement } from '../xml/element.ts'
import { isRed } from '../model/synthetic.ts'
import { failureText, isFailure, readOutcome, type Outcome } from './outcome.ts'
import { scanXml, type Tag } from '../xml/scan.ts'

/** A `<testsuites>` or `<testsuite>` as written. */
export interface JunitSuite {
  attributes: Record<string, string>
  properties: Property[]
  /** The suite around it; undefined for the root. */
  parent: JunitSuite | undefined
  isRoot: boolean
  /** What failed in it outside of every case; undefined when nothing did. */
  error: Pick<Outcome, 'message' | 'trace'> | undefined
  /** Whether something in it shows a failure. */
  showsFailure: boolean
}

export type Property = readonly [name: string, value: string]

/** A `<testcase>` as written. */
export interface JunitCase {
  suite: JunitSuite
  attributes: Record<string, string>
  properties: Property[]
  outcome: Outcome
  /** Its line in the report. */
  line: number
}

export interface JunitDocument {
  suites: JunitSuite[]
  cases: JunitCase[]
}

const FORMAT = 'REPORT_FORMAT_JUNIT_XML'
const MOST_SUITES = 100_000
const MOST_ELEMENTS_OF_A_CASE = 10_000
const MOST_PROPERTIES_OF_A_SUITE = 300
const LONGEST_PROPERTY = 1000
const CONTAINERS = new Set(['testsuites', 'testsuite', 'testcase', 'properties'])

/** Reads the suites and cases of a JUnit report sequentially. Throws `REPORT_UNPARSABLE`. */
export function readDocument(xml: string): JunitDocument {
  const document: JunitDocument = { suites: [], cases: [] }
  const lineAt = lineCounter(xml)
  const fail = (what: string, offset: number) => reportUnparsable(FORMAT, what, lineAt(offset))
  let suite: JunitSuite | undefined
  let piece: Tag | undefined
  let elements = 0
  scanXml(xml, FORMAT, {
    holdsText: (name) => !CONTAINERS.has(name),
    open(tag, parents) {
      if (parents === 0 && !isSuite(tag)) throw fail(foreignRoot(tag.name), tag.start)
      if (piece !== undefined) {
        if ((elements += 1) > MOST_ELEMENTS_OF_A_CASE) throw fail('one test case has too many elements', piece.start)
      } else if (isSuite(tag)) {
        suite = readSuite(xml, tag, suite, lineAt(tag.start))
        if (document.suites.push(suite) > MOST_SUITES) throw fail('it has more than 100,000 suites', tag.start)
      } else if (tag.name === 'testcase' || tag.name === 'properties' || isFailure(tag)) {
        piece = tag
        elements = 0
      }
    },
    close(tag, end) {
      if (tag === piece && suite !== undefined) {
        piece = undefined
        addPiece(document, suite, { xml: xml.slice(tag.start, end), line: lineAt(tag.start) })
        if (document.cases.length > MOST_CASES)
          throw fail('it has more than 200,000 cases; split it into several reports', tag.start)
      } else if (piece === undefined && isSuite(tag) && suite !== undefined) {
        closeSuite(suite)
        suite = suite.parent
      }
    },
  })
  return document
}

function isSuite({ name }: Tag): boolean {
  return name === 'testsuite' || name === 'testsuites'
}

function readSuite(xml: string, tag: Tag, parent: JunitSuite | undefined, line: number): JunitSuite {
  const written = xml.slice(tag.start, tag.end)
  const alone = written.endsWith('/>') ? written : `${written.slice(0, -1)}/>`
  const { attributes } = readElement(alone, { format: FORMAT, line })
  const isRoot = tag.name === 'testsuites'
  return { attributes, properties: [], parent, isRoot, error: undefined, showsFailure: false }
}

/** A suite that counts failures without showing one has failed: what failed is cut off, or had no case. */
function closeSuite(suite: JunitSuite): void {
  const { failures, errors } = suite.attributes
  const counts = Math.max(Number(failures) || 0, Number(errors) || 0)
  if (counts > 0 && !suite.showsFailure) {
    suite.error = { message: 'It counts failures, and none of its test cases has one.', trace: '' }
    suite.showsFailure = true
  }
  if (suite.showsFailure && suite.parent !== undefined) suite.parent.showsFailure = true
}

function addPiece(document: JunitDocument, suite: JunitSuite, { xml, line }: { xml: string; line: number }): void {
  const isProperties = xml.startsWith('<properties')
  const room = MOST_PROPERTIES_OF_A_SUITE - suite.properties.length
  if (isProperties && room === 0) return
  const where = { format: FORMAT, line } as const
  const element = readElement(xml, where)
  if (isFailure(element)) {
    suite.error ??= failureText(element, where)
    suite.showsFailure = true
    return
  }
  if (isProperties) {
    suite.properties.push(...readProperties(element).slice(0, room))
    return
  }
  const properties = element.children
    .filter(({ name }) => name === 'properties')
    .flatMap((list) => readProperties({ ...list, children: readChildren(list, where) }))
  const outcome = readOutcome(element, where)
  if (outcome.showsFailure || isRed(outcome)) suite.showsFailure = true
  document.cases.push({ suite, attributes: element.attributes, properties, outcome, line })
}

function readProperties({ children }: XmlElement): Property[] {
  return children.flatMap(({ name, attributes, raw }): Property[] => {
    const key = attributes['name']?.trim() ?? ''
    if (name !== 'property' || key === '') return []
    const value = attributes['value'] ?? decodeContent(raw, LONGEST_PROPERTY)
    return [[plainText(key, 200), plainText(value, LONGEST_PROPERTY).trim()]]
  })
}

const foreign: Record<string, string> = {
  'test-run': 'a report of NUnit 3',
  'test-results': 'a report of NUnit 2',
  assemblies: 'a report of xUnit.net',
  assembly: 'a report of xUnit.net',
  coverage: 'a coverage report',
  report: 'a coverage report',
  checkstyle: 'a Checkstyle report',
  html: 'a web page',
}

function foreignRoot(name: string): string {
  const what = Object.hasOwn(foreign, name) ? (foreign[name] ?? '') : 'XML of another kind'
  const isDotnet = /NUnit|xUnit/u.test(what)
  const next = isDotnet
    ? 'run dotnet test --logger trx and send the .trx file'
    : 'configure the tests to report JUnit XML'
  return `it is ${what}; the root element must be testsuites or testsuite, so ${next}`
}
