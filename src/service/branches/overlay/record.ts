import { isDeepStrictEqual } from 'node:util'
import type { Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { audit } from '../../workspace/audit.ts'
import type { Change, EntityTypeName } from '../changes.ts'
import { isPlace, type Members } from '../members.ts'
import { auditProposal } from '../proposals/propose.ts'
import type { StoredBranch } from '../store/branches.ts'

/** What a writer adds to a change. */
export interface Said {
  /** The change contradicts the main tree: the merge asks for a resolution. */
  needsDecision?: boolean | undefined
  note?: string | undefined
  /** Members that the writer set, even to the value that they had: this settles a decision about them. */
  named?: readonly string[] | undefined
}

/** A requirement or test that a write on a branch touched; without members where it does not exist. */
export interface Touched {
  entityType: EntityTypeName
  id: string
  number: number
  /** In the main tree. */
  main: Members | undefined
  /** On the branch before the write. */
  before: Members | undefined
  /** On the branch after it. */
  after: Members | undefined
  /** What the branch had changed before. */
  change: Change | undefined
  said: Said
}

interface Recording {
  rows: Rows
  call: Writing
  branch: StoredBranch
  /** When, in epoch milliseconds. */
  at: number
}

type Content = Pick<Change, 'operation' | 'base' | 'fields' | 'needsDecision' | 'note'>

/** Records as changes of a branch how a write left what it touched; a write that changes nothing leaves no trace. */
export async function recordChanges(recording: Recording, touched: readonly Touched[]): Promise<void> {
  const { rows, call, branch, at } = recording
  const revision = branch.head_revision + 1
  let isChanged = false
  for (const one of touched) {
    const content = contentAfter(one)
    if (content === 'same') continue
    isChanged = true
    if (content === 'none') await forget(recording, one)
    else await keep(recording, one, content, revision)
  }
  if (!isChanged) return
  const lowest = (type: EntityTypeName) =>
    Math.min(0, ...touched.filter(({ entityType }) => entityType === type).map(({ number }) => number))
  const after = await rows
    .updateTable('branch')
    .set({
      head_revision: revision,
      next_requirement_number: Math.max(branch.next_requirement_number, 1 - lowest('requirement')),
      next_test_number: Math.max(branch.next_test_number, 1 - lowest('test')),
      updated_at: at,
    })
    .where('id', '=', branch.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'update', resourceType: 'branch', resourceId: branch.id, before: branch, after })
}

/** The change as it has to be stored: `none` when the branch changes nothing any more, `same` when it stays as it is. */
function contentAfter({ main = {}, before, after, change, said }: Touched): Content | 'none' | 'same' {
  const { needsDecision = false, note = change?.note ?? '' } = said
  if (before === undefined) {
    if (after === undefined) return 'same'
    return { operation: 'CHANGE_OPERATION_CREATE', base: {}, fields: after, needsDecision, note }
  }
  const isNew = change?.operation === 'CHANGE_OPERATION_CREATE'
  if (after === undefined) {
    if (isNew) return 'none'
    const base = { ...main, ...change?.base }
    return { operation: 'CHANGE_OPERATION_DELETE', base, fields: {}, needsDecision, note }
  }
  const differing = Object.keys(after).filter((name) => !isDeepStrictEqual(after[name], before[name]))
  const { base, fields } = isNew
    ? { base: {}, fields: { ...change.fields, ...pick(after, differing) } }
    : changed({ main, after, change, differing })
  const isOpen = said.needsDecision ?? (change?.needsDecision === true && !isSettled(change, differing, said))
  const isSame = differing.length === 0 && isOpen === (change?.needsDecision ?? false) && note === (change?.note ?? '')
  if (isSame) return 'same'
  if (Object.keys(fields).length === 0) return change === undefined ? 'same' : 'none'
  const operation = isPlace(fields) ? 'CHANGE_OPERATION_MOVE' : 'CHANGE_OPERATION_MODIFY'
  return { operation: isNew ? change.operation : operation, base, fields, needsDecision: isOpen, note }
}

/** The base and the fields after more members were changed; a member with its base value is not changed any more. */
function changed({ main, after, change, differing }: ChangedMembers): Pick<Change, 'base' | 'fields'> {
  const base = { ...pick(main, differing), ...change?.base }
  const fields = { ...change?.fields, ...pick(after, differing) }
  const kept = Object.keys(fields).filter((name) => !isDeepStrictEqual(fields[name], base[name]))
  return { base: pick(base, kept), fields: pick(fields, kept) }
}

interface ChangedMembers {
  main: Members
  after: Members
  change: Change | undefined
  differing: readonly string[]
}

/** Whether the writer decided one of the members that the change drafts. */
function isSettled({ fields }: Change, differing: readonly string[], { named = [] }: Said): boolean {
  return [...differing, ...named].some((name) => Object.hasOwn(fields, name))
}

function pick(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, members[name]]))
}

async function keep({ rows, call, branch, at }: Recording, one: Touched, content: Content, revision: number) {
  const actor = JSON.stringify(call.actor)
  const stored = {
    operation: content.operation,
    base: JSON.stringify(content.base),
    fields: JSON.stringify(content.fields),
    needs_decision: content.needsDecision ? 1 : 0,
    note: content.note,
    revision,
    updated_by: actor,
    updated_at: at,
  }
  await rows
    .insertInto('branch_change')
    .values({
      id: call.newId(),
      branch_id: branch.id,
      product_id: branch.product_id,
      entity_type: one.entityType,
      entity_id: one.id,
      provisional_number: Math.max(0, -one.number),
      created_by: actor,
      created_at: at,
      ...stored,
    })
    .onConflict((conflict) => conflict.columns(['branch_id', 'entity_type', 'entity_id']).doUpdateSet(stored))
    .execute()
}

/** Removes a change; link proposals for what the branch had created go with it. */
async function forget({ rows, call, branch }: Recording, { id, after }: Touched): Promise<void> {
  await rows.deleteFrom('branch_change').where('branch_id', '=', branch.id).where('entity_id', '=', id).execute()
  if (after !== undefined) return
  const removed = await rows
    .deleteFrom('link_proposal')
    .where('branch_id', '=', branch.id)
    .where((where) => where.or([where('test_id', '=', id), where('requirement_id', '=', id)]))
    .returningAll()
    .execute()
  for (const proposal of removed) await auditProposal(rows, call, proposal, undefined)
}
