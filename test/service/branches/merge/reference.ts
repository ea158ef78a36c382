import { isObject } from '../../../../src/lib/objects.ts'
import type { NamedChange } from '../../../../src/service/branches/merge/types.ts'
import { alive, copy, entity, isWithin, parentId, type Entity, type Fork, type Tree } from './model.ts'

/**
 * A merge written for reading: every requirement and test and every part of it on its own, with sets as sets and texts as
 * lines that are only ever replaced. Conflicts are `TYPE id field`; what they ask stays as in main.
 */
export function referenceMerge(main: Tree, fork: Fork): { tree: Map<string, Entity>; conflicts: string[] } {
  const tree = copy(main)
  const conflicts: string[] = []
  const changes = [...fork.changes.values()]
  const deletions = changes.filter(({ operation }) => operation === 'CHANGE_OPERATION_DELETE')
  for (const change of deletions)
    if (!isDeletable(main, change, changes)) conflicts.push(`MODIFIED_IN_MAIN ${change.entityId}`)
  for (const { entityId: id } of deletions) {
    const one = tree.get(id)!
    if (!conflicts.includes(`MODIFIED_IN_MAIN ${id}`)) one.isDeleted = true
  }
  for (const change of changes.filter((one) => !deletions.includes(one))) {
    if (change.operation === 'CHANGE_OPERATION_CREATE') create(main, tree, { change, changes }, conflicts)
    else if (main.get(change.entityId)!.isDeleted) conflicts.push(`DELETED_IN_MAIN ${change.entityId}`)
    else mergeEntity(main, tree.get(change.entityId)!, change, change.base, conflicts)
  }
  for (const change of changes) {
    const one = tree.get(change.entityId)
    if (one === undefined || one.isDeleted || change.fields['depends_on_ids'] === undefined) continue
    dropDependencies(main, tree, one, change, conflicts)
  }
  placeAll(main, tree, changes, conflicts)
  return { tree, conflicts: [...new Set(conflicts)].toSorted() }
}

/** Nothing of it changed in main, and nothing is below it that the branch does not know. */
function isDeletable(main: Tree, change: NamedChange, changes: readonly NamedChange[]): boolean {
  const one = main.get(change.entityId)!
  if (one.isDeleted) return true
  const isSame = Object.keys(change.base).every(
    (name) => name === 'position' || text(name, change.base[name]) === text(name, one.members[name]),
  )
  const known = changes.filter(
    ({ operation, fields }) => operation === 'CHANGE_OPERATION_DELETE' || 'parent_id' in fields,
  )
  const below = alive(main).filter(({ members }) => members['parent_id'] === one.id)
  return isSame && below.every(({ id }) => known.some(({ entityId }) => entityId === id))
}

function create(
  main: Tree,
  tree: Map<string, Entity>,
  { change, changes }: { change: NamedChange; changes: readonly NamedChange[] },
  conflicts: string[],
): void {
  const place = text('place', change.fields['automation_ref'])
  const twin =
    place === 'null' ? undefined : alive(tree).find(({ members }) => text('place', members['automation_ref']) === place)
  if (twin === undefined) {
    tree.set(change.entityId, entity(change.entityType, change.entityId, change.fields))
    return
  }
  if (changes.some(({ entityId }) => entityId === twin.id)) return
  const { name } = change.fields['automation_ref'] as { name: string }
  const untouched = { ...change.fields, title: name, tags: [], steps: [], parent_id: '', position: 0 }
  mergeEntity(main, twin, change, untouched, conflicts)
}

function mergeEntity(
  main: Tree,
  one: Entity,
  { entityId, fields }: NamedChange,
  base: NamedChange['base'],
  conflicts: string[],
): void {
  for (const [name, branch] of Object.entries(fields)) {
    const clash = (type: string, part = '') => conflicts.push(`${type} ${entityId} ${name}${part}`)
    const isGone = name === 'parent_id' && base[name] !== branch && main.get(String(branch))?.isDeleted === true
    one.members[name] = isGone ? branch : mergeValue(name, [base[name], one.members[name], branch], clash)
  }
}

type Three = readonly [base: unknown, main: unknown, branch: unknown]
type ReportClash = (type: string, part?: string) => unknown

function mergeValue(name: string, three: Three, clash: ReportClash): unknown {
  if (name === 'statement') return mergeLines(three, clash)
  if (name === 'steps') return mergeSteps(three, clash)
  if (name === 'tags' || name === 'depends_on_ids') return mergeSets(three)
  if (name === 'labels')
    return mergeParts(
      three.map((one) => one ?? {}),
      clash,
    )
  if (name === 'acceptance_criteria') return mergeCriteria(three, clash)
  return pick(three, () => clash('FIELD'))
}

/** The side that changed; main's where both did, which is a conflict. */
function pick([base, main, branch]: Three, clash: () => unknown): unknown {
  const [b, m, r] = [base, main, branch].map((one) => text('', one))
  if (m === r || b === r) return main
  if (b === m) return branch
  clash()
  return main
}

