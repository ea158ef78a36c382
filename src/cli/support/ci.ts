import type { Variables } from './io.ts'

/** What a CI system says about the current run. */
export interface CiFacts {
  commit?: string | undefined
  gitBranch?: string | undefined
  url?: string | undefined
  /** Unique for this run of this job in that CI system. */
  job?: string | undefined
  /** Which part of the tests this is, from 0, when they are divided, and what all parts share. */
  shard?: { index: number; total: number; run?: string | undefined } | undefined
}

/** The facts that GitHub Actions or GitLab CI give in variables; none elsewhere. */
export function ciFacts(variables: Variables): CiFacts {
  const set = (name: string) => variables[name]?.trim() || undefined
  if (set('GITHUB_ACTIONS') !== undefined) return github(set)
  return set('GITLAB_CI') === undefined ? {} : gitlab(set)
}

type ReadVariable = (name: string) => string | undefined

function github(set: ReadVariable): CiFacts {
  const [server, repository, run] = [set('GITHUB_SERVER_URL'), set('GITHUB_REPOSITORY'), set('GITHUB_RUN_ID')]
  const isTag = set('GITHUB_REF_TYPE') === 'tag'
  return {
    commit: set('GITHUB_SHA'),
    // For a pull request the ref is its number, and its branch has its own variable.
    gitBranch: set('GITHUB_HEAD_REF') ?? (isTag ? undefined : set('GITHUB_REF_NAME')),
    url: server && repository && run && `${server}/${repository}/actions/runs/${run}`,
    job: run && `github-${run}-${set('GITHUB_RUN_ATTEMPT') ?? '1'}`,
  }
}

function gitlab(set: ReadVariable): CiFacts {
  const [index, total, job] = [Number(set('CI_NODE_INDEX')), Number(set('CI_NODE_TOTAL')), set('CI_JOB_ID')]
  return {
    commit: set('CI_COMMIT_SHA'),
    // Absent for tags; a merge request has its source branch in its own variable.
    gitBranch: set('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME') ?? set('CI_COMMIT_BRANCH'),
    url: set('CI_JOB_URL') ?? set('CI_PIPELINE_URL'),
    job: job && `gitlab-${job}`,
    shard: index >= 1 && total > 1 ? { index: index - 1, total, run: gitlabJobs(set) } : undefined,
  }
}

/** The parallel jobs `test 1/3` to `test 3/3` of a pipeline. */
function gitlabJobs(set: ReadVariable): string | undefined {
  const [pipeline, job] = [set('CI_PIPELINE_ID'), set('CI_JOB_NAME')?.replace(/ \d+\/\d+$/, '')]
  return pipeline && job && `gitlab-${pipeline}-${job}`
}
