import { XMLParser } from 'fast-xml-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConditionFinding, GateReport } from '../../../src/cli/gate/findings.ts'
import { asGitHub } from '../../../src/cli/gate/as-github.ts'
import { asJUnit } from '../../../src/cli/gate/as-junit.ts'
import { asMarkdown } from '../../../src/cli/gate/as-markdown.ts'
import { asSarif } from '../../../src/cli/gate/as-sarif.ts'
import { asText } from '../../../src/cli/gate/as-text.ts'

const failing: ConditionFinding = {
  id: 'failing_tests',
  title: 'Failing tests',
  message: '2 failing, at most 0 allowed',
  status: 'FAIL',
  isBlocking: true,
  items: [
    { key: 'TC-7', title: 'adds up', because: 'its newest result is FAILED', isNew: true },
    { key: 'TC-9', title: 'empties', because: 'its newest result is ERROR', isNew: false },
  ],
  total: 3,
  toPass: 3,
}
const conditions: ConditionFinding[] = [
  failing,
  {
    ...failing,
    id: 'flaky_ratio',
    title: 'Flaky tests',
    status: 'NOT_EVALUATED',
    isBlocking: false,
    items: [],
    total: 0,
  },
  { ...failing, id: 'new_issues', title: 'New issues', status: 'PASS', items: [], total: 0, toPass: 0 },
]
const report: GateReport = {
  product: 'Shop',
  status: 'FAIL',
  reason: '1 blocking condition fails.',
  settledBy: '',
  scope: 'release 1.4.1',
  conditions,
  notes: ['accepted risk (failing_tests) by Ada'],
  allowance: '',
  verdictId: 'v-1',
  digest: 'abc',
}

/** The report with another title of the first item. */
function titled(title: string): GateReport {
  const [item, ...others] = failing.items
  return { ...report, conditions: [{ ...failing, items: [{ ...item!, title }, ...others] }] }
}

const hostile = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replace(/[\r\n\u2028\u2029]/g, ' '))

test('the text names the verdict, each cause with its items, and how many of them must change', () => {
  expect(asText(report)).toMatchInlineSnapshot(`
    "FAIL: Shop, release 1.4.1
    1 blocking condition fails.
      FAIL blocking  Failing tests: 2 failing, at most 0 allowed; 3 of these must change
        TC-7 (new) adds up - its newest result is FAILED
        TC-9 empties - its newest result is ERROR
        and 1 more
      NOT_EVALUATED advisory  Flaky tests: 2 failing, at most 0 allowed; 3 of these must change
    passed: new_issues
    accepted risk (failing_tests) by Ada
    verdict v-1"
  `)
})

test('a message that is a sentence is followed by another one', () => {
  const condition = { ...failing, message: '4 of 56 tests fail; the policy allows none.', items: [], total: 0 }
  expect(asText({ ...report, conditions: [condition] })).toContain(
    'Failing tests: 4 of 56 tests fail; the policy allows none. 3 of these must change.\n',
  )
})

describe('GitHub Actions', () => {
  test('a failing condition is an error with its items, and the verdict a notice', () => {
    expect(asGitHub(report)).toMatchInlineSnapshot(`
      "::error title=Quality gate%3A Failing tests::2 failing, at most 0 allowed%0ATC-7 (new) adds up - its newest result is FAILED%0ATC-9 empties - its newest result is ERROR%0Aand 1 more
      ::notice title=Quality gate%3A FAIL::Shop, release 1.4.1%0A1 blocking condition fails.%0Aaccepted risk (failing_tests) by Ada"
    `)
  })

  test('no title ends its command or begins another', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (title) => {
        const lines = asGitHub(titled(title)).split(/\r\n|\r|\n/)
        expect(lines.map((line) => line.split(' ')[0])).toEqual(['::error', '::notice'])
      }),
    )
  })
})

describe('JUnit', () => {
  test('each condition is a case: blocking failures fail, advisory and unjudged ones are skipped', () => {
    expect(asJUnit(report)).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="Quality gate" tests="3" failures="1" skipped="1" errors="0">
        <testsuite name="Quality gate" tests="3" failures="1" skipped="1" errors="0">
          <properties>
            <property name="product" value="Shop"/>
            <property name="scope" value="release 1.4.1"/>
            <property name="status" value="FAIL"/>
            <property name="reason" value="1 blocking condition fails."/>
            <property name="verdict" value="v-1"/>
          </properties>
          <testcase classname="quality-gate" name="Failing tests">
            <failure message="2 failing, at most 0 allowed" type="failing_tests">2 failing, at most 0 allowed
      TC-7 (new) adds up - its newest result is FAILED
      TC-9 empties - its newest result is ERROR
      and 1 more</failure>
          </testcase>
          <testcase classname="quality-gate" name="Flaky tests">
            <skipped message="2 failing, at most 0 allowed"/>
          </testcase>
          <testcase classname="quality-gate" name="New issues"/>
        </testsuite>
      </testsuites>"
    `)
  })

  test('any title gives XML with the same cases', () => {
    const parser = new XMLParser({ ignoreAttributes: false })
    fc.assert(
      fc.property(hostile, (title) => {
        const { testsuites } = parser.parse(asJUnit(titled(title)), true) as { testsuites: Record<string, unknown> }
        expect(testsuites).toMatchObject({ '@_tests': '1', '@_failures': '1' })
      }),
    )
  })
})

describe('SARIF', () => {
  test('each failing item is a result with a fingerprint, and what is not listed is counted', () => {
    const log = JSON.parse(asSarif(report)) as { runs: { results: { ruleId: string; message: { text: string } }[] }[] }
    expect(log.runs[0]?.results.map(({ ruleId, message }) => `${ruleId}: ${message.text}`)).toEqual([
      'failing_tests: TC-7 (new) adds up - its newest result is FAILED',
      'failing_tests: TC-9 empties - its newest result is ERROR',
      'failing_tests: Failing tests: and 1 more',
    ])
  })
})

describe('Markdown', () => {
  test('a table of the conditions is followed by what fails them', () => {
    expect(asMarkdown(report)).toMatchInlineSnapshot(`
      "## ❌ Quality gate: FAIL

      **Shop**, release 1.4.1. 1 blocking condition fails.

      | | Condition | Result |
      | --- | --- | --- |
      | ❌ FAIL | Failing tests | 2 failing, at most 0 allowed |
      | ❔ NOT\\_EVALUATED | Flaky tests (advisory) | 2 failing, at most 0 allowed |
      | ✅ PASS | New issues | 2 failing, at most 0 allowed |

      <details><summary>Failing tests</summary>

      - **TC-7** (new) \` adds up \`: its newest result is FAILED
      - **TC-9** \` empties \`: its newest result is ERROR
      - and 1 more

      </details>

      - accepted risk \\(failing\\_tests\\) by Ada

      <sub>Verdict v-1, inputs abc</sub>"
    `)
  })

  test.each(['[click](https://evil.example)', '<img src=x onerror=alert(1)>', '`` code `` @admin', 'a | b | c'])(
    'the title %s stays code',
    (title) => {
      const line =
        asMarkdown(titled(title))
          .split('\n')
          .find((one) => one.includes('TC-7')) ?? ''
      const [, fence = '', inside = ''] = /(`+) (.*) \1/.exec(line) ?? []
      expect(fence).not.toBe('')
      expect(inside.replaceAll('\\|', '|')).toBe(title)
      expect(inside).not.toContain(fence)
    },
  )
})
