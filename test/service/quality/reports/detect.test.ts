import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { parseReport } from '../../../../src/service/quality/reports/index.ts'
import { fixtureText, parsed, recordedReports, refused } from './stated.ts'
import { type ReportFormat, reportFormatList, reportFormatNames } from '../../../../src/contract/test-ingest.ts'

const JUNIT = 'configure the tests to report JUnit XML'
const TRX = 'run dotnet test --logger trx and send the .trx file'

type Format = z.output<typeof ReportFormat>

const junit = '<testsuites><testsuite name="s"><testcase name="a"/></testsuite></testsuites>'
const tap = 'TAP version 14\n1..1\nok 1 - a\n'

test('every recorded report is detected by its content, with or without a byte order mark and leading white space', () => {
  const told = recordedReports().map((path) => {
    const text = fixtureText(path)
    const marked = `\ufeff\n  ${text.replaceAll('\n', '\r\n').replace(/^<\?xml.*\?>\s*/u, '')}`
    return [path, parsed(text).format, parsed(marked).format]
  })
  const formats = { junit: 'JUNIT_XML', tap: 'TAP', go: 'GO_JSON', trx: 'TRX' }
  const format = (path: string) => `REPORT_FORMAT_${formats[path.split('/')[0] as keyof typeof formats]}`
  expect(told).toEqual(recordedReports().map((path) => [path, format(path), format(path)]))
  expect(told.length).toBeGreaterThan(20)
})

test.each([
  ['ctrf/vitest.json', 'REPORT_FORMAT_CTRF'],
  ['vitest/report.json', 'REPORT_FORMAT_VITEST_JSON'],
  ['jest/report.json', 'REPORT_FORMAT_JEST_JSON'],
  ['playwright/report.json', 'REPORT_FORMAT_PLAYWRIGHT_JSON'],
] satisfies [string, Format][])('%s is detected by its shape, as text and as an object', (path, format) => {
  const text = fixtureText(path)
  expect(parsed(text).format).toBe(format)
  expect(parsed(text).cases.length).toBeGreaterThan(0)
  const json: unknown = JSON.parse(text)
  expect(parseReport({ name: '', content: json as object, format: 'REPORT_FORMAT_AUTO' })).toEqual(parsed(text))
  expect(parseReport({ name: '', content: text, format })).toEqual(parsed(text))
})

test('CTRF without its marker is detected by its results', () => {
  const report = { results: { tool: { name: 'x' }, tests: [{ name: 'a', status: 'passed', duration: 1 }] } }
  expect(parseReport({ name: '', content: report }).format).toBe('REPORT_FORMAT_CTRF')
})

test('the JSON that Jest and Vitest share is read as the format that is named', () => {
  for (const format of ['REPORT_FORMAT_JEST_JSON', 'REPORT_FORMAT_VITEST_JSON'] as const) {
    for (const path of ['vitest/report.json', 'jest/report.json']) {
      expect(parseReport({ name: '', content: fixtureText(path), format }).format).toBe(format)
    }
  }
})

test.each([
  ['1..1\nok 1 - a\n'],
  ['ok 1\n1..1\n'],
  ['not ok - a\n'],
  ['> shop@1.0.0 test\n> node --test\n\nTAP version 13\nok 1 - a\n1..1\n'],
  ['[server] listening\nTAP version 13\nok 1 - a\n1..1\n'],
])('%j is TAP', (text) => {
  expect(parsed(text).format).toBe('REPORT_FORMAT_TAP')
})

test('UTF-16 that was decoded as UTF-8 or byte by byte is read, with a warning', () => {
  for (const text of [junit, tap]) {
    const little = Buffer.from(`\ufeff${text}`, 'utf16le')
    const big = Buffer.from(little).swap16()
    for (const bytes of [little, big]) {
      for (const encoding of ['utf8', 'latin1'] as const) {
        const report = parsed(bytes.toString(encoding))
        expect(report.cases.map(({ name }) => name)).toEqual(['a'])
        expect(report.warnings.map(({ code }) => code)).toEqual(['ENCODING_LOSSY'])
      }
    }
  }
})

