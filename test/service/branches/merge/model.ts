import { isObject } from '../../../../src/lib/objects.ts'
import { caseIdentity, type CaseLocation } from '../../../../src/service/quality/cases/identity.ts'
import type { EntityTypeName } from '../../../../src/service/branches/changes.ts'
import type { Members } from '../../../../src/service/branches/members.ts'
import type { MainEntity, MergeResult, NamedChange, Resolutions } from '../../../../src/service/branches/merge/types.ts'
import { mergeTrees } from '../../../../src/service/branches/merge/index.ts'

/** A tree of requirements and tests, and branches of it, as plain objects. */

export interface Entity {
  type: EntityTypeName
  id: string
  members: Record<string, unknown>
  isDeleted: boolean
}

export type Tree = ReadonlyMap<string, Entity>

const requirement = {
  title: 'Title',
  priority: 'PRIORITY_MEDIUM',
  statement: ['one', '-', 'two', '--', 'three'].join('\n'),
  tags: ['a', 'b'],
  labels: { team: 'cart', area: 'web' },
  acceptance_criteria: ['x', 'y', 'z'].map((id, position) => criterion(id, id, position)),
  code_refs: [],
  depends_on_ids: [],
  parent_id: '',
  position: 0,
}

const testCase = {
  kind: 'TEST_KIND_CASE',
  title: 'a',
  tags: [],
  automation_ref: null,
  steps: ['s', 't', 'u'].map((action, position) => ({ position, action, data: '', expected: '' })),
  parent_id: '',
  position: 0,
}

export function criterion(id: string, text: string, position: number): Record<string, unknown> {
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return { id, position, kind: 'CRITERION_KIND_RULE', text, given: '', when: '', then: '' }
}

export function entity(type: EntityTypeName, id: string, members: Members = {}): Entity {
  return { type, id, members: { ...(type === 'test' ? testCase : requirement), ...members }, isDeleted: false }
}

export function treeWith(...entities: readonly Entity[]): Map<string, Entity> {
  return new Map(entities.map((one) => [one.id, { ...one, members: { ...one.members } }]))
}

export function copy(tree: Tree): Map<string, Entity> {
  return treeWith(...tree.values())
}

export function alive(tree: Tree): Entity[] {
  return [...tree.values()].filter(({ isDeleted }) => !isDeleted)
}

/** Whether an entity is `id` or below it. What a branch and main moved below each other is above nothing. */
export function isWithin(tree: Tree, at: string, id: string): boolean {
  const seen = new Set<string>()
  for (let above = at; above !== '' && !seen.has(above); above = parentId(tree, above)) {
    if (above === id) return true
    seen.add(above)
  }
  return false
}

/** Empty at the top level, and of what does not exist. */
export function parentId(tree: Tree, id: string): string {
  const parent = tree.get(id)?.members['parent_id']
  return typeof parent === 'string' ? parent : ''
}

export function remove(tree: Map<string, Entity>, id: string): void {
  for (const one of alive(tree)) if (isWithin(tree, one.id, id)) one.isDeleted = true
}

/** The changes of one branch; what they are compared with is main at the first touch. */
export class Fork {
  readonly changes = new Map<string, NamedChange>()
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  /** Main with the changes of the branch. */
  view(main: Tree): Map<string, Entity> {
    const tree = copy(main)
    for (const { entityType: type, entityId: id, operation, fields } of this.changes.values()) {
      const known = tree.get(id)
      if (operation === 'CHANGE_OPERATION_CREATE') tree.set(id, entity(type, id, fields))
      else if (known !== undefined) {
        Object.assign(known.members, fields)
        if (operation === 'CHANGE_OPERATION_DELETE') known.isDeleted = true
      }
    }
    return tree
  }

  create(one: Entity): void {
    this.#put(one, { operation: 'CHANGE_OPERATION_CREATE', fields: one.members })
  }

