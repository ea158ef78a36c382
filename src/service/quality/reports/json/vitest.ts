import { parseFiles, type Assertion, type Attempts } from './jest-shape.ts'
import type { ParsedReport } from '../model/report.ts'

/**
 * Parses a report of Vitest's `json` reporter. Paths stay absolute, as it writes them. Throws REPORT_UNPARSABLE when
 * the top-level members do not match the format.
 */
export function parseVitestJson(json: unknown): ParsedReport {
  return parseFiles(json, { format: 'REPORT_FORMAT_VITEST_JSON', framework: 'vitest', countAttempts })
}

/**
 * Vitest does not report how often it ran a case, but keeps the errors of all attempts. One attempt may have several
 * (`expect.soft`), each from a different place in the test; the same place failing again is another attempt. So this is
 * the lowest number of attempts that explains the errors, and the exact number when all attempts failed alike.
 */
function countAttempts({ status, failureMessages }: Assertion): Attempts {
  const failures = failureMessages ?? []
  const perPlace = new Map<string, number>()
  for (const failure of failures) {
    const place = ownFrames(failure)
    perPlace.set(place, (perPlace.get(place) ?? 0) + 1)
  }
  const failed = perPlace.values().reduce((most, count) => Math.max(most, count), 0)
  const isFlaky = status === 'passed' && failures.length > 0
  return { attempts: isFlaky ? failed + 1 : failed, flaky: isFlaky, failures }
}

/** The stack frames of the project's own code, or the whole text when there are none. */
function ownFrames(failure: string): string {
  const frames = failure.split('\n').filter((line) => /^\s+at /.test(line))
  const own = frames.filter((frame) => !/[\\/]node_modules[\\/]|\(?node:/.test(frame))
  return own.length > 0 ? own.join('\n') : failure
}
