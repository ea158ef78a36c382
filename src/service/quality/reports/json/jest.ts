import { parseFiles, type Assertion, type Attempts } from './jest-shape.ts'
import type { ParsedReport } from '../model/report.ts'

/**
 * Parses a report of `jest --json`, which has lines if Jest ran with `--testLocationInResults`, or Jest's internal
 * results, which its reporters receive. Paths stay absolute, as Jest writes them. Throws REPORT_UNPARSABLE when the
 * top-level members do not match the format.
 */
export function parseJestJson(json: unknown): ParsedReport {
  return parseFiles(json, { format: 'REPORT_FORMAT_JEST_JSON', framework: 'jest', countAttempts })
}

/**
 * `failureMessages` holds only the last attempt; earlier ones are in `retryReasons`. Older versions only count them.
 */
function countAttempts({ status, failureMessages, invocations, retryReasons }: Assertion): Attempts {
  const last = failureMessages ?? []
  const earlier = retryReasons ?? []
  const attempts = Math.max(invocations ?? 1, earlier.length + 1)
  if (status !== 'passed') return { attempts, flaky: false, failures: last }
  const isRetried = attempts > 1 || last.length > 0
  return { attempts: isRetried ? Math.max(attempts, 2) : 1, flaky: isRetried, failures: [...earlier, ...last] }
}
