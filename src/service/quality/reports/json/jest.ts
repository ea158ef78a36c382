import { parseFiles, type Assertion, type Attempts } from './jest-shape.ts'
import type { ParsedReport } from '../model/report.ts'

/**
 * A report of `jest --json`, with lines when it ran with `--testLocationInResults`; or Jest's own results, as a reporter
 * is given them. Paths are absolute, as Jest writes them. Throws REPORT_UNPARSABLE when its frame does not hold.
 */
export function parseJestJson(json: unknown): ParsedReport {
  return parseFiles(json, { format: 'REPORT_FORMAT_JEST_JSON', framework: 'jest', countAttempts })
}

/** `failureMessages` holds the last attempt only; those before it are in `retryReasons`, older versions only count them. */
function countAttempts({ status, failureMessages, invocations, retryReasons }: Assertion): Attempts {
  const last = failureMessages ?? []
  const earlier = retryReasons ?? []
  const attempts = Math.max(invocations ?? 1, earlier.length + 1)
  if (status !== 'passed') return { attempts, flaky: false, failures: last }
  const isRetried = attempts > 1 || last.length > 0
  return { attempts: isRetried ? Math.max(attempts, 2) : 1, flaky: isRetried, failures: [...earlier, ...last] }
}
