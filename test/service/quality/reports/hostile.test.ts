import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bundledWorker } from '../../../../src/dev/worker-bundle.ts'
import { ServiceError } from '../../../../src/errors.ts'
import { readTap } from '../../../../src/service/quality/reports/tap/read.ts'
import { plainText } from '../../../../src/service/quality/reports/model/text.ts'
import { findReaching } from '../../../../src/service/quality/reports/model/synthetic.ts'
import { fixtureText, parsed, recordedReports, refused } from './stated.ts'

const MIB = 1024 * 1024
const inCase = (content: string) =>
  `<testsuites><testsuite><testcase name="a">${content}</testcase></testsuite></testsuites>`

const laughs = `<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from(
  { length: 9 },
  (_, index) => `<!ENTITY lol${String(index)} "${`&lol${index === 0 ? '' : String(index - 1)};`.repeat(10)}">`,
).join('')}]>\n<testsuites><testsuite><testcase name="&lol8;"/></testsuite></testsuites>`

test.each([
  [
    'entities that multiply',
    laughs,
    'it declares a DOCTYPE; reports with document types or entities are not accepted (line 2)',
  ],
  [
    'an entity that names a file',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuites/>',
    'it declares a DOCTYPE; reports with document types or entities are not accepted (line 1)',
  ],
  [
    '10,000 suites in one another',
    '<testsuite>'.repeat(10_000),
    'its elements are nested more than 100 levels deep (line 1)',
  ],
  [
    '10,000 elements in a case',
    inCase('<a>\n'.repeat(10_000)),
    'its elements are nested more than 100 levels deep (line 98)',
  ],
  ['a case with a million elements', inCase('<a/>'.repeat(MIB)), 'one test case has too many elements (line 1)'],
  ['a million suites', `<testsuites>${'<testsuite/>'.repeat(MIB)}`, 'it has more than 100,000 suites (line 1)'],
  [
    '200,001 cases',
    `<testsuite>${'<testcase name="a"/>'.repeat(200_001)}</testsuite>`,
    'it has more than 200,000 cases; split it into several reports (line 1)',
  ],
  [
    'an element with a million attributes',
    `<testsuite ${'a="" '.repeat(MIB)}/>`,
    'an element has more than 200 attributes (line 1)',
  ],
  ['text where elements belong', inCase('x '.repeat(MIB)), 'it has long text where only elements belong (line 1)'],
  ['a tag without an end', '<testsuites>\n<testsuite name="a', 'it ends inside a tag; it may be truncated (line 2)'],
  ['a tag in a tag', '<testsuites>\n<testsuite <testcase/>', 'a tag is not closed (line 2)'],
  [
    'suites without an end',
    '<testsuites>\n<testsuite>\n',
    'it ends before its elements are closed; it may be truncated (line 3)',
  ],
  [
    'CDATA without an end',
    inCase('<failure><![CDATA[ '),
    'it ends inside a comment, an instruction or a CDATA section (line 1)',
  ],
  [
    'ends in the wrong order',
    '<testsuites><testsuite>\n</testsuites>',
    'a closing tag does not match the element that was opened last (line 2)',
  ],
  [
    'an end too many',
    '<testsuites/>\n</testsuites>',
    'a closing tag does not match the element that was opened last (line 2)',
  ],
  [
    'two documents in one',
    '<testsuites/>\n<testsuites/>',
    'it has more than one root element; send concatenated reports as separate files (line 2)',
  ],
  ['text behind the end', '<testsuites/>\nDone.', 'there is text after its last element (line 2)'],
  [
    'a "<" that begins nothing',
    '<testsuites>a < b</testsuites>',
    'a "<" is not followed by the name of an element (line 1)',
  ],
  [
    'names that reach into objects',
    '<testsuite>\n<testcase __proto__="1"/></testsuite>',
    'one of its elements cannot be read (line 2)',
  ],
])('JUnit XML with %s is refused with a clear error', (_, xml, what) => {
  expect(refused(() => parsed(xml))).toEqual({
    reason: 'REPORT_UNPARSABLE',
    message: `this JUnit XML report cannot be read: ${what}`,
    metadata: { format: 'REPORT_FORMAT_JUNIT_XML', line: /\(line (\d+)\)$/u.exec(what)![1] },
  })
})

test('100 MB are refused by their size', () => {
  for (const start of ['<testsuites>', '{', 'TAP version 14\n', '']) {
    expect(refused(() => parsed(start + ' '.repeat(100 * MIB))).message).toBe(
      'this report cannot be read: it is larger than 64 MiB; split it into several reports',
    )
  }
})

