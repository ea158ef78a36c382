import type { LinkProposalPolicy } from '../../../contract/branches.ts'
import type * as z from 'zod'
import { entityKey, requirementKey, testKey } from '../../quality/keys.ts'
import { caseIdentity, type CaseLocation } from '../../quality/cases/identity.ts'
import type { Rows } from '../../sql/database.ts'
import { readChanges, type Change } from '../changes.ts'
import { requirementMembers, testMembers, type Members } from '../members.ts'
import {
  mergeTrees,
  type MainEntity,
  type MainTree,
  type MergeResult,
  type NamedChange,
  type Resolutions,
} from '../merge/index.ts'
import { readChangedSince } from '../proposals/base.ts'
import type { StoredProposal } from '../proposals/propose.ts'
import type { StoredBranch } from '../store/branches.ts'
import { readStored } from '../store/rows.ts'

export type Policy = z.output<typeof LinkProposalPolicy>

/** What a merge rests on: a branch and the main tree, as they are now. */
export interface Sources {
  changes: NamedChange[]
  proposals: StoredProposal[]
  /** The ids of the proposals whose link main has changed since. */
  changedLinks: ReadonlySet<string>
  main: MainTree
}

/** What a merge of a branch would do. */
export interface Plan extends Sources {
  result: MergeResult
}

export interface Answers {
  resolutions: Resolutions
  policy: Policy
}

/** The answers that a preview rests on: each conflict as suggested, and the default policy. */
export const previewed: Answers = { resolutions: new Map(), policy: 'LINK_PROPOSAL_POLICY_APPROVED' }

/** States of the link proposals that a merge applies. */
const appliedStates: Readonly<Record<Policy, readonly string[]>> = {
  LINK_PROPOSAL_POLICY_APPROVED: ['LINK_PROPOSAL_STATE_APPROVED'],
  LINK_PROPOSAL_POLICY_ALL: ['LINK_PROPOSAL_STATE_APPROVED', 'LINK_PROPOSAL_STATE_PENDING'],
  LINK_PROPOSAL_POLICY_NONE: [],
}

/** Reads a branch and the main tree. */
export async function readSources(rows: Rows, branch: StoredBranch): Promise<Sources> {
  const stored = await readChanges(rows, branch.id)
  const main = await readMainTree(rows, branch.product_id, stored)
  const changes = stored.map((change) => ({ ...change, key: keyFor(change, main) }))
  const proposals = await rows
    .selectFrom('link_proposal')
    .selectAll()
    .where('branch_id', '=', branch.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return { changes, proposals, changedLinks: await readChangedSince(rows, proposals), main }
}

/** Merges a branch and the main tree, without writing. */
export function planMerge(sources: Sources, { resolutions, policy }: Answers): Plan {
  const { changes, proposals, main } = sources
  const links = proposals
    .filter(({ state }) => appliedStates[policy].includes(state))
    .map(({ id, test_id: testId, requirement_id: requirementId, action }) => {
      const isRemoval = action === 'LINK_PROPOSAL_ACTION_REMOVE'
      const wanted = isRemoval ? ('LINK_PROPOSAL_ACTION_REMOVE' as const) : ('LINK_PROPOSAL_ACTION_ADD' as const)
      return { id, testId, requirementId, action: wanted }
    })
  return { ...sources, result: mergeTrees({ changes, main, links, resolutions }) }
}

/** Whether a merge would change nothing. */
export function isEmpty({ changes, result }: Plan): boolean {
  return changes.length === 0 && result.links.length === 0
}

function keyFor({ entityType, entityId, provisionalNumber }: Change, main: MainTree): string {
  return main[entityType].get(entityId)?.key ?? entityKey(entityType, -provisionalNumber)
}

async function readMainTree(rows: Rows, productId: number, changes: readonly Change[]): Promise<MainTree> {
  const requirements = await rows
    .selectFrom('requirement')
    .select(['id', 'number', 'parent_id', 'deleted_at'])
    .where('product_id', '=', productId)
    .execute()
  const tests = await rows
    .selectFrom('test')
    .select(['id', 'number', 'parent_id', 'deleted_at', 'identity'])
    .where('product_id', '=', productId)
    .execute()
  const cases = new Map(
    tests.flatMap(({ id, identity, deleted_at: at }) =>
      identity === null || at !== null ? [] : [[identity, id] as const],
    ),
  )
  const wanted = [...changes.map(({ entityId }) => entityId), ...changes.flatMap((change) => twin(change, cases))]
  const members = await readMembers(rows, wanted)
  const entity = (row: (typeof requirements)[number], key: string): [string, MainEntity] => [
    row.id,
    { id: row.id, key, parentId: row.parent_id, isDeleted: row.deleted_at !== null, members: members.get(row.id) },
  ]
  return {
    requirement: new Map(requirements.map((row) => entity(row, requirementKey(row)))),
    test: new Map(tests.map((row) => entity(row, testKey(row)))),
    cases,
  }
}

/** The test of main that has the code location of a test on the branch. */
function twin({ fields }: Change, cases: ReadonlyMap<string, string>): string[] {
  const place = fields['automation_ref']
  if (place === undefined || place === null) return []
  const id = cases.get(caseIdentity(place as CaseLocation))
  return id === undefined ? [] : [id]
}

async function readMembers(rows: Rows, ids: readonly string[]): Promise<Map<string, Members>> {
  const { requirements, tests } = await readStored(rows, ids)
  return new Map<string, Members>([
    ...requirements.map((row) => [row.id, requirementMembers(row)] as const),
    ...tests.map((row) => [row.id, testMembers(row)] as const),
  ])
}
