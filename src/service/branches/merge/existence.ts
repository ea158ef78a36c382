import { caseIdentity, type CaseLocation } from '../../quality/cases/identity.ts'
import type { Clash } from './settle.ts'
import { isSame } from './member.ts'
import {
  address,
  branchParent,
  isDeletedInMain,
  keyFor,
  mainEntity,
  nearestAlive,
  subjectFor,
  type Merging,
} from './state.ts'
import type { MergedChange, NamedChange } from './types.ts'
import { readParent } from './tree.ts'
import * as words from './words.ts'

/**
 * Decides for each change whether its requirement or test exists after the merge. What exists in main is first, because
 * what the branch creates may be below it.
 */
export function decideExistence(merging: Merging): void {
  const isCreation = ({ operation }: NamedChange) => operation === 'CHANGE_OPERATION_CREATE'
  const { changes } = merging.input
  for (const change of changes.filter((one) => !isCreation(one))) {
    const isDeletion = change.operation === 'CHANGE_OPERATION_DELETE'
    put(merging, change, isDeletion ? decideDeletion(merging, change) : decideChange(merging, change))
  }
  const created = changes.filter(isCreation)
  for (const change of created) put(merging, change, 'create')
  for (const change of created) decideCreation(merging, change)
  dropBelowDropped(merging, created)
}

function put(merging: Merging, change: NamedChange, action: MergedChange['action'], targetId = change.entityId): void {
  const { entityType, entityId } = change
  merging.merged.set(address(entityType, entityId), { change, targetId, action, members: {}, fields: [] })
}

function decideChange(merging: Merging, change: NamedChange): MergedChange['action'] {
  const { entityType, entityId, key } = change
  const main = mainEntity(merging, entityType, entityId)
  if (main !== undefined && !main.isDeleted) return 'change'
  const isGone = main?.members === undefined || isPlaceTaken(merging, main.members['automation_ref'])
  const { choice } = merging.settler.settle(subjectFor(change), {
    type: 'CONFLICT_TYPE_DELETED_IN_MAIN',
    field: '',
    base: change.base,
    main: null,
    branch: change.fields,
    suggested: 'RESOLUTION_USE_MAIN',
    message: words.deletedInMain(key, isGone),
    ...(isGone && { refused: { RESOLUTION_USE_BRANCH: `${key} cannot be restored` } }),
  })
  return choice === 'RESOLUTION_USE_BRANCH' ? 'restore' : 'none'
}

function decideDeletion(merging: Merging, change: NamedChange): MergedChange['action'] {
  const { entityType, entityId, key, base } = change
  const main = mainEntity(merging, entityType, entityId)
  if (main === undefined || main.isDeleted) return 'none'
  const fields = Object.keys(base).filter(
    (name) => name !== 'position' && main.members !== undefined && !isSame(name, base[name], main.members[name]),
  )
  const children = newChildren(merging, change)
  const sides = { base: null, main: pick(main.members, fields), branch: null }
  const clash = { field: '', ...sides, base: pick(base, fields), suggested: 'RESOLUTION_USE_MAIN' } as const
  if (fields.length > 0 || children.length > 0) {
    const message = words.modifiedInMain(key, fields, children)
    return keepOrDelete(merging, change, { ...clash, type: 'CONFLICT_TYPE_MODIFIED_IN_MAIN', message })
  }
  if (!change.needsDecision) return 'delete'
  const message = words.decideWhole(key, 'deletes')
  return keepOrDelete(merging, change, { ...clash, type: 'CONFLICT_TYPE_DECISION', message })
}

function keepOrDelete({ settler }: Merging, change: NamedChange, clash: Clash): MergedChange['action'] {
  return settler.settle(subjectFor(change), clash).choice === 'RESOLUTION_USE_BRANCH' ? 'delete' : 'none'
}

