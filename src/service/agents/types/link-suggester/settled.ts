import { sql } from 'kysely'
import type { Rows } from '../../../sql/database.ts'
import { linkItem } from '../../../workspace/exclusions.ts'
import type { RequirementFacts, TestFacts } from './facts.ts'

/**
 * Why a pair is not proposed: it is linked, a proposal of the link was rejected, the link was removed, or an open branch
 * proposes it.
 */
export type Settlement = 'linked' | 'rejected' | 'removed' | 'proposed'

/** What was decided about pairs of a test and a requirement. */
export interface Settled {
  /** The requirements that a case counts for, by its own links or those of the suites above it. */
  linked: ReadonlyMap<string, ReadonlySet<string>>
  find(test: Pick<TestFacts, 'id'>, requirement: Pick<RequirementFacts, 'id'>): Settlement | undefined
}

/** Reads what was decided about the pairs of a product. A link that was removed and made again is linked. */
export async function readSettled(
  rows: Rows,
  productId: number,
  tests: readonly Pick<TestFacts, 'id' | 'parentId'>[],
): Promise<Settled> {
  const linked = await readLinked(rows, productId, tests)
  const decided = new Map<string, Settlement>()
  for (const { item_id: pair } of await readRemoved(rows, productId)) decided.set(pair, 'removed')
  for (const { test_id, requirement_id, state } of await readProposals(rows, productId)) {
    const pair = linkItem(test_id, requirement_id)
    if (state === 'LINK_PROPOSAL_STATE_REJECTED') decided.set(pair, 'rejected')
    else if (!decided.has(pair)) decided.set(pair, 'proposed')
  }
  return {
    linked,
    find(test, requirement) {
      const isLinked = linked.get(test.id)?.has(requirement.id) === true
      return isLinked ? 'linked' : decided.get(linkItem(test.id, requirement.id))
    },
  }
}

async function readLinked(rows: Rows, productId: number, tests: readonly Pick<TestFacts, 'id' | 'parentId'>[]) {
  const links = await rows
    .selectFrom('test_link')
    .select(['test_id', 'requirement_id'])
    .where('product_id', '=', productId)
    .where('archived_at', 'is', null)
    .execute()
  const direct = Map.groupBy(links, ({ test_id }) => test_id)
  const parents = await readSuites(rows, productId)
  const linked = new Map<string, Set<string>>()
  for (const { id, parentId } of tests) {
    const above = [id]
    for (let suite = parentId; suite !== ''; suite = parents.get(suite) ?? '') above.push(suite)
    const found = above.flatMap((one) => direct.get(one) ?? []).map(({ requirement_id }) => requirement_id)
    if (found.length > 0) linked.set(id, new Set(found))
  }
  return linked
}

/** The suite above each suite. */
async function readSuites(rows: Rows, productId: number): Promise<Map<string, string>> {
  const suites = await rows
    .selectFrom('test')
    .select(['id', 'parent_id'])
    .where('product_id', '=', productId)
    .where('kind', '=', 'TEST_KIND_SUITE')
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(suites.map(({ id, parent_id }) => [id, parent_id]))
}

function readRemoved(rows: Rows, productId: number) {
  return rows
    .selectFrom('exclusion')
    .select('item_id')
    .where('product_id', '=', productId)
    .where('kind', '=', 'link_removed')
    .where('ended_at', 'is', null)
    .execute()
}

/** Rejected proposals of all branches, and those that open branches have. */
function readProposals(rows: Rows, productId: number) {
  return rows
    .selectFrom('link_proposal')
    .innerJoin('branch', 'branch.id', 'link_proposal.branch_id')
    .select(['link_proposal.test_id', 'link_proposal.requirement_id', 'link_proposal.state'])
    .where('link_proposal.product_id', '=', productId)
    .where('link_proposal.action', '=', 'LINK_PROPOSAL_ACTION_ADD')
    .where(
      sql<boolean>`(link_proposal.state = 'LINK_PROPOSAL_STATE_REJECTED' OR (branch.state = 'BRANCH_STATE_OPEN'
        AND link_proposal.state IN ('LINK_PROPOSAL_STATE_PENDING', 'LINK_PROPOSAL_STATE_APPROVED')))`,
    )
    .execute()
}
