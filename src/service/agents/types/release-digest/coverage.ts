import type { RequirementFact } from '../../../gate/facts.ts'
import { readRequirements } from '../../../gate/read/requirements.ts'
import { readGateScope, type GateScope } from '../../../gate/scope.ts'
import { choosePolicy } from '../../../gate/verdict/compute.ts'
import { requirementsOfPaths } from '../../../quality/requirements/match.ts'
import type { Rows } from '../../../sql/database.ts'
import type { AgentContext } from '../../define.ts'
import type { ReleaseDigestOutput } from './output.ts'

type Requirement = ReleaseDigestOutput['coverage']['lost'][number]

/** What the results of one version prove. */
export interface VersionCoverage {
  scope: GateScope
  /** Runs of tests that name the version. */
  runs: number
  /** The requirements that the gate's policy counts, by key. */
  requirements: RequirementFact[]
}

/**
 * The coverage by the results of a release's version, with the requirements and links of today. The age of results does
 * not matter: an old release is compared by what its tests showed.
 */
export async function readVersionCoverage(
  { rows, call, product, now }: Pick<AgentContext, 'rows' | 'call' | 'product' | 'now'>,
  releaseId: string,
): Promise<VersionCoverage> {
  const scope = await readGateScope(rows, call, product, { release_id: releaseId })
  const { counting, carried } = scope
  const query = { scope, policy: choosePolicy(product), counting, carried, maxAgeMs: 0, now }
  const { requirements } = await readRequirements(rows, query)
  return { scope, runs: await countRuns(rows, product.id, scope), requirements }
}

async function countRuns(rows: Rows, productId: number, { counting }: GateScope): Promise<number> {
  const { runs } = await rows
    .selectFrom('test_run')
    .select((eb) => eb.fn.countAll<number>().as('runs'))
    .where('product_id', '=', productId)
    .where(rows.dialect.isOneOf('release_id', counting.releaseIds ?? []))
    .executeTakeFirstOrThrow()
  return runs
}

/** The coverage in numbers. */
export function countVersion({ runs, requirements }: VersionCoverage): ReleaseDigestOutput['coverage']['current'] {
  return {
    test_runs: runs,
    requirements: requirements.length,
    verified: requirements.filter(({ state }) => state === 'verified').length,
    failing: requirements.filter(({ failing }) => failing).length,
  }
}

/** The requirements that one version verifies and the other does not; none if one of them was not tested. */
export function compareCoverage(
  current: VersionCoverage,
  before: VersionCoverage | undefined,
): { lost: Requirement[]; gained: Requirement[] } {
  if (before === undefined || current.runs === 0 || before.runs === 0) return { lost: [], gained: [] }
  const verified = ({ requirements }: VersionCoverage) =>
    new Set(requirements.flatMap(({ id, state }) => (state === 'verified' ? [id] : [])))
  const [then, now] = [verified(before), verified(current)]
  const select = (isChosen: (id: string) => boolean) =>
    current.requirements.filter(({ id }) => isChosen(id)).map(({ id, key, title }) => ({ id, key, title }))
  return {
    lost: select((id) => then.has(id) && !now.has(id)),
    gained: select((id) => now.has(id) && !then.has(id)),
  }
}

/** The unverified requirements whose code has issues of the release, or that the predecessor verified, by key. */
export async function findUntested(
  rows: Rows,
  productId: number,
  {
    current,
    lost,
    issues,
  }: {
    current: VersionCoverage
    lost: readonly Requirement[]
    /** New and regressed ones. */
    issues: readonly { id: string; key: string }[]
  },
): Promise<ReleaseDigestOutput['untested']> {
  const touching = await readTouching(rows, productId, issues)
  const isLost = new Set(lost.map(({ id }) => id))
  return current.requirements.flatMap((requirement) => {
    const { id, key, title, state } = requirement
    const keys = touching.get(id) ?? []
    if (state === 'verified' || (keys.length === 0 && !isLost.has(id))) return []
    const errors =
      keys.length === 0 ? [] : [`Errors of this release go through its code: ${keys.slice(0, 3).join(', ')}.`]
    const was = isLost.has(id) ? ['It was verified in the release before.'] : []
    return [{ id, key, title, because: [...errors, ...was, whyUnverified(requirement)].join(' ') }]
  })
}

function whyUnverified({ failing, state }: RequirementFact): string {
  if (failing) return 'A linked test fails.'
  return state === 'no_test' ? 'No test is linked to it.' : 'Its tests did not pass.'
}

/** The keys of the issues that go through the code of each requirement. */
async function readTouching(
  rows: Rows,
  productId: number,
  issues: readonly { id: string; key: string }[],
): Promise<Map<string, string[]>> {
  const keys = new Map(issues.map(({ id, key }) => [id, key]))
  const frames = await rows
    .selectFrom('issue_frame')
    .select(['issue_id', 'path'])
    .distinct()
    .where('product_id', '=', productId)
    .where(rows.dialect.isOneOf('issue_id', [...keys.keys()]))
    .execute()
  const claims = await requirementsOfPaths(rows, productId, [...new Set(frames.map(({ path }) => path))])
  const touching = new Map<string, Set<string>>()
  for (const { issue_id: issueId, path } of frames) {
    for (const { requirementId } of claims.get(path) ?? [])
      touching.set(requirementId, (touching.get(requirementId) ?? new Set()).add(keys.get(issueId) ?? ''))
  }
  const order = new Map(issues.map(({ key }, index) => [key, index]))
  const place = (key: string) => order.get(key) ?? 0
  return new Map(Array.from(touching, ([id, found]) => [id, [...found].toSorted((a, b) => place(a) - place(b))]))
}
