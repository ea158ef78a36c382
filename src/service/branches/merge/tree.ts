import * as z from 'zod'
import type { EntityTypeName } from '../changes.ts'
import { invalidResolution } from './settle.ts'
import {
  address,
  branchParent,
  isAlive,
  isDeletedInMain,
  keyFor,
  mainEntity,
  nearestAlive,
  subjectFor,
  type Merging,
} from './state.ts'
import type { Lift, MergedChange, NamedChange } from './types.ts'
import * as words from './words.ts'

interface Tree {
  merging: Merging
  type: EntityTypeName
  /** Parents by id, of everything that exists after the merge. */
  parents: Map<string, string>
  /** Ids of those whose parent the branch chose. */
  moved: Set<string>
}

/**
 * Gives everything that exists after the merge a parent that exists, without circles. Returns the entities of main that
 * move although the branch does not touch them.
 */
export function placeInTree(merging: Merging, type: EntityTypeName): Lift[] {
  const tree = readTree(merging, type)
  const astray = mergedIn(merging, type).filter((one) => isAstray(tree, one))
  // Until each has its place, it is where main has it: a place below one of them would close a circle otherwise.
  for (const { targetId } of astray) tree.parents.set(targetId, mainPlace(tree, targetId))
  for (const [id, parent] of tree.parents) {
    if (parent !== '' && !tree.parents.has(parent)) tree.parents.set(id, nearestAlive(merging, type, parent))
  }
  for (const one of astray) settleParent(tree, one)
  liftCreated(tree)
  breakCircles(tree)
  refuseCircles(tree)
  return keep(tree)
}

/** Checks a parent that resolves a conflict: it has to exist after the merge; null is the top level. */
export function readParent(merging: Merging, change: NamedChange, value: unknown): string {
  const parent = z.string().nullable().safeParse(value)
  const id = parent.data ?? ''
  if (parent.success && (id === '' || isAlive(merging, change.entityType, id))) return id
  throw invalidResolution(
    change.key,
    `the value must be the id of an existing ${change.entityType}, or null for the top level`,
  )
}

function readTree(merging: Merging, type: EntityTypeName): Tree {
  const parents = new Map<string, string>()
  for (const { id, parentId } of merging.input.main[type].values()) {
    if (isAlive(merging, type, id)) parents.set(id, parentId)
  }
  const moved = new Set<string>()
  for (const { targetId, members, action } of mergedIn(merging, type)) {
    const parent = members['parent_id']
    if (action === 'none' || action === 'delete' || typeof parent !== 'string') continue
    parents.set(targetId, parent)
    moved.add(targetId)
  }
  return { merging, type, parents, moved }
}

function mergedIn({ merged }: Merging, type: EntityTypeName): MergedChange[] {
  return [...merged.values()].filter(({ change }) => change.entityType === type)
}

/** Whether the branch moved it below something that main deleted. */
function isAstray({ merging, type, parents, moved }: Tree, { change, targetId, action }: MergedChange): boolean {
  const parent = parents.get(targetId) ?? ''
  if (action === 'create' || !moved.has(targetId) || parent !== branchParent(change)) return false
  return parent !== '' && isDeletedInMain(merging, type, parent)
}

/** The parent of an entity in main, or the nearest place above it that still exists. */
function mainPlace({ merging, type }: Tree, id: string): string {
  return nearestAlive(merging, type, mainEntity(merging, type, id)?.parentId ?? '')
}

/** Asks where to put what the branch moved below something that main deleted. */
function settleParent(tree: Tree, { change, targetId }: MergedChange): void {
  const { merging, type, parents, moved } = tree
  const parent = branchParent(change) ?? ''
  const main = mainEntity(merging, type, targetId)?.parentId ?? ''
  const nearest = nearestAbove(tree, targetId, parent)
  const { choice, value, isResolved } = merging.settler.settle(subjectFor(change), {
    type: 'CONFLICT_TYPE_PARENT_DELETED',
    field: 'parent_id',
    base: change.base['parent_id'],
    main,
    branch: parent,
    suggested: 'RESOLUTION_USE_VALUE',
    suggestedValue: nearest,
    message: words.parentDeleted(change.key, keyFor(merging, type, parent), keyFor(merging, type, nearest)),
    readValue: (given) => readParent(merging, change, given),
  })
  if (!isResolved) markConflict(merging, change)
  parents.set(targetId, choice === 'RESOLUTION_USE_BRANCH' ? nearest : nearestAlive(merging, type, String(value)))
  if (choice === 'RESOLUTION_USE_MAIN') moved.delete(targetId)
}

/** The nearest place above `parent` that exists; where main has it, if that place is below the entity itself. */
function nearestAbove(tree: Tree, id: string, parent: string): string {
  const place = nearestAlive(tree.merging, tree.type, parent)
  return place === id || ancestors(tree.parents, place).includes(id) ? mainPlace(tree, id) : place
}

/** The nearest place above what is created may have been moved below it by the branch: then it is at the top level. */
function liftCreated({ merging, type, parents }: Tree): void {
  for (const { change, targetId, action } of mergedIn(merging, type)) {
    const [wanted, place] = [branchParent(change) ?? '', parents.get(targetId) ?? '']
    const isNearest = place !== wanted && place === nearestAlive(merging, type, wanted)
    if (action === 'create' && isNearest && ancestors(parents, targetId).includes(targetId)) parents.set(targetId, '')
  }
}

