import type { Config } from '../../config.ts'
import { statedName, type Verdict } from './findings.ts'

/** What `--allow` lets pass, for teams that begin with a red gate. */
type Allowance = Config['allow']

/** Exit codes of `tracegate gate`. */
const PASSED = 0
const FAILED = 1
const INCONCLUSIVE = 2
export const COULD_NOT_ASK = 3

export interface Outcome {
  code: number
  /** Why the code is not that of the status; empty if it is. */
  allowance: string
}

/**
 * The exit code of a verdict: 0 for PASS, WARN and PASS_WITH_RISK, 1 for FAIL, 2 for INCONCLUSIVE and for a status that is
 * not known. With a baseline, a FAIL whose blocking conditions list nothing new is 0.
 */
export function outcome(verdict: Verdict, allow: Allowance): Outcome {
  const status = statedName(verdict.status)
  const code = codes[status] ?? INCONCLUSIVE
  if (code === PASSED) return { code, allowance: '' }
  if (code === FAILED && verdict.baseline_id !== undefined && verdict.baseline_id !== '' && !hasNewFailure(verdict)) {
    return { code: PASSED, allowance: `nothing new fails since the baseline ${verdict.baseline_id}: exit code 0` }
  }
  if (allow === 'warn-only')
    return { code: PASSED, allowance: `--allow warn-only: exit code 0 instead of ${String(code)}` }
  if (allow === 'inconclusive' && code === INCONCLUSIVE) {
    return { code: PASSED, allowance: `--allow inconclusive: exit code 0 instead of ${String(code)}` }
  }
  return { code, allowance: '' }
}

const codes: Readonly<Record<string, number>> = {
  PASS: PASSED,
  PASS_WITH_RISK: PASSED,
  WARN: PASSED,
  FAIL: FAILED,
  INCONCLUSIVE,
}

/** Where a deployment does not say how many items are new, all of them may be. */
function hasNewFailure({ conditions = [] }: Verdict): boolean {
  return conditions.some(
    ({ status, severity, new_total: added }) =>
      statedName(status) === 'FAIL' && statedName(severity) === 'BLOCKING' && added !== 0,
  )
}
