import type * as z from 'zod'
import type { Verdict } from '../../../contract/quality-gate/verdict.ts'
import type { GateFacts, IssueFact, ResultFact } from '../facts.ts'
import { hasFailed, isNewIssue, isOpen, isRegressedIssue, isSevere, selectUnreviewed } from './counting.ts'
import { compareText, listEvidence, type EarlierItems, type EvidenceBody } from './evidence.ts'
import { unvouchedItem } from './items.ts'
import { sortRuns } from './status.ts'

type VerdictBody = z.input<typeof Verdict>

const mostListed = { runs: 20, unvouched: 20, exclusions: 50 }

/** The counts of a verdict; a result of another commit is not counted. */
export function summarise({ requirements, tests, issues }: GateFacts): VerdictBody['summary'] {
  const inState = (state: string) => requirements.filter((one) => one.state === state).length
  const results = tests.flatMap(({ newest }) => (newest === undefined || newest.carried ? [] : [newest]))
  const withStatus = (...statuses: readonly string[]) =>
    results.filter(({ status }) => statuses.includes(status)).length
  const verified = inState('verified')
  return {
    requirements: requirements.length,
    verified,
    not_run: inState('not_run'),
    no_test: inState('no_test'),
    failing_requirements: requirements.filter(({ failing }) => failing).length,
    coverage_ratio: requirements.length === 0 ? 0 : verified / requirements.length,
    tests: tests.length,
    passed: withStatus('RESULT_STATUS_PASSED'),
    failed: results.filter(hasFailed).length,
    skipped: withStatus('RESULT_STATUS_SKIPPED', 'RESULT_STATUS_BLOCKED'),
    flaky: withStatus('RESULT_STATUS_FLAKY'),
    unresolved_issues: issues.filter(isOpen).length,
    new_issues: issues.filter(isNewIssue).length,
    regressed_issues: issues.filter(isRegressedIssue).length,
  }
}

/** Whose results the verdict rests on. */
export function summariseResults({ tests }: GateFacts): VerdictBody['results'] {
  const all = tests.flatMap(({ newest }) => (newest === undefined ? [] : [newest]))
  const own = all.filter(({ carried }) => !carried)
  const by = (sender: string) => own.filter((result) => result.sender === sender).length
  const newest = all.toSorted(newestFirst)[0]
  return {
    newest_at: newest === undefined ? null : new Date(newest.at).toISOString(),
    newest_commit: newest?.commitSha ?? '',
    by_ci: by('ci'),
    by_person: by('person'),
    by_agent: by('agent'),
    carried: all.length - own.length,
  }
}

function newestFirst(a: ResultFact, b: ResultFact): number {
  return b.at - a.at || compareText(a.commitSha, b.commitSha)
}

export function listIncompleteRuns({ incompleteRuns }: GateFacts): VerdictBody['incomplete_runs'] {
  return sortRuns(incompleteRuns)
    .slice(0, mostListed.runs)
    .map(({ runId, runKey, received, expected, missing }) => ({
      run_id: runId,
      run_key: runKey,
      received,
      expected,
      missing: missing.toSorted((a, b) => a - b),
    }))
}

type ExclusionLists = Pick<VerdictBody, 'exclusions' | 'exclusions_total' | 'exclusions_unreviewed'>

/** Unreviewed ones first, then the newest. */
export function listExclusions({ exclusions, issues }: GateFacts): ExclusionLists {
  const unreviewed = new Set(selectUnreviewed(exclusions, issues))
  const order = exclusions.toSorted(
    (a, b) =>
      Number(unreviewed.has(b)) - Number(unreviewed.has(a)) ||
      Date.parse(b.at) - Date.parse(a.at) ||
      compareText(a.id, b.id),
  )
  return {
    exclusions: order.slice(0, mostListed.exclusions),
    exclusions_total: exclusions.length,
    exclusions_unreviewed: unreviewed.size,
  }
}

/** Issues that would count if somebody vouched for what events with a public key say of them. */
export function listUnvouched(
  { issues }: GateFacts,
  earlier: EarlierItems,
): { unvouched: VerdictBody['unvouched']; evidence: EvidenceBody[] } {
  const reopened = issues.filter((issue) => issue.reopenedUnvouched && issue.status === 'unresolved' && !isOpen(issue))
  const open = issues.filter((issue) => issue.status === 'unresolved' && isOpen(issue))
  const newOnes = open.filter((issue) => isSevere(issue) && issue.isNewUnvouched && !isNewIssue(issue))
  const regressed = open.filter((issue) => issue.isRegressedUnvouched && !isRegressedIssue(issue))
  const all = new Set<IssueFact>([...newOnes, ...regressed, ...reopened])
  const evidence = listEvidence([...all].map(unvouchedItem), earlier)
  return {
    evidence,
    unvouched: {
      new_issues: newOnes.length,
      regressed_issues: regressed.length,
      reopened_issues: reopened.length,
      evidence: evidence.slice(0, mostListed.unvouched),
    },
  }
}