/** Keys of what main has below an entity that the branch deletes, and the branch neither deletes nor moves. */
function newChildren({ input }: Merging, { entityType, entityId }: NamedChange): string[] {
  const handled = new Set(
    input.changes
      .filter((one) => one.operation === 'CHANGE_OPERATION_DELETE' || branchParent(one) !== undefined)
      .map((one) => one.entityId),
  )
  const below = [...input.main[entityType].values()].filter(
    ({ parentId, isDeleted }) => parentId === entityId && !isDeleted,
  )
  return below.filter(({ id }) => !handled.has(id)).map(({ key }) => key)
}

function pick(members: Readonly<Record<string, unknown>> | undefined, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, members?.[name] ?? null]))
}

function decideCreation(merging: Merging, change: NamedChange): void {
  const twin = findTwin(merging, change)
  if (twin !== undefined) {
    // Where the branch has changed the test of main since, those changes are all there is to merge.
    put(merging, change, merging.merged.has(address('test', twin)) ? 'none' : 'change', twin)
    const message = words.sameTest(change.key, keyFor(merging, 'test', twin))
    merging.notes.push({ code: 'TEST_EXISTS', message })
    return
  }
  const isWanted = !change.needsDecision || decideNew(merging, change)
  if (!isWanted || !decidePlace(merging, change)) put(merging, change, 'none')
}

function decideNew({ settler }: Merging, change: NamedChange): boolean {
  const { choice } = settler.settle(subjectFor(change), {
    type: 'CONFLICT_TYPE_DECISION',
    field: '',
    base: null,
    main: null,
    branch: change.fields,
    suggested: 'RESOLUTION_USE_BRANCH',
    message: words.decideWhole(change.key, 'creates'),
  })
  return choice === 'RESOLUTION_USE_BRANCH'
}

/** Whether what the branch creates is created, where main has deleted its parent. */
function decidePlace(merging: Merging, change: NamedChange): boolean {
  const { entityType: type, key } = change
  const parent = branchParent(change) ?? ''
  if (parent === '' || !isDeletedInMain(merging, type, parent)) return true
  const nearest = nearestAlive(merging, type, parent)
  const { choice, value } = merging.settler.settle(subjectFor(change), {
    type: 'CONFLICT_TYPE_PARENT_DELETED',
    field: 'parent_id',
    base: null,
    main: null,
    branch: parent,
    suggested: 'RESOLUTION_USE_VALUE',
    suggestedValue: nearest,
    message: words.parentDeleted(key, keyFor(merging, type, parent), keyFor(merging, type, nearest)),
    readValue: (given) => readParent(merging, change, given),
  })
  const place = choice === 'RESOLUTION_USE_VALUE' ? String(value) : nearest
  const merged = merging.merged.get(address(type, change.entityId))!
  merged.members = { ...merged.members, parent_id: place }
  return choice !== 'RESOLUTION_USE_MAIN'
}

/** The test of main with the code location of a test that the branch creates. */
function findTwin(merging: Merging, { entityType, fields }: NamedChange): string | undefined {
  if (entityType !== 'test') return undefined
  const id = caseAt(merging, fields['automation_ref'])
  return id !== undefined && merging.merged.get(address('test', id))?.action !== 'delete' ? id : undefined
}

function isPlaceTaken(merging: Merging, place: unknown): boolean {
  return caseAt(merging, place) !== undefined
}

/** The id of the test of main with a code location. */
export function caseAt({ input }: Merging, place: unknown): string | undefined {
  if (place === undefined || place === null) return undefined
  // Both sides are members of a test: `testMembers` wrote the location.
  return input.main.cases.get(caseIdentity(place as CaseLocation))
}

/** Leaves out what is below something that is left out. */
function dropBelowDropped(merging: Merging, created: readonly NamedChange[]): void {
  const isDropped = (id: string, type: NamedChange['entityType']) => {
    const one = merging.merged.get(address(type, id))
    return one?.action === 'none' && one.change.operation === 'CHANGE_OPERATION_CREATE'
  }
  for (let again = true; again;) {
    again = false
    for (const change of created) {
      const { entityType, entityId } = change
      if (isDropped(entityId, entityType) || !isDropped(branchParent(change) ?? '', entityType)) continue
      put(merging, change, 'none')
      again = true
    }
  }
}
