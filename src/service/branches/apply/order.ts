import { chunks } from '../../sql/chunks.ts'
import type { EntityTypeName } from '../changes.ts'
import { liveIds } from './references.ts'
import type { AppliedChange, Applying } from './types.ts'

/** A creation or change of a requirement or test, with its place. */
export type PlacedChange = AppliedChange & {
  /** The parent that it gets; undefined if it stays where it is. */
  parentId: string | undefined
  /** The parent that it names is gone: it gets the root. */
  isGone: boolean
}

/**
 * The order in which requirements or tests can be created and changed: each after what will be above it. `inCycle` are those
 * that would be below themselves, because others were moved meanwhile: they stay where they are.
 */
export async function placeChanges(
  applying: Applying,
  type: EntityTypeName,
  changes: readonly AppliedChange[],
): Promise<{ ordered: PlacedChange[]; inCycle: Set<string> }> {
  const parents = changes.flatMap(({ fields }) =>
    typeof fields['parent_id'] === 'string' ? [fields['parent_id']] : [],
  )
  const live = await liveIds(applying, type, parents)
  for (const { operation, entityId } of changes) if (operation === 'CHANGE_OPERATION_CREATE') live.add(entityId)
  const find = applying.prepare(`SELECT parent_id FROM ${type} WHERE id = ? AND deleted_at IS NULL`)
  const placed = changes.map((change) => {
    const { parent_id: parent } = change.fields
    const isGone = typeof parent === 'string' && parent !== '' && !live.has(parent)
    const parentId = typeof parent !== 'string' ? undefined : isGone ? '' : parent
    return { ...change, parentId, isGone }
  })
  return topDown(placed, async (id) => (await find.get<{ parent_id: string }>(id))?.parent_id ?? '')
}

async function topDown(placed: readonly PlacedChange[], presentParent: (id: string) => Promise<string>) {
  const targets = new Map(placed.map(({ entityId, parentId }) => [entityId, parentId]))
  const above = async (id: string) => targets.get(id) ?? (await presentParent(id))
  const inCycle = new Set<string>()
  const depths = new Map<string, number>()
  for (const { entityId: id } of placed) {
    const seen = new Set<string>()
    for (let next = await above(id); next !== '' && !seen.has(next); next = await above(next)) {
      seen.add(next)
      if (next === id) inCycle.add(id)
    }
    depths.set(id, seen.size)
  }
  const ordered = placed.toSorted((a, b) => (depths.get(a.entityId) ?? 0) - (depths.get(b.entityId) ?? 0))
  return { ordered, inCycle }
}

/**
 * What stands below the removed ones and is neither removed nor moved by these changes. It gets the root first: something
 * that was above it may go below it.
 */
export async function findLeftBelow(
  { rows }: Applying,
  type: EntityTypeName,
  changes: readonly AppliedChange[],
): Promise<string[]> {
  const removed = changes.filter(isRemoval).map(({ entityId }) => entityId)
  const settled = new Set(removed)
  for (const { entityId, fields } of changes) if (typeof fields['parent_id'] === 'string') settled.add(entityId)
  const left: string[] = []
  for (const some of chunks(removed)) {
    const below = rows.selectFrom(type).select('id').where('parent_id', 'in', some).where('deleted_at', 'is', null)
    for (const { id } of await below.execute()) if (!settled.has(id)) left.push(id)
  }
  return left
}

export function isRemoval({ operation }: AppliedChange): boolean {
  return operation === 'CHANGE_OPERATION_DELETE'
}

/** Ids of the requirements or tests of a product whose parent is deleted. */
export async function findOrphans({ prepare, product }: Applying, type: EntityTypeName): Promise<string[]> {
  const find = prepare(
    `SELECT id FROM ${type} WHERE product_id = ? AND deleted_at IS NULL AND parent_id <> '' AND NOT EXISTS
       (SELECT 1 FROM ${type} AS above WHERE above.id = ${type}.parent_id AND above.deleted_at IS NULL)`,
  )
  const orphans = await find.all<{ id: string }>(product.id)
  return orphans.map(({ id }) => id)
}
