import { expect, test } from 'vitest'
import { fixtureText, parsed, recorded, rowOf } from './stated.ts'

test('every result has its class as suite, its name, its outcome and the framework it was built for', () => {
  const report = recorded('trx/run.trx')
  expect(report).toMatchObject({
    format: 'REPORT_FORMAT_TRX',
    framework: 'dotnet',
    started_at: Date.UTC(2026, 10, 21, 8, 15, 50),
    finished_at: Date.UTC(2026, 10, 21, 8, 15, 53, 500),
    warnings: [],
  })
  expect(report.cases.map(rowOf)).toEqual([
    'passed 1x  | Shop.Tests.CartTests > AddsUp | net8.0',
    'failed 1x  | Shop.Tests.OrderTests > HasTotal(currency: "EUR") | net8.0',
    'passed 1x  | Shop.Tests.CartTests > Refuses (-1) | net8.0',
    'error 1x  | Shop.Tests.CartTests > Refuses (0) | net8.0',
    'skipped 1x  | Shop.Tests.CartTests > Prints | net8.0',
    'skipped 1x  | Shop.Tests.CartTests > Assumes | net48',
    // The schema leaves out the outcome Error.
    'error 1x  | Shop.Tests.CartTests > Breaks | ',
  ])
  expect(report.cases[0]).toMatchObject({
    tags: ['REQ-1', 'Fast'],
    duration_ms: 15,
    started_at: Date.UTC(2026, 10, 21, 8, 15, 51),
  })
  expect(report.cases[1]).toMatchObject({
    message: 'Assert.Equal() Failure: Values differ\nExpected: 3\nActual:   4',
    trace:
      'at Shop.Tests.OrderTests.HasTotal(String currency) in C:\\shop\\test\\OrderTests.cs:line 27\n\nlooking up a rate',
    duration_ms: 1500,
  })
  expect(report.cases[4]!.message).toBe('no printer')
})

test('a run whose test host crashed is an error, and its passes do not count', () => {
  const { cases } = recorded('trx/crashed.trx')
  expect(cases.map((one) => [rowOf(one), one.message.slice(0, 34)])).toEqual([
    ['blocked 1x  | Shop.Tests.CartTests > AddsUp | net8.0', 'It passed, but its file, suite or '],
    ['error 1x  | <run error> | ', 'The active test run was aborted. R'],
  ])
})

test('a data-driven test that failed although its rows passed is an error of its class', () => {
  const text = fixtureText('trx/run.trx').replace('outcome="Timeout"', 'outcome="Passed"')
  expect(
    parsed(text)
      .cases.filter(({ name }) => name === '<run error>')
      .map(rowOf),
  ).toEqual(['error 1x  | Shop.Tests.CartTests > <run error> | net8.0'])
})

test('a report that is cut off is refused with its format', () => {
  const text = fixtureText('trx/run.trx').slice(0, 2000)
  expect(() => parsed(text)).toThrow(/^this TRX report cannot be read: it ends/u)
})
