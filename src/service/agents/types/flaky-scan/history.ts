/** How a case ended in one run. Runs that skipped or blocked it are left out. */
export interface CaseRun {
  runKey: string
  /** Epoch milliseconds. */
  at: number
  /** '' if the run does not name it. */
  commitSha: string
  gitBranch: string
  environmentId: string
  ciUrl: string
  /** How the last attempt ended. */
  passed: boolean
  /** The case passed and failed in this run: it was repeated. */
  isMixed: boolean
}

/** How a case has failed since some commit. */
export interface Broken {
  since: CaseRun
  /** Runs since then, all of them failed. */
  runs: number
  /** Distinct commits of these runs; 0 if no run names its commit. */
  commits: number
}

/**
 * The runs that flipped, oldest first: the case passed and failed in the run, or it ended differently from the run
 * before on the same commit in the same environment. Different commits or environments prove nothing about the test.
 */
export function findFlips(runs: readonly CaseRun[]): CaseRun[] {
  const before = new Map<string, CaseRun>()
  const flips: CaseRun[] = []
  for (const run of runs.toSorted(byTime)) {
    const code = sameCode(run)
    const last = before.get(code)
    const differs = run.commitSha !== '' && last !== undefined && last.passed !== run.passed
    if (run.isMixed || differs) flips.push(run)
    before.set(code, run)
  }
  return flips
}

/**
 * Since when each run of the case has failed, on the git branch of its newest run; undefined if the newest run passed. Only
 * commits that first ran after the last pass count: a failure on an older one says nothing about the newest code.
 */
export function findBroken(runs: readonly CaseRun[]): Broken | undefined {
  const newest = runs.toSorted(byTime).at(-1)
  if (newest === undefined) return undefined
  const sameBranch = runs.filter(({ gitBranch }) => gitBranch === newest.gitBranch).toSorted(byTime)
  const lastPass = sameBranch.findLastIndex(({ passed, isMixed }) => passed || isMixed)
  const olderCommits = new Set(sameBranch.slice(0, lastPass + 1).map(({ commitSha }) => commitSha))
  const failed = sameBranch
    .slice(lastPass + 1)
    .filter(({ commitSha }) => commitSha === '' || !olderCommits.has(commitSha))
  const [since] = failed
  if (since === undefined) return undefined
  const commits = new Set(failed.map(({ commitSha }) => commitSha).filter((sha) => sha !== ''))
  return { since, runs: failed.length, commits: commits.size }
}

/** Runs of a commit in an environment, by which flips are compared. */
export function sameCode({ commitSha, environmentId }: CaseRun): string {
  return `${environmentId}\n${commitSha}`
}

/** Oldest first; runs of the same instant by their keys, so that the order of insertion does not matter. */
export function byTime(one: CaseRun, other: CaseRun): number {
  return one.at - other.at || (one.runKey < other.runKey ? -1 : 1)
}
