import { expect, test } from 'vitest'
import { parsed, recorded, rowOf } from './stated.ts'

const event = (action: string, test?: string, more: object = {}) =>
  JSON.stringify({ Action: action, Package: 'shop/cart', ...(test !== undefined && { Test: test }), ...more })
const lines = (...all: readonly string[]) => parsed(`${all.join('\n')}\n`)

test('a run has the tests of each package, subtests without the tests around them', () => {
  const report = recorded('go/run.jsonl')
  expect(report).toMatchObject({
    format: 'REPORT_FORMAT_GO_JSON',
    framework: 'go',
    started_at: Date.UTC(2026, 10, 21, 8, 15, 50, 100),
    finished_at: Date.UTC(2026, 10, 21, 8, 15, 51, 400),
    warnings: [],
  })
  expect(report.cases.map(rowOf)).toEqual([
    'passed 1x  | example.com/shop/cart > TestAddsUp | ',
    'passed 1x  | example.com/shop/cart > TestCart/REQ-1_is_empty | ',
    'failed 1x  | example.com/shop/cart > TestCart/with_a_line | ',
    'skipped 1x  | example.com/shop/cart > TestSkipped | ',
    'passed 1x  | example.com/shop/rates > BenchmarkRound | ',
  ])
  expect(report.cases[2]).toMatchObject({
    message: 'cart_test.go:22: no price',
    trace: expect.stringContaining('--- FAIL: TestCart/with_a_line') as string,
    duration_ms: 50,
    started_at: Date.UTC(2026, 10, 21, 8, 15, 50, 213),
  })
  expect(report.cases[3]!.message).toBe('cart_test.go:16: waits for the printer')
})

test('a package that was not built or that panicked is an error, one without tests is nothing', () => {
  const { cases } = recorded('go/broken.jsonl')
  expect(cases.map((one) => [rowOf(one), one.message])).toEqual([
    ['error 1x  | example.com/shop/mail > <run error> | ', 'It was not built.'],
    [
      'blocked 1x  | example.com/shop/pay > TestPays | ',
      'It passed, but its file, suite or run failed outside of the test cases.',
    ],
    ['error 1x  | example.com/shop/pay > <run error> | ', 'panic: no gateway'],
  ])
  expect(cases[0]!.trace).toContain('mail_test.go:9:2: undefined: send')
})

test('a test that failed although its subtests passed is an error of its package', () => {
  const report = lines(
    event('run', 'TestA'),
    event('run', 'TestA/b'),
    event('pass', 'TestA/b'),
    event('output', 'TestA', { Output: '    a_test.go:4: left over\n' }),
    event('fail', 'TestA'),
    event('fail'),
  )
  expect(report.cases.map((one) => [rowOf(one), one.message])).toEqual([
    ['blocked 1x  | shop/cart > TestA/b | ', 'It passed, but its file, suite or run failed outside of the test cases.'],
    ['error 1x  | shop/cart > <run error> | ', 'a_test.go:4: left over'],
  ])
})

test('a report that ends before the result of a package is an error', () => {
  const { cases } = lines(event('run', 'TestA'), event('pass', 'TestA'), event('run', 'TestB'))
  expect(cases.map((one) => [rowOf(one), one.message])).toEqual([
    ['passed 1x  | shop/cart > TestA | ', ''],
    ['error 1x  | shop/cart > TestB | ', 'It has no result: its package ended before it.'],
  ])
  expect(lines(event('run', 'TestA'), event('pass', 'TestA')).cases.map(rowOf)).toEqual([
    'blocked 1x  | shop/cart > TestA | ',
    'error 1x  | shop/cart > <run error> | ',
  ])
})

test('one failure of a repeated test is a failure; a rerun that passes makes it flaky', () => {
  const once = [event('run', 'TestA'), event('fail', 'TestA')]
  const again = [event('run', 'TestA'), event('pass', 'TestA')]
  expect(lines(...once, ...again, event('fail')).cases.map(rowOf)).toEqual(['failed 2x  | shop/cart > TestA | '])
  expect(lines(...once, event('fail'), ...again, event('pass')).cases.map(rowOf)).toEqual([
    'flaky 2x  | shop/cart > TestA | ',
  ])
  expect(lines(...again, event('pass'), ...once, event('fail')).cases.map(rowOf)).toEqual([
    'failed 2x  | shop/cart > TestA | ',
  ])
})

test('lines that are no events are skipped with a warning', () => {
  const report = lines(event('pass', 'TestA'), 'exit status 1', '{"Time":', event('pass'))
  expect(report.cases.map(rowOf)).toEqual(['passed 1x  | shop/cart > TestA | '])
  expect(report.warnings).toEqual([
    { code: 'LINES_SKIPPED', message: '2 lines that are not events of go test were skipped', line: 0 },
  ])
  expect(
    parsed(`go: downloading example.com/x v1.0.0\n${event('pass', 'TestA')}\n${event('pass')}\n`).cases,
  ).toHaveLength(1)
})
