import { expect, test } from 'vitest'
import { parsed, refused, rowOf } from './stated.ts'

const suite = (cases: string, attributes = '') =>
  `<testsuites><testsuite name="s" ${attributes}>${cases}</testsuite></testsuites>`
const only = (cases: string, attributes?: string) => parsed(suite(cases, attributes)).cases[0]!

test.each([
  ['1.5', 1500],
  ['0.0004', 0],
  ['0.0005', 1],
  ['1e-05', 0],
  ['2.5e1', 25_000],
  ['1,234.56', 1_234_560],
  ['1,234,567.5', 1_234_567_500],
  ['0,25', 250],
  ['12,5', 12_500],
  ['', 0],
  ['-1', 0],
  ['NaN', 0],
  ['soon', 0],
  ['1e300', 1e12],
])('time="%s" is %d ms', (time, milliseconds) => {
  expect(only(`<testcase name="a" time="${time}"/>`).duration_ms).toBe(milliseconds)
})

test.each([
  ['2026-11-21T07:42:06', Date.UTC(2026, 10, 21, 7, 42, 6)],
  ['2026-11-21 07:42:06.250', Date.UTC(2026, 10, 21, 7, 42, 6, 250)],
  ['2026-11-21T07:42:06Z', Date.UTC(2026, 10, 21, 7, 42, 6)],
  ['2026-11-21T07:42:06.021066+02:00', Date.UTC(2026, 10, 21, 5, 42, 6, 21)],
  ['Sat, 21 Nov 2026 07:42:06 GMT', Date.UTC(2026, 10, 21, 7, 42, 6)],
  ['1970-01-01T00:00:00', null],
  ['yesterday', null],
])('timestamp="%s" of a suite is when the run started', (timestamp, at) => {
  expect(parsed(suite('<testcase name="a"/>', `timestamp="${timestamp}" time="1.5"`))).toMatchObject({
    started_at: at,
    finished_at: at === null ? null : at + 1500,
  })
})

test('a run lasts from the start of its earliest suite to the end of its latest', () => {
  const xml = `<testsuites>
    <testsuite timestamp="2026-11-21T00:00:10" time="60"><testcase name="a"/></testsuite>
    <testsuite timestamp="2026-11-21T00:00:00" time="5"><testcase name="b"/></testsuite></testsuites>`
  expect(parsed(xml)).toMatchObject({
    started_at: Date.UTC(2026, 10, 21),
    finished_at: Date.UTC(2026, 10, 21, 0, 1, 10),
  })
})

test.each([
  ['<failure message="m">t</failure>', 'failed', 'm', 't'],
  ['<error message="m">t</error>', 'error', 'm', 't'],
  ['<failure>first line\nsecond</failure>', 'failed', 'first line', 'first line\nsecond'],
  ['<error message="e"/><failure message="f"/>', 'failed', 'f', ''],
  ['<skipped/>', 'skipped', '', ''],
  ['<skipped message="why">where</skipped>', 'skipped', 'why', ''],
  ['<skipped message="Skipped">why</skipped>', 'skipped', 'why', ''],
  ['<skipped type="todo" message="true"/><failure message="f"/>', 'skipped', '', ''],
  ['<skipped message="s"/><error message="teardown"/>', 'error', 'teardown', ''],
  ['<failure><![CDATA[a < b && c]]> &lt;ok&gt;</failure>', 'failed', 'a < b && c <ok>', 'a < b && c <ok>'],
  ['<failure message="a &#10; b &#x27; &unknown; &amp;lt;"/>', 'failed', "a \n b ' &unknown; &lt;", ''],
  ['<failure message="\u001b[31mred\u001b[39m #x1B[1mbold#x1B[0m\u0000\u0007"/>', 'failed', 'red bold', ''],
])('%s is %s', (content, status, message, trace) => {
  const read = only(`<testcase name="a">${content}</testcase>`)
  expect(read).toMatchObject({ status: `RESULT_STATUS_${status.toUpperCase()}`, message, trace })
})

