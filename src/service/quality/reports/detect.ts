import { reportFormatList } from '../../../contract/test-ingest.ts'
import { isObject } from '../../../lib/objects.ts'
import { describeJson } from './foreign.ts'
import { isGoEvent, jsonLines } from './go/events.ts'
import { formatName, formatUnknown, reportUnparsable } from './model/errors.ts'
import { lineCounter } from './model/lines.ts'
import type { ParsedReport, ReportInput } from './model/report.ts'

type Format = ParsedReport['format']

/** A report whose format is known: its text or, for the JSON formats, the parsed value. */
export interface Detected {
  format: Exclude<Format, 'REPORT_FORMAT_AUTO' | 'REPORT_FORMAT_NATIVE'>
  text: string
  json: unknown
  /** Whether it was UTF-16 that was decoded as UTF-8. */
  isWide: boolean
}

/** Largest report, in characters. */
const MOST_CHARACTERS = 64 * 1024 * 1024
const TAP_START = /^\s*(?:TAP version \d+|(?:not )?ok\b(?: \d+| -|\s*$)|1\.\.\d+\s*(?:#|$)|Bail out!)/mu
// UTF-16 (what PowerShell writes when it redirects) whose zero bytes were decoded as characters.
const WIDE_MARK = /^(?:\ufffd\ufffd|\u00ff\u00fe|\u00fe\u00ff)/u
const WIDE = /^(?:\ufffd\ufffd|\u00ff\u00fe|\u00fe\u00ff)?(?:[\t\n\r -~]\0|\0[\t\n\r -~]){2}/u
// oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
const NO_TEXT = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/u

/**
 * Detects the format of a report by its content: XML is JUnit, JSON is recognized by its shape, TAP by its version,
 * plan or test points. Throws `FORMAT_UNKNOWN` for anything else, and `REPORT_UNPARSABLE` when the given format does
 * not match the content, when JSON is truncated, and when the report is larger than 64 MiB.
 */
export function detect({ content, format = 'REPORT_FORMAT_AUTO' }: ReportInput): Detected {
  const found = typeof content === 'string' ? detectText(content, format) : detectJson({ json: content, format })
  if (format === 'REPORT_FORMAT_AUTO' || format === found.format) return found
  // Other tools write Jest's JSON too, so a caller that names one of the two formats of that shape is right.
  const given = shared.find((one) => one === format)
  if (given !== undefined && shared.includes(found.format)) return { ...found, format: given }
  throw reportUnparsable(format, `it looks like ${formatName(found.format)}; leave the format out, or correct it`)
}

const shared: Detected['format'][] = ['REPORT_FORMAT_VITEST_JSON', 'REPORT_FORMAT_JEST_JSON']

function detectText(content: string, format: Format): Detected {
  if (content.length > MOST_CHARACTERS)
    throw reportUnparsable(format, 'it is larger than 64 MiB; split it into several reports')
  const isWide = WIDE.test(content)
  const text = isWide ? content.replace(WIDE_MARK, '').replaceAll('\0', '') : content.replace(/^\ufeff/u, '')
  const start = text.slice(0, 4096).trimStart()
  // Output that a runner prints before its TAP may look like another format.
  const isNamedTap = /^TAP version \d/mu.test(start) || format === 'REPORT_FORMAT_TAP'
  if (isNamedTap && isTap(text)) return { format: 'REPORT_FORMAT_TAP', text, json: undefined, isWide }
  if (start.startsWith('<')) return { format: xmlFormat(start), text, json: undefined, isWide }
  if (isJsonLines(start)) return { format: linesFormat(text, format), text, json: undefined, isWide }
  if (start.startsWith('{') || start.startsWith('[')) return { ...detectJson({ json: readJson(text), format }), isWide }
  if (isTap(text)) return { format: 'REPORT_FORMAT_TAP', text, json: undefined, isWide }
  throw unknown(format, describeUnknown(start))
}

/** Anything that is not TRX is left to the reader of JUnit, which names what it is. */
function xmlFormat(start: string): Detected['format'] {
  return rootName(start) === 'TestRun' ? 'REPORT_FORMAT_TRX' : 'REPORT_FORMAT_JUNIT_XML'
}

function rootName(start: string): string | undefined {
  return /<([A-Za-z_][^\s/>]*)/u.exec(start)?.[1]
}

const GO_LINE = /^\{"(?:Time|Action|ImportPath)":/mu

/** Whether each of the first lines is a JSON object, or output before one that go test writes. */
function isJsonLines(start: string): boolean {
  if (GO_LINE.test(start)) return true
  const [first = '', second = ''] = start.split('\n').map((line) => line.trim())
  return first.startsWith('{') && first.endsWith('}') && (second.startsWith('{') || second.startsWith('[{'))
}

/** The format of a stream of JSON values, one a line; throws when it is not go test's. */
function linesFormat(text: string, format: Format): Detected['format'] {
  let looked = 0
  for (const { value } of jsonLines(text)) {
    if (isGoEvent(value)) return 'REPORT_FORMAT_GO_JSON'
    if ((looked += 1) === 100) break
  }
  const [first] = jsonLines(text)
  throw unknown(format, describeJson(first?.value) ?? 'it is JSON, one value a line, but not go test -json')
}

function unknown(format: Format, what: string) {
  return format === 'REPORT_FORMAT_AUTO' ? formatUnknown(what) : reportUnparsable(format, what)
}

const EMPTY_REPORT = /\.(?:xml|trx|tap|jsonl?)$/iu
const REPORT_ROOT = /^(?:testsuites?|TestRun)$/u
const JSON_REPORT =
  /^\{\s*"(?:reportFormat"|testResults"|num[A-Z]\w*Test|results"\s*:\s*\{\s*"(?:tool|summary|tests)"|config"\s*:\s*\{\s*"(?:argv|configFile|rootDir)")/u

/**
 * Whether content that cannot be read was meant as a test report: it starts as one, or nothing was written into a file
 * that is named as one. Anything else in a folder of reports never was a report.
 */
export function startsAsReport({ name, content, format = 'REPORT_FORMAT_AUTO' }: ReportInput): boolean {
  if (format !== 'REPORT_FORMAT_AUTO') return true
  if (typeof content !== 'string') return isObject(content) && jsonFormat(content) !== undefined
  const start = content
    .slice(0, 4096)
    .replace(WIDE_MARK, '')
    .replaceAll(/[\0\ufeff]/gu, '')
    .trim()
  if (start === '') return EMPTY_REPORT.test(name)
  // A declaration without an element was cut off.
  if (start.startsWith('<')) return REPORT_ROOT.test(rootName(start) ?? (start.startsWith('<?xml') ? 'testsuites' : ''))
  return JSON_REPORT.test(start) || GO_LINE.test(start) || isTap(content)
}

/** A runner may print other output before its first line of TAP. */
function isTap(text: string): boolean {
  return TAP_START.test(text.slice(0, 200_000)) && !NO_TEXT.test(text.slice(0, 1000))
}

function describeUnknown(start: string): string {
  if (start === '') return 'it is empty; send the file that the test runner wrote'
  if (start.startsWith('PK')) return 'it is a ZIP archive; send the report inside it'
  if (start.startsWith('\u001f')) return 'it is compressed; send it uncompressed, or with content_encoding gzip+base64'
  if (NO_TEXT.test(start)) return 'it is binary data, not the text of a report'
  return `it is not XML, JSON or TAP; send ${reportFormatList}`
}

function readJson(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text)
    return json
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    // The parser's message quotes the report; only its line number is safe to use. Truncated JSON has no line number.
    const line = /\(line (\d+) column \d+\)/u.exec(cause.message)?.[1] ?? lineCounter(text)(text.length)
    throw reportUnparsable('REPORT_FORMAT_AUTO', 'its JSON is malformed or truncated', Number(line))
  }
}

/** Detects the format of JSON by its members. */
function detectJson({ json, format }: { json: unknown; format: Format }): Detected {
  if (!isObject(json))
    throw unknown(format, 'it is a JSON array or a single value; all supported JSON formats are objects')
  const found = jsonFormat(json)
  if (found !== undefined) return { format: found, text: '', json, isWide: false }
  if (Array.isArray(json['cases'])) throw unknown(format, 'it is a list of cases; send it as draft.cases')
  if (isGoEvent(json))
    return { format: 'REPORT_FORMAT_GO_JSON', text: JSON.stringify(json), json: undefined, isWide: false }
  const what = describeJson(json)
  throw unknown(format, what ?? `it is JSON, but of no known reporter; send ${reportFormatList}`)
}

/**
 * Jest and Vitest share a shape: only Jest counts suites with runtime errors and reports whether it was interrupted.
 */
function jsonFormat(json: Record<string, unknown>): Detected['format'] | undefined {
  const { results } = json
  if (json['reportFormat'] === 'CTRF') return 'REPORT_FORMAT_CTRF'
  if (isObject(results) && isObject(results['tool']) && 'tests' in results) return 'REPORT_FORMAT_CTRF'
  if (Array.isArray(json['testResults'])) {
    const isJest = ['numRuntimeErrorTestSuites', 'wasInterrupted', 'openHandles'].some((member) => member in json)
    return isJest ? 'REPORT_FORMAT_JEST_JSON' : 'REPORT_FORMAT_VITEST_JSON'
  }
  return Array.isArray(json['suites']) && isObject(json['config']) ? 'REPORT_FORMAT_PLAYWRIGHT_JSON' : undefined
}
