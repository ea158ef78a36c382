import type { Variables } from '../io.ts'

/** What a CI system says of the run that it is in. */
export interface CiFacts {
  commit?: string | undefined
  gitBranch?: string | undefined
  url?: string | undefined
  /** Names this run of this job, unlike every other of that CI system. */
  job?: string | undefined
  /** Which of the parts that the tests are divided into, from 0. */
  shard?: { index: number; total: number } | undefined
}

/** The facts of GitHub Actions or GitLab CI from their variables; none elsewhere. */
export function ciFacts(variables: Variables): CiFacts {
  const set = (name: string) => variables[name]?.trim() || undefined
  if (set('GITHUB_ACTIONS') !== undefined) return github(set)
  return set('GITLAB_CI') === undefined ? {} : gitlab(set)
}

type Set = (name: string) => string | undefined

function github(set: Set): CiFacts {
  const [server, repository, run] = [set('GITHUB_SERVER_URL'), set('GITHUB_REPOSITORY'), set('GITHUB_RUN_ID')]
  const isTag = set('GITHUB_REF_TYPE') === 'tag'
  return {
    commit: set('GITHUB_SHA'),
    // Of a pull request the ref is its number, and its branch has a variable of its own.
    gitBranch: set('GITHUB_HEAD_REF') ?? (isTag ? undefined : set('GITHUB_REF_NAME')),
    url: server && repository && run && `${server}/${repository}/actions/runs/${run}`,
    job: run && `github-${run}-${set('GITHUB_RUN_ATTEMPT') ?? '1'}`,
  }
}

function gitlab(set: Set): CiFacts {
  const [index, total, job] = [Number(set('CI_NODE_INDEX')), Number(set('CI_NODE_TOTAL')), set('CI_JOB_ID')]
  return {
    commit: set('CI_COMMIT_SHA'),
    // Absent for tags; in a merge request the source branch stands apart.
    gitBranch: set('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME') ?? set('CI_COMMIT_BRANCH'),
    url: set('CI_JOB_URL') ?? set('CI_PIPELINE_URL'),
    job: job && `gitlab-${job}`,
    shard: index >= 1 && total > 1 ? { index: index - 1, total } : undefined,
  }
}
