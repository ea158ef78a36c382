import type * as z from 'zod'
import { BranchSource, BranchState, type Branch, type BranchChange } from '../../../contract/branches.ts'
import { timestamp, timestampOrNull } from '../../shared/times.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'
import type { Change } from '../changes.ts'
import { readEntityNames } from '../names.ts'
import { branchEtag, type StoredBranch } from './branches.ts'

/** Converts rows to the contract's branches, in the same order, with their counts. */
export async function viewBranches(
  rows: Rows,
  product: { id: number; tree_revision: number },
  branches: readonly StoredBranch[],
): Promise<z.input<typeof Branch>[]> {
  const counts = await countAll(
    rows,
    branches.map(({ id }) => id),
  )
  return branches.map((row) => ({
    id: row.id,
    product_id: String(product.id),
    name: row.name,
    description: row.description,
    state: BranchState.parse(row.state),
    git_ref: row.git_ref,
    base_revision: row.base_revision,
    head_revision: row.head_revision,
    main_revision: product.tree_revision,
    source: { kind: BranchSource.parse(row.source_kind), agent_run_id: row.agent_run_id },
    counts: counts.get(row.id) ?? noCounts,
    created_by: readJson(StoredActor, row.created_by),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    merged_by: row.merged_by === null ? null : readJson(StoredActor, row.merged_by),
    merged_at: timestampOrNull(row.merged_at),
    merged_revision: row.merged_revision,
    etag: branchEtag(row),
  }))
}

type Counts = z.input<typeof Branch>['counts']

const noCounts: Counts = {
  created: 0,
  modified: 0,
  deleted: 0,
  moved: 0,
  proposals_pending: 0,
  proposals_approved: 0,
  needs_decision: 0,
}

/** The count that each operation, and each state of a link proposal, adds to. */
const counted: Readonly<Record<string, keyof Counts>> = {
  CHANGE_OPERATION_CREATE: 'created',
  CHANGE_OPERATION_MODIFY: 'modified',
  CHANGE_OPERATION_DELETE: 'deleted',
  CHANGE_OPERATION_MOVE: 'moved',
  LINK_PROPOSAL_STATE_PENDING: 'proposals_pending',
  LINK_PROPOSAL_STATE_APPROVED: 'proposals_approved',
}

async function countAll(rows: Rows, branchIds: readonly string[]): Promise<Map<string, Counts>> {
  const all = new Map<string, Counts>()
  const add = (branchId: string, what: keyof Counts | undefined) => {
    const counts = all.get(branchId) ?? { ...noCounts }
    if (what !== undefined) counts[what] += 1
    all.set(branchId, counts)
  }
  for (const chunk of chunks(branchIds)) {
    const changes = await rows
      .selectFrom('branch_change')
      .select(['branch_id', 'operation', 'needs_decision'])
      .where('branch_id', 'in', chunk)
      .execute()
    for (const { branch_id: id, operation, needs_decision: open } of changes) {
      add(id, counted[operation])
      if (open === 1) add(id, 'needs_decision')
    }
    const proposals = await rows
      .selectFrom('link_proposal')
      .select(['branch_id', 'state'])
      .where('branch_id', 'in', chunk)
      .execute()
    for (const { branch_id: id, state } of proposals) add(id, counted[state])
  }
  return all
}

/** Converts changes to the contract's, in the same order, with the keys and titles of what they change. */
export async function viewChanges(rows: Rows, changes: readonly Change[]): Promise<z.input<typeof BranchChange>[]> {
  const names = await readEntityNames(rows, changes, changes)
  return changes.map((change) => ({
    id: change.id,
    entity_type: change.entityType,
    entity_id: change.entityId,
    key: names.get(change.entityId)?.key ?? '',
    title: names.get(change.entityId)?.title ?? '',
    operation: change.operation,
    fields: Object.keys(change.fields),
    needs_decision: change.needsDecision,
    note: change.note,
    created_by: change.createdBy,
    created_at: timestamp(change.createdAt),
  }))
}
