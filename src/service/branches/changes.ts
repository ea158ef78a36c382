import * as z from 'zod'
import { ChangeOperation, EntityType } from '../../contract/branches.ts'
import type { Selectable } from 'kysely'
import type { Rows } from '../sql/database.ts'
import { readJson } from '../sql/json.ts'
import type { BranchChangeRow } from '../sql/schema-branches.ts'
import { StoredActor } from '../workspace/actor.ts'
import type { Members } from './members.ts'

export type EntityTypeName = z.output<typeof EntityType>
export type OperationName = z.output<typeof ChangeOperation>

/** What a branch does to one requirement or test. */
export interface Change {
  id: string
  branchId: string
  productId: number
  entityType: EntityTypeName
  entityId: string
  operation: OperationName
  /** Of what the branch creates: n of its provisional key `REQ-?n` or `TC-?n`; else 0. */
  provisionalNumber: number
  /**
   * Values in the main tree when the branch first touched each member: of all members of what the branch deletes, of those
   * in `fields` where it changes something, of none of what it creates.
   */
  base: Members
  /** Values on the branch: all members of what it creates, those that it changes, none of what it deletes. */
  fields: Members
  needsDecision: boolean
  note: string
  /** Head revision of the branch when the change was last written. */
  revision: number
  createdBy: z.output<typeof StoredActor>
  createdAt: number
  updatedBy: z.output<typeof StoredActor>
  updatedAt: number
}

const StoredMembers: z.ZodType<Members> = z.record(z.string(), z.unknown())

/** The changes of a branch, in the order in which the branch first touched each requirement or test. */
export async function readChanges(rows: Rows, branchId: string): Promise<Change[]> {
  const found = await rows
    .selectFrom('branch_change')
    .selectAll()
    .where('branch_id', '=', branchId)
    .orderBy('seq')
    .execute()
  return found.map(readChange)
}

export function readChange(row: Selectable<BranchChangeRow>): Change {
  return {
    id: row.id,
    branchId: row.branch_id,
    productId: row.product_id,
    entityType: EntityType.parse(row.entity_type),
    entityId: row.entity_id,
    operation: ChangeOperation.parse(row.operation),
    provisionalNumber: row.provisional_number,
    base: readJson(StoredMembers, row.base),
    fields: readJson(StoredMembers, row.fields),
    needsDecision: row.needs_decision === 1,
    note: row.note,
    revision: row.revision,
    createdBy: readJson(StoredActor, row.created_by),
    createdAt: row.created_at,
    updatedBy: readJson(StoredActor, row.updated_by),
    updatedAt: row.updated_at,
  }
}