test('output, a message and a name of many megabytes are read, cut, and in memory that does not multiply', () => {
  const output = parsed(inCase(`<system-out>${'hello\n'.repeat(5 * MIB)}</system-out>`))
  expect(output.cases).toMatchObject([{ name: 'a', message: '', trace: '' }])
  const failed = parsed(
    inCase(`<failure message="${'x&#10;'.repeat(2 * MIB)}">${'at &lt;a&gt;\n'.repeat(MIB)}</failure>`),
  )
  expect(failed.cases[0]!.message.length).toBeLessThanOrEqual(4096)
  expect(failed.cases[0]!.trace.length).toBeLessThanOrEqual(65_536)
  expect(failed.cases[0]!.trace).toMatch(/^at <a>\nat <a>\n/u)
  const name = parsed(`<testsuite><testcase name="${'n'.repeat(5 * MIB)}"/></testsuite>`)
  expect(name.cases[0]!.name.length).toBeLessThanOrEqual(65_536)
})

test.each([
  ['output', '<testsuite><testcase name="a"><system-out>', 'hello\n', '</system-out></testcase></testsuite>', '1'],
  ['a message', '<testsuite><testcase name="a"><failure message="', '&#10;', '"/></testcase></testsuite>', '1'],
  ['a trace', '<testsuite><testcase name="a"><failure><b/>', '&lt;a', '</failure></testcase></testsuite>', '1'],
  ['empty elements', '<testsuite>', '<b/>', '</testsuite>', 'REPORT_EMPTY'],
  [
    'empty elements of a case',
    '<testsuite><testcase name="a">',
    '<b/>',
    '</testcase></testsuite>',
    'REPORT_UNPARSABLE',
  ],
  [
    'properties',
    '<testsuite>',
    '<properties><property name="tag" value="a"/></properties>',
    '<testcase name="a"/></testsuite>',
    '1',
  ],
  ['attributes', '<testsuite ', 'a="" ', '/>', 'REPORT_UNPARSABLE'],
  ['open elements', '', '<testsuite>', '', 'REPORT_UNPARSABLE'],
  ['comments', '<testsuites>', '<!---->', '</testsuites>', 'REPORT_EMPTY'],
  ['diagnostics', 'ok 1\n  ---\n', `  a: ${'b'.repeat(60)}\n`, '  ...\n1..1\n', '1'],
  ['comments of TAP', 'ok 1\n1..1\n', `# ${'comment '.repeat(8)}\n`, '', '1'],
  ['one line of TAP', 'ok 1 - ', '# a ', '\n1..1\n', '1'],
])('8 MiB of %s stay within 64 MiB of memory', async (_, before, repeated, behind, outcome) => {
  // A thread that needs more is ended by Node: even 20 bytes for each of two million elements would be too much.
  const reports = await bundledWorker(new URL('../../../../src/service/quality/reports/index.ts', import.meta.url))
  const worker = new Worker(
    `const { workerData: [url, before, repeated, behind], parentPort } = require('node:worker_threads')
     const content = Buffer.from(before + repeated.repeat(Math.floor(${String(8 * MIB)} / repeated.length)) + behind).toString('latin1')
     import(url).then(({ parseReport }) => {
       try { parentPort.postMessage(String(parseReport({ name: '', content }).cases.length)) }
       catch (error) { parentPort.postMessage(error.reason ?? error.stack) }
     })`,
    {
      eval: true,
      workerData: [reports.href, before, repeated, behind],
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    },
  )
  const [answer] = (await once(worker, 'message')) as [string]
  await worker.terminate()
  expect(answer).toBe(outcome)
})

test('references to characters are decoded and those to entities are not', () => {
  const { cases } = parsed(inCase('<failure message="&#65;&#x42; &#0; &#xD800; &#1114112; &lol; &amp;#65;"/>'))
  expect(cases[0]!.message).toBe('AB  \ufffd \ufffd &lol; &#65;')
})

test('control characters that XML forbids are removed and the rest is read', () => {
  expect(parsed(inCase('<failure message="a\u0000b\u000bc">\u0001d\u001b[1m</failure>')).cases).toMatchObject([
    { message: 'abc', trace: 'd' },
  ])
})

test.each([
  [
    '10,000 subtests in one another',
    Array.from({ length: 10_000 }, (_, level) => `${' '.repeat(Math.min(4 * level, 1000))}ok 1 - x\n`).join(''),
    'its subtests are nested more than 100 levels deep (line 102)',
  ],
  [
    'one line at level 4,000',
    `ok 1\n${' '.repeat(16_000)}ok 1 - x\n`,
    'its subtests are nested more than 100 levels deep (line 2)',
  ],
  [
    'too many test points',
    'ok\n'.repeat(200_002),
    'it has more than 200,000 test points; split it into several reports (line 200002)',
  ],
  ['too many lines', `ok 1\n${'\n'.repeat(5_000_000)}`, 'it has more than 5,000,000 lines (line 5000001)'],
])('TAP with %s is refused with a clear error', (_, tap, what) => {
  expect(refused(() => parsed(tap))).toMatchObject({
    reason: 'REPORT_UNPARSABLE',
    message: `this TAP report cannot be read: ${what}`,
  })
})