test('earlier attempts are counted: a final pass is flaky, a final failure is failed', () => {
  const flaky = '<flakyFailure message="one"><stackTrace><![CDATA[at a]]></stackTrace></flakyFailure><flakyError/>'
  expect(only(`<testcase name="a">${flaky}</testcase>`)).toMatchObject({
    status: 'RESULT_STATUS_FLAKY',
    attempts: 3,
    message: 'one',
    trace: 'at a',
  })
  const rerun = '<failure message="one"/><rerunFailure message="two"/><rerunError/>'
  expect(only(`<testcase name="a">${rerun}</testcase>`)).toMatchObject({ status: 'RESULT_STATUS_FAILED', attempts: 3 })
})

test('properties of a case and requirements of its suites reach it; unknown attributes are kept as labels', () => {
  const xml = `<testsuites><testsuite name="s">
    <properties><property name="covers" value="REQ-1"/><property name="os" value="linux"/></properties>
    <testcase name="a" id="42" owner="ann" line="7" file="src\\a.test.ts">
      <properties>
        <property name="requirement">REQ-2</property><property name="requirement" value="REQ-3"/>
        <property name="test_key" value="TC-7"/><property name="tags" value="slow, smoke"/>
        <property name="browser" value="firefox"/>
      </properties>
    </testcase></testsuite></testsuites>`
  expect(parsed(xml).cases).toMatchObject([
    {
      file_path: 'src/a.test.ts',
      line: 7,
      external_id: '42',
      references: ['REQ-2', 'REQ-3', 'TC-7', 'slow, smoke', 'REQ-1'],
      tags: ['slow', 'smoke'],
      labels: { owner: 'ann', requirement: 'REQ-2, REQ-3', test_key: 'TC-7', tags: 'slow, smoke', browser: 'firefox' },
    },
  ])
})

test('a report of an unknown writer has its class as suite, else the suites around it, and the file of either', () => {
  const xml = `<testsuites name="all"><testsuite name="outer"><testsuite name="inner" file="a.rb">
    <testcase name="one" classname="Cart"/><testcase name="two"/><testcase name="three" file="b.rb" classname="b.rb"/>
    </testsuite></testsuite></testsuites>`
  expect(parsed(xml).cases.map(rowOf)).toEqual([
    'passed 1x a.rb | Cart > one | ',
    'passed 1x a.rb | outer > inner > two | ',
    'passed 1x b.rb | outer > inner > three | ',
  ])
  expect(parsed(xml).framework).toBe('')
})

test('a root that is one suite is read, and a case without a name is skipped with a warning and its line', () => {
  const report = parsed('<testsuite name="s">\n<testcase name="a"/>\n<testcase time="1"/></testsuite>')
  expect(report.cases.map(({ name }) => name)).toEqual(['a'])
  expect(report.warnings).toEqual([
    { code: 'CASE_WITHOUT_NAME', message: 'a case without a name was skipped', line: 3 },
  ])
})

test('cases that share a name count once, with the worst of their results', () => {
  const failed = '<testcase name="a" time="1"><failure/></testcase>'
  const passed = '<testcase name="a" time="2"/>'
  for (const rows of [passed + failed, failed + passed, failed + passed + passed, passed + failed + passed]) {
    expect(parsed(suite(rows))).toMatchObject({
      cases: [{ status: 'RESULT_STATUS_FAILED', attempts: 1 }],
      warnings: [{ code: 'CASE_REPEATED' }],
    })
  }
})

test('a report without a case is empty', () => {
  for (const xml of [
    '<testsuites/>',
    '<testsuite name="s" tests="0"></testsuite>',
    '<testsuites><other/></testsuites>',
  ]) {
    expect(refused(() => parsed(xml))).toMatchObject({
      reason: 'REPORT_EMPTY',
      message: 'this JUnit XML report has no test cases',
    })
  }
})
