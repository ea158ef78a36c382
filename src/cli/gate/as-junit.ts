import { XMLBuilder } from 'fast-xml-parser'
import type { ConditionFinding, GateReport } from './findings.ts'
import { itemWords, moreLine } from './as-text.ts'

const builder = new XMLBuilder({ ignoreAttributes: false, format: true, suppressEmptyNode: true })

/** The verdict as JUnit XML: each condition is a test case. Advisory failures and unjudged conditions are skipped. */
export function asJUnit({ product, scope, status, reason, conditions, verdictId }: GateReport): string {
  const failures = conditions.filter(isFailure).length
  const skipped = conditions.filter((condition) => isSkipped(condition)).length
  const counts = { '@_tests': conditions.length, '@_failures': failures, '@_skipped': skipped, '@_errors': 0 }
  const properties = Object.entries({ product, scope, status, reason, verdict: verdictId }).map(([name, value]) => ({
    '@_name': name,
    '@_value': value,
  }))
  return String(
    builder.build({
      '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
      testsuites: {
        '@_name': 'Quality gate',
        ...counts,
        testsuite: {
          '@_name': 'Quality gate',
          ...counts,
          properties: { property: properties },
          testcase: conditions.map(testCase),
        },
      },
    }),
  ).trimEnd()
}

function isFailure({ status, isBlocking }: ConditionFinding): boolean {
  return status === 'FAIL' && isBlocking
}

function isSkipped({ status, isBlocking }: ConditionFinding): boolean {
  return status === 'NOT_EVALUATED' || (status === 'FAIL' && !isBlocking)
}

function testCase(condition: ConditionFinding) {
  const text = [condition.message, ...condition.items.map(itemWords), ...moreLine(condition)].join('\n')
  return {
    '@_classname': 'quality-gate',
    '@_name': condition.title,
    ...(isFailure(condition) && { failure: { '@_message': condition.message, '@_type': condition.id, '#text': text } }),
    ...(isSkipped(condition) && { skipped: { '@_message': condition.message } }),
  }
}
