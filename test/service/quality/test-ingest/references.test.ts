import { expect, test } from 'vitest'
import { parseReport } from '../../../../src/service/quality/reports/index.ts'
import { findReferences } from '../../../../src/service/quality/test-ingest/references.ts'

/** The requirements that each case of a report names, with their criteria. */
function named(content: string, name = 'report.xml') {
  return parseReport({ name, content }).cases.map((one) => [
    one.name,
    ...findReferences(one, 'SHOP').requirements.map(({ key, criteria }) => [key, ...criteria].join('.')),
  ])
}

// As pytest 7.2 wrote it for `record_property` and for ids of parameters.
const pytest = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="4" time="0.050" timestamp="2026-11-22T13:47:35.960538" hostname="vm"><testcase classname="test_cart" name="test_total[[REQ-12] one piece]" time="0.001" /><testcase classname="test_cart" name="test_total[[REQ-12.2] two]" time="0.001" /><testcase classname="test_cart" name="test_refund" time="0.001"><properties><property name="requirement" value="REQ-13" /></properties></testcase><testcase classname="test_cart.TestCart" name="test_empty" time="0.000" /></testsuite></testsuites>`

test('pytest names a requirement with a property or in the id of a parameter', () => {
  expect(named(pytest).map(([, ...keys]) => keys)).toEqual([['REQ-12'], ['REQ-12.2'], ['REQ-13'], []])
})

const go = ['run', 'pass'].flatMap((action) =>
  ['TestCart', 'TestCart/[REQ-12]_adds_up', 'TestCart/[REQ-12.2]_rounds'].map((name) =>
    JSON.stringify({
      Action: action,
      Package: 'example.com/shop/cart',
      Test: name,
      ...(action === 'pass' && { Elapsed: 0 }),
    }),
  ),
)

test('Go names a requirement in the name of a subtest, whose spaces it replaces', () => {
  const keys = named(go.join('\n'), 'go.jsonl').map(([, ...found]) => found)
  expect(keys.flat().toSorted()).toEqual(['REQ-12', 'REQ-12.2'])
})

// As Surefire 3.2.5 writes a case, with `usePhrasedTestCaseMethodName` and without.
const surefire = (name: string) =>
  `<testsuite name="com.example.CartTest" time="0.05" tests="1" errors="0" skipped="0" failures="0"><testcase name="${name}" classname="com.example.CartTest" time="0.021"/></testsuite>`

test('JUnit names a requirement in the display name, where the report has it', () => {
  expect(named(surefire('[REQ-12] adds up the prices'))).toEqual([['[REQ-12] adds up the prices', 'REQ-12']])
  expect(named(surefire('addsUp'))).toEqual([['addsUp']])
})
