import { ServiceError } from '../../../errors.ts'
import type { StoredRequirement } from '../../quality/requirements/access.ts'
import {
  changeRequirement,
  insertRequirement,
  removeRequirements,
  type RequirementFields,
} from '../../quality/requirements/write.ts'
import { findLeftBelow, findOrphans, isRemoval, placeChanges, type PlacedChange } from './order.ts'
import { liveIds } from './references.ts'
import type { AppliedChange, Applying } from './types.ts'

/** Applies changes of requirements: creations and changes from the root down, references, then deletions. */
export async function applyRequirements(applying: Applying, changes: readonly AppliedChange[]): Promise<void> {
  if (changes.length === 0) return
  const removals = changes.filter(isRemoval)
  await moveToRoot(applying, await findLeftBelow(applying, 'requirement', changes), removals)
  const kept = changes.filter((change) => !isRemoval(change))
  const { ordered, inCycle } = await placeChanges(applying, 'requirement', kept)
  for (const change of ordered) await put(applying, change, inCycle.has(change.entityId))
  for (const change of ordered) await refer(applying, change)
  await remove(applying, removals)
}

async function put(applying: Applying, change: PlacedChange, isInCycle: boolean): Promise<void> {
  const { parent_id: _parent, position, ...rest } = await plainFields(applying, change)
  const place = {
    // At the root it comes last.
    ...(!change.isGone && { position }),
    ...(change.parentId !== undefined && { parent_id: change.parentId }),
  }
  try {
    await write(applying, change, isInCycle ? rest : { ...rest, ...place })
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    // Too deep since the main tree was changed: without its place it can be written.
    await write(applying, change, rest)
  }
}

/** The fields without references, whose targets may be created after it. */
async function plainFields(applying: Applying, { fields }: AppliedChange): Promise<Record<string, unknown>> {
  const { depends_on_ids: _depends, superseded_by_id: _superseded, component_ids: components, ...plain } = fields
  if (!Array.isArray(components)) return plain
  const live = await liveIds(applying, 'component', components as string[])
  return { ...plain, component_ids: components.filter((id) => live.has(id)) }
}

async function write({ rows, prepare, product }: Applying, change: AppliedChange, given: Record<string, unknown>) {
  // Members of a stored change are those of `requirementMembers`, or were checked when they were written.
  const fields = given as RequirementFields
  const { entityId: id, number, writing } = change
  if (change.operation === 'CHANGE_OPERATION_CREATE') {
    await insertRequirement(rows, prepare, writing, product, { ...fields, title: fields.title ?? '' }, { id, number })
    return
  }
  const before = await find(rows, id)
  if (before !== undefined) await changeRequirement(rows, prepare, writing, before, fields, true)
}

async function refer(applying: Applying, { entityId, fields, writing }: AppliedChange): Promise<void> {
  const { rows, prepare } = applying
  const { depends_on_ids: depends, superseded_by_id: superseded } = fields
  const isSuperseded = typeof superseded === 'string'
  const others = [...(Array.isArray(depends) ? (depends as string[]) : []), ...(isSuperseded ? [superseded] : [])]
  if (!Array.isArray(depends) && !isSuperseded) return
  const before = await find(rows, entityId)
  if (before === undefined) return
  const live = await liveIds(applying, 'requirement', others)
  const isUsable = (id: string) => live.has(id) && id !== entityId
  const references = {
    ...(Array.isArray(depends) && { depends_on_ids: (depends as string[]).filter(isUsable) }),
    ...(isSuperseded && { superseded_by_id: isUsable(superseded) ? superseded : '' }),
  }
  const isSame =
    JSON.stringify(references.depends_on_ids ?? JSON.parse(before.depends_on_ids)) === before.depends_on_ids &&
    (references.superseded_by_id ?? before.superseded_by_id) === before.superseded_by_id
  if (!isSame) await changeRequirement(rows, prepare, writing, before, references)
}

async function remove(applying: Applying, changes: readonly AppliedChange[]): Promise<void> {
  const { rows, prepare } = applying
  for (const { entityId, writing } of changes) {
    const row = await find(rows, entityId)
    if (row !== undefined) await removeRequirements(rows, prepare, writing, [row])
  }
  if (changes.length > 0) await moveToRoot(applying, await findOrphans(applying, 'requirement'), changes)
}

/** As whoever removed what was above them. */
async function moveToRoot({ rows, prepare }: Applying, ids: readonly string[], [removal]: readonly AppliedChange[]) {
  for (const id of ids) {
    const orphan = await find(rows, id)
    if (orphan !== undefined && removal !== undefined)
      await changeRequirement(rows, prepare, removal.writing, orphan, { parent_id: '' })
  }
}

function find(rows: Applying['rows'], id: string): Promise<StoredRequirement | undefined> {
  return rows
    .selectFrom('requirement')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}