test.each([
  [
    'REPORT_FORMAT_TAP',
    junit,
    'this TAP report cannot be read: it looks like JUnit XML; leave the format out, or correct it',
  ],
  [
    'REPORT_FORMAT_JUNIT_XML',
    tap,
    'this JUnit XML report cannot be read: it looks like TAP; leave the format out, or correct it',
  ],
  [
    'REPORT_FORMAT_CTRF',
    '{"suites":[],"config":{}}',
    'this CTRF report cannot be read: it looks like Playwright JSON; leave the format out, or correct it',
  ],
  [
    'REPORT_FORMAT_JUNIT_XML',
    'hello',
    `this JUnit XML report cannot be read: it is not XML, JSON or TAP; send ${reportFormatList}`,
  ],
] satisfies [Format, string, string][])(
  '%s that is something else says what it looks like',
  (format, content, message) => {
    expect(refused(() => parseReport({ name: '', content, format }))).toEqual({
      reason: 'REPORT_UNPARSABLE',
      message,
      metadata: { format, line: '0' },
    })
  },
)

test.each([
  ['', 'it is empty; send the file that the test runner wrote'],
  [' \n ', 'it is empty; send the file that the test runner wrote'],
  ['all 3 tests passed', `it is not XML, JSON or TAP; send ${reportFormatList}`],
  ['PK\u0003\u0004\u0014', 'it is a ZIP archive; send the report inside it'],
  ['\u001f\ufffd\b\0', 'it is compressed; send it uncompressed, or with content_encoding gzip+base64'],
  ['\u007fELF\u0002\u0001', 'it is binary data, not the text of a report'],
  ['[1, 2]', 'it is a JSON array or a single value; all supported JSON formats are objects'],
  ['{"a":1}', `it is JSON, but of no known reporter; send ${reportFormatList}`],
  ['{"cases":[]}', 'it is a list of cases; send it as draft.cases'],
])('%j is not a known format, and the error says why', (content, why) => {
  expect(refused(() => parsed(content))).toEqual({
    reason: 'FORMAT_UNKNOWN',
    message: `the format of this report is unknown: ${why}`,
    metadata: { format: 'REPORT_FORMAT_AUTO', line: '0' },
  })
})

test.each([
  ['{"version":"3.13","examples":[],"summary":{},"summary_line":"1 example"}', 'JSON of RSpec; add the gem'],
  [
    '{"stats":{"tests":1},"tests":[],"pending":[],"failures":[],"passes":[]}',
    'JSON of Mocha; run mocha --reporter xunit',
  ],
  ['{"stats":{"tests":1},"results":[]}', 'JSON of Mochawesome; run mocha --reporter xunit'],
  [
    '{"protocolVersion":"0.1.1","runnerVersion":"1.25","type":"start"}\n{"suite":{},"type":"suite"}\n',
    'the machine output of Dart or Flutter; convert it with tojunit',
  ],
  [
    '{"pytest_version":"8.0","$report_type":"SessionStart"}\n{"$report_type":"TestReport"}\n',
    'the report log of pytest; run pytest --junitxml',
  ],
  [
    '{"type":"suite","event":"started"}\n{"type":"test","event":"ok","name":"a"}\n',
    'JSON of cargo test; run cargo nextest',
  ],
  ['{"a":1}\n{"a":2}\n', 'JSON, one value a line, but not go test -json'],
])('%j is named, with the next step', (content, what) => {
  const { reason, message } = refused(() => parsed(content))
  expect(reason).toBe('FORMAT_UNKNOWN')
  expect(message).toContain(`it is ${what}`)
})

test('the list of formats names each of them', () => {
  for (const name of Object.values(reportFormatNames)) {
    const [first = '', second = ''] = name.split(' ')
    expect(reportFormatList).toContain(second === 'JSON' ? first : name)
  }
  expect(readFileSync('README.md', 'utf8')).toContain(reportFormatList)
})

test('the error for truncated JSON has its line and does not quote it', () => {
  expect(refused(() => parsed('{\n"reportFormat": "CTRF",\n"secret": tru'))).toEqual({
    reason: 'REPORT_UNPARSABLE',
    message: 'this report cannot be read: its JSON is malformed or truncated (line 3)',
    metadata: { format: 'REPORT_FORMAT_AUTO', line: '3' },
  })
})

test.each([
  ['test-run', 'a report of NUnit 3', TRX],
  ['assemblies', 'a report of xUnit.net', TRX],
  ['html', 'a web page', JUNIT],
  ['toString', 'XML of another kind', JUNIT],
])('XML whose root is %s is not JUnit, and the error says what it is and what to do', (root, what, next) => {
  expect(refused(() => parsed(`<${root}/>`)).message).toBe(
    `this JUnit XML report cannot be read: it is ${what}; the root element must be testsuites or testsuite, so ${next} (line 1)`,
  )
})