test('TAP with too many lines that are no test points is refused', () => {
  expect(refused(() => readTap('1..1\n'.repeat(1001), { mostLines: 1000 })).message).toBe(
    'this TAP report cannot be read: it has more than 1,000 lines of TAP (line 1001)',
  )
})

test('diagnostics that would expand, construct objects or never end have no effect', () => {
  const bomb = `  a: &a [x, x]\n${Array.from({ length: 9 }, (_, level) => `  b${String(level)}: &b${String(level)} [*a, *a]\n`).join('')}`
  const tap = `not ok 1 - a\n  ---\n${bomb}  f: !function "process.exit()"\n  message: plain\n  ...\nok 2 - b\n  ---\n${'  x: y\n'.repeat(100_000)}1..2\n`
  expect(parsed(tap).cases).toMatchObject([{ name: 'a', message: 'plain' }, { name: 'b' }])
})

test('JSON 100,000 levels deep is refused or read, and nothing else', () => {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)
  for (const json of [
    `{"config":{},"suites":[${deep('{"suites":[', ']}')}]}`,
    `{"testResults":${deep('[', ']')}}`,
    `{"results":{"tool":{},"tests":${deep('[', ']')}}}`,
    deep('[', ']'),
    '['.repeat(5 * MIB),
  ]) {
    expect(refused(() => parsed(json)).reason).toMatch(/^(?:REPORT_UNPARSABLE|REPORT_EMPTY|FORMAT_UNKNOWN)$/u)
  }
})

test('a recorded report that is mutilated is read or refused, and its text is in no error', () => {
  const texts = recordedReports().map(fixtureText)
  const secret = 'Zq9-report-text'
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '"',
      '&',
      '</',
      ']]>',
      '<![CDATA[',
      '<!--',
      '\0',
      '\u2028',
      '\r',
      '\n',
      '    ',
      '---',
      '...',
      '{',
      '}',
      'ok',
      '1..',
      '#',
    ),
    fc.constantFrom(secret, `<${secret}>`, `</${secret}>`, `&${secret};`),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), drop: fc.nat(60), put: piece })
  const mutated = fc
    .tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([text, edits]) =>
      edits.reduce((current, { at, drop, put }) => {
        const start = Math.floor(at * current.length)
        return current.slice(0, start) + put + current.slice(start + drop)
      }, text),
    )
  fc.assert(
    fc.property(mutated, (text) => {
      expect(faultsIn(text, secret)).toEqual([])
    }),
    { numRuns: 1500 },
  )
})

/** What is wrong with how a report was read or refused. */
function faultsIn(text: string, secret: string): string[] {
  try {
    const { cases } = parsed(text)
    const whole = cases.every((one) => Number.isInteger(one.duration_ms) && one.duration_ms >= 0 && one.attempts >= 1)
    return [...(whole ? [] : ['a number']), ...(cases.every(({ name }) => name !== '') ? [] : ['a name'])]
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    const known = ['REPORT_UNPARSABLE', 'REPORT_EMPTY', 'FORMAT_UNKNOWN'].includes(thrown.reason)
    const said = thrown.message + JSON.stringify(thrown.metadata)
    return [...(known ? [] : [thrown.reason]), ...(said.includes(secret) ? ['text of the report'] : [])]
  }
}

test('terminal sequences are removed, and unterminated ones take linear time', () => {
  expect(plainText('\u001b[31mred\u001b[39m \u001b]8;;https://a.example\u0007link\u001b]8;;\u0007 plain')).toBe(
    'red link plain',
  )
  const longest = 100_000
  const starts = plainText('\u001b]'.repeat(2 * longest), longest)
  expect(starts.length).toBeLessThanOrEqual(longest)
  expect(plainText(`\u001b[${'0;'.repeat(2 * longest)}`, longest).length).toBeLessThanOrEqual(longest)
})

test('as many tests of a Go package, and as many errors of a file, as a report may have are not too many arguments', () => {
  const many = Array.from({ length: 150_000 }, (_, number) => number)
  const go = many.map((number) => JSON.stringify({ Action: 'pass', Package: 'shop', Test: `Test${String(number)}` }))
  expect(parsed([...go, JSON.stringify({ Action: 'pass', Package: 'shop' })].join('\n')).cases).toHaveLength(
    many.length,
  )
  const failed = many.map(() => ({ file_path: 'a.test.ts', project: '', suite_path: [] }))
  expect(findReaching(failed)(failed[0]!)).toHaveLength(many.length)
})
