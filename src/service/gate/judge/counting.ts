import type { ExclusionFact, IssueFact, ResultFact, TestFact } from '../facts.ts'

/** The newest result in the scope fails, however old it is: a failure does not end by waiting. */
export function isFailing({ newest, quarantined }: TestFact): boolean {
  return newest !== undefined && !newest.carried && !quarantined && hasFailed(newest)
}

/** The test ran in the scope, and its result is neither too old nor of another commit (decision 059). */
export function provesSomething({ newest, quarantined }: TestFact): boolean {
  return newest !== undefined && !quarantined && isCurrent(newest) && hasRun(newest)
}

/** A result of the judged scope that is not too old; a result of another commit is not of the scope. */
export function isCurrent({ stale, carried }: ResultFact): boolean {
  return !stale && !carried
}

export function hasFailed({ status }: ResultFact): boolean {
  return status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
}

/** A skipped or blocked test did not run. */
function hasRun({ status }: ResultFact): boolean {
  return status !== 'RESULT_STATUS_SKIPPED' && status !== 'RESULT_STATUS_BLOCKED'
}

/**
 * Unresolved for the gate: a resolved issue that still fires is open, and one that only unvouched events reopened is
 * closed, as is one whose fix is in the judged release.
 */
export function isOpen({ status, stillFiring, reopenedUnvouched, isFixed }: IssueFact): boolean {
  if (status === 'ignored') return false
  return stillFiring || (status === 'unresolved' && !reopenedUnvouched && !isFixed)
}

export function isVouched({ vouchedBy }: IssueFact): boolean {
  return vouchedBy !== ''
}

export function isSevere({ level }: IssueFact): boolean {
  return level === 'fatal' || level === 'error'
}

export function isNewIssue(issue: IssueFact): boolean {
  return isOpen(issue) && isVouched(issue) && isSevere(issue) && issue.isNew
}

export function isRegressedIssue(issue: IssueFact): boolean {
  return isOpen(issue) && isVouched(issue) && issue.isRegressed
}

/** Made by an agent and seen by no person; an issue whose fix is in the judged release needs no review. */
export function selectUnreviewed(
  exclusions: readonly ExclusionFact[],
  issues: readonly IssueFact[],
): readonly ExclusionFact[] {
  const fixed = new Set(issues.filter(({ isFixed }) => isFixed).map(({ id }) => id))
  const isFix = ({ kind, item }: ExclusionFact) =>
    kind === 'issue_resolved' && item.type === 'issue' && fixed.has(item.id)
  return exclusions.filter((exclusion) => exclusion.by_agent && exclusion.reviewed_by === null && !isFix(exclusion))
}