function markConflict({ merged }: Merging, { entityType, entityId }: NamedChange): void {
  const outcome = merged.get(address(entityType, entityId))?.fields.find(({ field }) => field === 'parent_id')
  if (outcome !== undefined) outcome.resolution = 'FIELD_RESOLUTION_CONFLICT'
}

/** Asks about moves of the branch that close a circle with moves of main, one after the other. */
function breakCircles(tree: Tree): void {
  const { merging, type, parents, moved } = tree
  const movers = mergedIn(merging, type).filter(({ change }) => change.operation !== 'CHANGE_OPERATION_CREATE')
  /** Ids of movers whose place was chosen in an answer. */
  const placed = new Set<string>()
  const isOpen = (id: string) => moved.has(id) && !placed.has(id)
  // What goes back to its place in main may close a circle with a move that was looked at before.
  for (let isBroken = true; isBroken;) {
    isBroken = false
    for (const { change, targetId } of movers) {
      if (!moved.has(targetId)) continue
      const circle = ancestors(parents, targetId)
      if (circle.at(-1) !== targetId) continue
      isBroken = true
      if (!placed.has(targetId)) settleCircle(tree, change, targetId, { circle, placed })
      else if (!movers.some((one) => circle.includes(one.targetId) && isOpen(one.targetId)))
        leaveCircle(tree, targetId, circle)
    }
  }
}

/** What is left are answers that put what the branch creates below itself. */
function refuseCircles({ merging, type, parents }: Tree): void {
  for (const { change, targetId, action } of mergedIn(merging, type)) {
    if (action !== 'create' || ancestors(parents, targetId).at(-1) !== targetId) continue
    throw invalidResolution(change.key, `${change.key} would be below itself; choose another parent`)
  }
}

/** The ancestors of an entity, nearest first; the last one is the entity itself if it is in a circle. */
function ancestors(parents: ReadonlyMap<string, string>, id: string): string[] {
  const found: string[] = []
  for (let at = parents.get(id) ?? ''; at !== ''; at = parents.get(at) ?? '') {
    if (found.includes(at)) break
    found.push(at)
    if (at === id) break
  }
  return found
}

interface Circle {
  circle: readonly string[]
  placed: Set<string>
}

function settleCircle(tree: Tree, change: NamedChange, id: string, { circle, placed }: Circle): void {
  const { merging, type, parents, moved } = tree
  const main = mainEntity(merging, type, id)?.parentId ?? ''
  const parent = parents.get(id) ?? ''
  const { choice, value, isResolved } = merging.settler.settle(subjectFor(change), {
    type: 'CONFLICT_TYPE_CYCLE',
    field: 'parent_id',
    base: change.base['parent_id'],
    main,
    branch: parent,
    suggested: 'RESOLUTION_USE_MAIN',
    message: words.cycle(change.key, keyFor(merging, type, parent)),
    readValue: (given) => readParent(merging, change, given),
  })
  if (!isResolved) markConflict(merging, change)
  if (choice === 'RESOLUTION_USE_MAIN') moved.delete(id)
  else placed.add(id)
  if (choice === 'RESOLUTION_USE_BRANCH') {
    leaveCircle(tree, id, circle)
    return
  }
  const place = String(value)
  parents.set(id, choice === 'RESOLUTION_USE_MAIN' ? nearestAlive(merging, type, place) : place)
  if (choice === 'RESOLUTION_USE_VALUE' && ancestors(parents, id).includes(id)) {
    throw invalidResolution(change.key, `${keyFor(merging, type, place)} is below ${change.key}; choose another parent`)
  }
}

/** Moves what main had put below `id` to the place that `id` had in main. */
function leaveCircle({ merging, type, parents, moved }: Tree, id: string, circle: readonly string[]): void {
  const leaving = circle.find((one) => !moved.has(one)) ?? circle[0] ?? id
  let place = mainEntity(merging, type, id)?.parentId ?? ''
  const isFree = (at: string) =>
    at === '' || (parents.has(at) && at !== leaving && !ancestors(parents, at).includes(leaving))
  while (!isFree(place)) place = mainEntity(merging, type, place)?.parentId ?? ''
  parents.set(leaving, place)
}

/** Writes the parents into the merged changes, and returns the others that move. */
function keep({ merging, type, parents }: Tree): Lift[] {
  const touched = new Map(mergedIn(merging, type).map((one) => [one.targetId, one]))
  const lifts: Lift[] = []
  for (const [id, parentId] of parents) {
    const before = mainEntity(merging, type, id)?.parentId
    const one = touched.get(id)
    const isWritten = one !== undefined && one.action !== 'none'
    if (isWritten) setParent(one, parentId, before)
    if (isWritten || before === parentId) continue
    const key = keyFor(merging, type, id)
    merging.notes.push({
      code: 'MOVED_UP',
      message: words.movedUp(key, keyFor(merging, type, parentId), !parents.has(before ?? '')),
    })
    lifts.push({ entityType: type, id, key, parentId })
  }
  return lifts
}

function setParent(one: MergedChange, parentId: string, before: string | undefined): void {
  const { parent_id: _, ...others } = one.members
  // What was deleted gets its place in the tree again.
  const isNew = one.action !== 'change' || parentId !== before
  one.members = isNew ? { ...others, parent_id: parentId } : others
  const outcome = one.fields.find(({ field }) => field === 'parent_id')
  if (outcome !== undefined) outcome.merged = parentId
}
