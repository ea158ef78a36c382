import { Priority } from '../../../../contract/base/common.ts'
import { counted } from '../../../../lib/counted.ts'
import { isQuarantined } from '../../../quality/coverage/quarantine.ts'
import { timestamp } from '../../../shared/times.ts'
import { keepFirst, type TruncationNotes } from '../../../shared/truncation-notes.ts'
import { byTime, sameCode, type Broken, type CaseRun } from './history.ts'
import { viewNamedTest } from '../../named-test.ts'
import type { Proved, ScannedCase } from './read.ts'
import type { FlakyCaseBody } from './schema.ts'

const COMMITS = 5
const RUNS = 6
const REQUIREMENTS = 50

/** A case with its runs in the window and what they show. */
export interface Judged {
  test: ScannedCase
  runs: readonly CaseRun[]
  /** Oldest first. */
  flips: readonly CaseRun[]
  broken: Broken | undefined
}

function viewBroken({ since, runs, commits }: Broken) {
  return {
    at: timestamp(since.at),
    commit_sha: since.commitSha,
    git_branch: since.gitBranch,
    run_key: since.runKey,
    ci_url: since.ciUrl,
    runs,
    commits,
  }
}

/** A case without a flip that has failed since a commit. */
export function viewBrokenCase(
  { test, broken }: Pick<Judged, 'test'> & { broken: Broken },
  proved: readonly Proved[],
  notes: TruncationNotes,
) {
  return {
    ...viewNamedTest(test),
    broken_since: viewBroken(broken),
    requirement_keys: keepFirst(notes, 'broken.requirement_keys', proved, REQUIREMENTS).map(({ key }) => key),
  }
}

/** A case with at least one flip. */
export function viewFlaky(
  { test, runs, flips, broken }: Judged,
  {
    proved,
    environments,
    now,
    notes,
  }: { proved: readonly Proved[]; environments: ReadonlyMap<string, string>; now: number; notes: TruncationNotes },
): FlakyCaseBody {
  const { quarantined_until: until, quarantine_owner: owner, quarantine_reason: reason } = test
  // A flaky test that failed on one more commit is no more than that.
  const isBroken = broken !== undefined && broken.commits > 1
  const quarantine = until !== null && isQuarantined(test, now) ? { until: timestamp(until), owner, reason } : null
  return {
    ...viewNamedTest(test),
    runs: runs.length,
    flips: flips.length,
    flip_rate: Math.round((flips.length / runs.length) * 1000) / 1000,
    first_flip_at: timestamp(flips[0]!.at),
    last_flip_at: timestamp(flips.at(-1)!.at),
    commits: viewCommits(runs, flips, environments),
    requirements: keepFirst(notes, 'flaky.requirements', proved, REQUIREMENTS).map(
      ({ id, key, title, priority, isOnlyProof }) => ({
        id,
        key,
        title,
        priority: Priority.parse(priority),
        is_only_proof: isOnlyProof,
      }),
    ),
    quarantine,
    broken_since: isBroken ? viewBroken(broken) : null,
    suggestion: suggest(runs, flips, { quarantine, broken: isBroken ? broken : undefined }),
  }
}

function viewCommits(runs: readonly CaseRun[], flips: readonly CaseRun[], environments: ReadonlyMap<string, string>) {
  const flipped = new Set(flips)
  // Runs that do not name their commit have nothing in common.
  const byCode = Map.groupBy(runs.toSorted(byTime), (run) => (run.commitSha === '' ? run.runKey : sameCode(run)))
  return [...byCode.values()]
    .filter((group) => group.some((run) => flipped.has(run)))
    .toSorted((one, other) => byTime(other.at(-1)!, one.at(-1)!))
    .slice(0, COMMITS)
    .map((group) => ({
      commit_sha: group[0]!.commitSha,
      environment: environments.get(group[0]!.environmentId) ?? '',
      passed: group.filter(({ passed }) => passed).length,
      failed: group.filter(({ passed }) => !passed).length,
      flips: group.filter((run) => flipped.has(run)).length,
      runs: group.slice(-RUNS).map(viewRun),
    }))
}

function viewRun(run: CaseRun) {
  return { run_key: run.runKey, at: timestamp(run.at), outcome: describeOutcome(run) }
}

function describeOutcome({ passed, isMixed }: CaseRun): 'passed' | 'failed' | 'passed and failed' {
  if (isMixed) return 'passed and failed'
  return passed ? 'passed' : 'failed'
}

function suggest(
  runs: readonly CaseRun[],
  flips: readonly CaseRun[],
  { quarantine, broken }: { quarantine: FlakyCaseBody['quarantine']; broken: Broken | undefined },
): FlakyCaseBody['suggestion'] {
  if (broken !== undefined) {
    const since = timestamp(broken.since.at).slice(0, 10)
    const reason = `It has failed in all of its ${counted(broken.runs, 'run')} since ${since}: a quarantine would hide that.`
    return { action: 'FIX', reason }
  }
  if (quarantine !== null) {
    const reason = `It is in quarantine until ${quarantine.until} and counts again then; fix it before.`
    return { action: 'FIX', reason }
  }
  const { at, commitSha } = flips.at(-1)!
  const often = `${counted(flips.length, 'flip')} in ${counted(runs.length, 'run')}`
  return { action: 'QUARANTINE', reason: `Flaky: ${often}, the last at ${timestamp(at)}${onCommit(commitSha)}.` }
}

/** Reports name commits. Only what reads like one becomes part of a reason, because members vouch for reasons. */
function onCommit(sha: string): string {
  return /^[0-9a-f]{7,64}$/.test(sha) ? ` on commit ${sha.slice(0, 12)}` : ''
}
