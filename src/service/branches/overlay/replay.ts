import type { Platform, Writing } from '../../shared/context.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { applyChanges, type Applied } from '../apply/apply.ts'
import type { AppliedChange, Applying } from '../apply/types.ts'
import { readJson } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'
import { applyProposal, readApproved } from '../proposals/apply.ts'
import { readChangedSince } from '../proposals/base.ts'
import { readChanges, type Change } from '../changes.ts'
import type { StoredBranch } from '../store/branches.ts'

/** More changes than a branch ever has. */
const MOST_REVISIONS = 1_000_000

/** A branch that has been replayed. */
export interface Replayed extends Applied {
  changes: Change[]
}

/**
 * Writes what a branch changes into the tables of the main tree, in a transaction that the caller takes back. Rows of the
 * branch have its id, its times and an etag of their own; new requirements and tests get its provisional numbers.
 */
export async function replay(applying: Applying, platform: Platform, branch: StoredBranch): Promise<Replayed> {
  const { rows, product } = applying
  const changes = await readChanges(rows, branch.id)
  const etags = await readEtags(rows, changes)
  const proposals = await readApproved(rows, branch.id)
  const changed = await readChangedSince(rows, proposals)
  const applied = await applyChanges(
    applying,
    changes.map((change) => toApply(change, platform)),
  )
  for (const proposal of proposals) {
    const actor = readJson(StoredActor, proposal.reviewed_by ?? proposal.created_by)
    await applyProposal(applying, writeAs(actor, platform), proposal, { sameTests: applied.sameTests, changed })
  }
  for (const change of changes) await mark(rows, change, etags.get(change.entityId) ?? 0)
  await rows
    .updateTable('product')
    .set({
      next_requirement_number: -branch.next_requirement_number,
      next_test_number: -branch.next_test_number,
    })
    .where('id', '=', product.id)
    .execute()
  return { ...applied, changes }
}

function toApply(change: Change, platform: Platform): AppliedChange {
  return { ...change, number: -change.provisionalNumber, writing: writeAs(change.updatedBy, platform) }
}

function writeAs(actor: Change['updatedBy'], platform: Platform): Writing {
  const byAgent = actor.type === 'ACTOR_TYPE_AGENT'
  return { actor, byAgent, via: '', now: () => platform.now(), newId: () => platform.newId() }
}

async function readEtags(rows: Rows, changes: readonly Change[]): Promise<Map<string, number>> {
  const etags = new Map<string, number>()
  for (const table of ['requirement', 'test'] as const) {
    const ids = changes.filter(({ entityType }) => entityType === table).map(({ entityId }) => entityId)
    for (const chunk of chunks(ids)) {
      const found = await rows.selectFrom(table).select(['id', 'etag_version']).where('id', 'in', chunk).execute()
      for (const row of found) etags.set(row.id, row.etag_version)
    }
  }
  return etags
}

/** Negative versions are of branches; they change with the row in the main tree and with each write on the branch. */
async function mark(rows: Rows, change: Change, mainVersion: number): Promise<void> {
  const isNew = change.operation === 'CHANGE_OPERATION_CREATE'
  const facts = {
    branch_id: change.branchId,
    etag_version: -(mainVersion * MOST_REVISIONS + change.revision),
    updated_at: change.updatedAt,
    ...(isNew && { created_by: JSON.stringify(change.createdBy), created_at: change.createdAt }),
  }
  const { entityId: id, updatedBy } = change
  if (change.entityType === 'test') {
    await rows.updateTable('test').set(facts).where('id', '=', id).execute()
    return
  }
  const updated_by = JSON.stringify(updatedBy)
  await rows
    .updateTable('requirement')
    .set({ ...facts, updated_by })
    .where('id', '=', id)
    .execute()
}