  set(main: Tree, one: Entity, members: Members): void {
    const known = this.changes.get(one.id)
    const now = main.get(one.id)?.members ?? {}
    const before = Object.fromEntries(Object.keys(members).map((name) => [name, now[name]]))
    const operation = known?.operation ?? 'CHANGE_OPERATION_MODIFY'
    const base = operation === 'CHANGE_OPERATION_CREATE' ? {} : { ...before, ...known?.base }
    this.#put(one, { operation, base, fields: { ...known?.fields, ...members } })
  }

  remove(main: Tree, id: string): void {
    const view = this.view(main)
    for (const one of alive(view).filter(({ id: at }) => isWithin(view, at, id))) {
      const known = this.changes.get(one.id)
      if (known?.operation === 'CHANGE_OPERATION_CREATE') this.changes.delete(one.id)
      else {
        const base = { ...main.get(one.id)?.members, ...known?.base }
        this.#put(one, { operation: 'CHANGE_OPERATION_DELETE', base, fields: {} })
      }
    }
  }

  #put({ type, id }: Entity, change: Partial<NamedChange>): void {
    const by = { type: 'ACTOR_TYPE_USER', id: '', display_name: '', user_id: '' } as const
    this.changes.set(id, {
      id: `${this.#name}-${id}`,
      branchId: this.#name,
      productId: 1,
      entityType: type,
      entityId: id,
      key: id,
      operation: 'CHANGE_OPERATION_MODIFY',
      provisionalNumber: 0,
      base: {},
      fields: {},
      needsDecision: false,
      note: '',
      revision: 1,
      createdBy: by,
      createdAt: 0,
      updatedBy: by,
      updatedAt: 0,
      ...change,
    })
  }
}

/** Merges a branch into a tree by the product's function, without writing. */
export function mergeFork(main: Tree, fork: Fork, resolutions: Resolutions = new Map()): MergeResult {
  const entities = (type: EntityTypeName) =>
    new Map([...main.values()].filter((one) => one.type === type).map((one) => [one.id, mainEntity(one)]))
  const placed = alive(main).flatMap(({ id, members: { automation_ref: place } }) =>
    place === null || place === undefined ? [] : [[caseIdentity(place as CaseLocation), id] as const],
  )
  const tree = { requirement: entities('requirement'), test: entities('test'), cases: new Map(placed) }
  return mergeTrees({ changes: [...fork.changes.values()], main: tree, links: [], resolutions })
}

function mainEntity({ id, members, isDeleted }: Entity): MainEntity {
  return { id, key: id, parentId: String(members['parent_id']), isDeleted, members }
}

/** The tree after a merge. */
export function applied(main: Tree, { changes, lifts }: MergeResult): Map<string, Entity> {
  const tree = copy(main)
  for (const { change, targetId, action, members } of changes) {
    if (action === 'create') tree.set(targetId, entity(change.entityType, targetId, members))
    const one = tree.get(targetId)
    if (one === undefined || action === 'none' || action === 'create') continue
    Object.assign(one.members, members)
    if (action === 'delete') one.isDeleted = true
    if (action === 'restore') one.isDeleted = false
  }
  for (const { id, parentId } of lifts) tree.get(id)!.members['parent_id'] = parentId
  return tree
}

/**
 * What exists in a tree, tests by their place in the code, without the order of sets and of what was added at one place, and
 * without references to what is deleted.
 */
export function content(tree: Tree): string {
  const lines = alive(tree).map(({ id, members }) => {
    const place = members['automation_ref']
    return `${isObject(place) ? JSON.stringify(place) : id}: ${JSON.stringify(unordered(tree, members))}`
  })
  return lines.toSorted().join('\n')
}

function unordered(tree: Tree, members: Members): Members {
  const isLive = (item: unknown) => typeof item !== 'string' || tree.get(item)?.isDeleted !== true
  return Object.fromEntries(
    Object.entries(members)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, Array.isArray(value) ? items(name, value.filter(isLive)) : sorted(value)]),
  )
}

function items(name: string, list: readonly unknown[]): string[] {
  const texts = list.map((item) => JSON.stringify(sorted(item, 'position')))
  return name === 'steps' ? texts : texts.toSorted()
}

function sorted(value: unknown, without = ''): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([name]) => name !== without)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
