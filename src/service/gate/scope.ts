import { sql } from 'kysely'
import type { InputOf } from '../../contract/index.ts'
import { Repository } from '../../contract/products.ts'
import { notFound, ServiceError } from '../../errors.ts'
import type { CoverageScope } from '../quality/coverage/scope.ts'
import type { Principal } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { readJson } from '../sql/json.ts'
import { requireEnvironment, requireRelease } from '../workspace/access.ts'
import type { StoredProduct } from '../workspace/products.ts'
import { commitRange, isSameCommit } from '../workspace/releases/commits.ts'
import { isRecordedRelease } from '../workspace/releases/rules.ts'

export type GateScopeInput = Pick<
  InputOf<'getGate'>,
  'release_id' | 'environment_id' | 'branch_id' | 'commit_sha' | 'git_branch'
>

/** What a verdict is about; members that the request does not name are ''. */
export interface GateScope {
  productId: number
  releaseId: string
  /** Version of the release. */
  version: string
  environmentId: string
  /** The quality branch that is read, which the rows have to show already. */
  branchId: string
  /** In lower case, as the request or a run has it, whichever is longer. */
  commitSha: string
  gitBranch: string
  /** The results that prove something (decision 058). */
  counting: CoverageScope
  /** In the scope of a commit: results of other commits of its git branch, which are shown and prove nothing. */
  carried: CoverageScope | undefined
}

/** Without a default branch in the product's repository, results of these are the default branch's. */
const usualBranches = ['main', 'master']

/**
 * The scope that a request names, with the results that count in it. `not_found` for ids of other products,
 * `invalid_argument` for an abbreviated commit that several commits begin with.
 */
export async function readGateScope(
  rows: Rows,
  { principal }: { principal: Principal },
  product: StoredProduct,
  input: GateScopeInput,
): Promise<GateScope> {
  const release = await findRelease(rows, principal, product.id, input.release_id)
  const environmentId = await findEnvironment(rows, principal, product.id, input.environment_id)
  const place = environmentId === '' ? {} : { environmentId }
  const branches = countingBranches(product, release, input.git_branch)
  const scope = {
    productId: product.id,
    releaseId: release?.id ?? '',
    version: release?.version ?? '',
    environmentId,
    branchId: input.branch_id ?? '',
    gitBranch: input.git_branch ?? '',
  }
  if (input.commit_sha === undefined) {
    const counting = { ...place, gitBranches: branches, releaseIds: release?.sameVersion }
    return { ...scope, commitSha: '', counting, carried: undefined }
  }
  const commit = await findCommit(rows, product.id, input.commit_sha)
  const isTold = input.git_branch === undefined && commit.gitBranches.length > 0
  const gitBranches = isTold ? withDefault(product, commit.gitBranches) : branches
  // A commit says more than a release or a branch: whatever ran for it ran for that code.
  return {
    ...scope,
    commitSha: commit.sha,
    counting: { ...place, runIds: commit.runIds },
    carried: { ...place, gitBranches },
  }
}

/** The git branches whose results count when no commit is named; '' means runs without a branch. */
function countingBranches(
  product: StoredProduct,
  release: { gitBranch: string } | undefined,
  gitBranch: string | undefined,
): string[] {
  if (gitBranch !== undefined) return withDefault(product, [gitBranch])
  const ofRelease = release === undefined || release.gitBranch === '' ? [] : [release.gitBranch]
  return [...new Set([...defaultBranches(product), ...ofRelease, ''])]
}

/** Runs without a git branch are the default branch's. */
function withDefault(product: StoredProduct, named: readonly string[]): string[] {
  const isDefault = defaultBranches(product).some((name) => named.includes(name))
  return [...new Set([...named, ...(isDefault ? [''] : [])])]
}

function defaultBranches({ repository }: StoredProduct): readonly string[] {
  const { default_branch: name } = readJson(Repository, repository)
  return name === '' ? usualBranches : [name]
}

/** A release with the ids of its version in all environments: tests seldom run where it is deployed. */
async function findRelease(rows: Rows, principal: Principal, productId: number, id: string | undefined) {
  if (id === undefined) return undefined
  const { release } = await requireRelease(rows, principal, id)
  if (release.product_id !== productId) throw notFound('release', id, 'list the releases of the product')
  const same = await rows
    .selectFrom('release')
    .select('id')
    .where('product_id', '=', productId)
    .where('version', '=', release.version)
    .execute()
  return {
    id,
    version: release.version,
    // A branch that only a run of tests or an event named would let that run decide for the release.
    gitBranch: isRecordedRelease(release) ? release.git_branch : '',
    sameVersion: same.map((row) => row.id),
  }
}

async function findEnvironment(rows: Rows, principal: Principal, productId: number, id: string | undefined) {
  if (id === undefined) return ''
  const environment = await requireEnvironment(rows, principal, id)
  if (environment.product_id !== productId) throw notFound('environment', id, 'list the environments of the product')
  return id
}

/** The runs of a commit and the git branches that they name; either SHA may be abbreviated. */
async function findCommit(rows: Rows, productId: number, given: string) {
  const { from, below } = commitRange(given)
  const near = await rows
    .selectFrom('test_run')
    .select(['id', 'commit_sha', 'git_branch'])
    .where('product_id', '=', productId)
    .where(sql<boolean>`lower(commit_sha) >= ${from} AND lower(commit_sha) < ${below}`)
    .execute()
  const runs = near.filter((run) => isSameCommit(run.commit_sha, given))
  const spellings = [given, ...runs.map((run) => run.commit_sha)].map((sha) => sha.toLowerCase())
  const longest = spellings.reduce((long, one) => (one.length > long.length ? one : long))
  if (!spellings.every((one) => longest.startsWith(one))) throw ambiguous(given)
  return {
    sha: longest,
    runIds: runs.map((run) => run.id),
    gitBranches: [...new Set(runs.map((run) => run.git_branch))].filter((name) => name !== ''),
  }
}

function ambiguous(given: string): ServiceError {
  return new ServiceError('invalid_argument', `more than one commit begins with ${given}; give more digits`, {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'commit_sha', description: 'must name one commit' }],
  })
}