function mergeLines(three: Three, clash: ReportClash): string {
  const [base = [], main = [], branch = []] = three.map((one) => String(one).split('\n'))
  const lines = main.map((line, at) => pick([base[at], line, branch[at]], () => clash('TEXT')))
  return lines.join('\n')
}

/** Steps are only ever replaced, except in a test that both sides create. */
function mergeSteps(three: Three, clash: ReportClash): unknown {
  const [base = [], main = [], branch = []] = three.map((one) => one as unknown[])
  if (base.length === 0) return pick(three, () => clash('FIELD'))
  return main.map((step, at) => pick([base[at], step, branch[at]], () => clash('FIELD')))
}

function mergeSets(three: Three): unknown {
  const [base, main, branch] = three.map((one) => one as string[]) as [string[], string[], string[]]
  const all = [...new Set([...main, ...branch])]
  return all.filter((one) => (base.includes(one) ? main.includes(one) && branch.includes(one) : true))
}

function mergeParts(three: readonly unknown[], clash: ReportClash): Record<string, unknown> {
  const [base = {}, main = {}, branch = {}] = three as Record<string, unknown>[]
  const names = new Set([...Object.keys(main), ...Object.keys(branch)])
  const parts = [...names].map((name) => [
    name,
    pick([base[name], main[name], branch[name]], () => clash('FIELD', `.${name}`)),
  ])
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined))
}

function mergeCriteria(three: Three, clash: ReportClash): unknown {
  const lists = three.map((one) =>
    (one as { id: string; text: string }[]).map(({ id, text: words }) => [id, words] as const),
  )
  const [base, main, branch] = lists.map((one) => new Map(one))
  const texts = mergeParts(
    lists.map((one) => Object.fromEntries(one)),
    (_, part = '') => {
      const id = part.slice(1)
      const isText = base?.has(id) === true && main?.has(id) === true && branch?.has(id) === true
      clash(isText ? 'TEXT' : 'FIELD', part)
    },
  )
  return Object.entries(texts).map(([id, words], position) => ({ ...blank, id, text: words, position }))
}

// oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
const blank = { kind: 'CRITERION_KIND_RULE', given: '', when: '', then: '' }

function dropDependencies(main: Tree, tree: Tree, one: Entity, change: NamedChange, conflicts: string[]): void {
  const before = (main.get(one.id)?.members['depends_on_ids'] ?? []) as string[]
  const ids = one.members['depends_on_ids'] as string[]
  for (const id of ids) {
    const isGone = main.get(id)?.isDeleted === true && !before.includes(id)
    if (isGone) conflicts.push(`LINK_TARGET_GONE ${change.entityId} depends_on_ids.${id}`)
  }
  if (text('tags', ids) !== text('tags', before))
    one.members['depends_on_ids'] = ids.filter((id) => tree.get(id)?.isDeleted === false)
}

/** Gives everything a parent that exists: the nearest one above, or the one in main if that is below the entity itself. */
function placeAll(main: Tree, tree: Map<string, Entity>, changes: readonly NamedChange[], conflicts: string[]): void {
  const movers = changes.flatMap((change) => {
    const place = text('place', change.fields['automation_ref'])
    const isIt = ({ id, members }: Entity) =>
      id === change.entityId || (place !== 'null' && text('place', members['automation_ref']) === place)
    const one = alive(tree).find(isIt)
    const parent = change.fields['parent_id']
    if (one === undefined || parent === '' || one.members['parent_id'] !== parent) return []
    return main.get(String(parent))?.isDeleted === true ? [{ one, parent, id: change.entityId }] : []
  })
  for (const { one } of movers) one.members['parent_id'] = nearest(tree, parentId(main, one.id))
  for (const { one, parent, id } of movers) {
    conflicts.push(`PARENT_DELETED ${id} parent_id`)
    const above = nearest(tree, String(parent))
    if (!isWithin(tree, above, one.id)) one.members['parent_id'] = above
  }
  for (const one of alive(tree)) one.members['parent_id'] = nearest(tree, parentId(tree, one.id))
  if (alive(tree).some(({ id }) => isInCircle(tree, id, parentId(tree, id)))) conflicts.push('CYCLE')
}

function nearest(tree: Tree, id: string): string {
  let above = id
  while (above !== '' && tree.get(above)?.isDeleted !== false) above = parentId(tree, above)
  return above
}

function isInCircle(tree: Tree, id: string, parent: string): boolean {
  let at = parent
  for (let steps = 0; at !== '' && steps <= tree.size; steps += 1) {
    if (at === id) return true
    at = parentId(tree, at)
  }
  return false
}

/** The same for values that mean the same: sets in any order, objects with their members in any order. */
function text(name: string, value: unknown): string {
  if (name === 'tags' || name === 'depends_on_ids') return JSON.stringify([...(value as string[])].toSorted())
  if (name === 'place' && isObject(value)) return text('', { ...value, line: 0 })
  return JSON.stringify(value ?? null, (_, part: unknown) =>
    isObject(part) ? Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)) : part,
  )
}
