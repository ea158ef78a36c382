import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readChanges } from '../../../src/service/branches/changes.ts'
import { mainRows, startTree } from './branch-tree.ts'
import { tries } from '../../property-tries.ts'

interface Node {
  title: string
  tags: readonly string[]
  parent_id: string
}
type Member = keyof Node
type Nodes = ReadonlyMap<string, Node>

/** What the contract says of branches, in plain maps. */
class Model {
  readonly main = new Map<string, Node>()
  readonly #created = new Map<string, Node>()
  readonly #changed = new Map<string, Map<Member, { base: unknown; value: unknown }>>()
  readonly #deleted = new Set<string>()

  /** What a read shows on the branch. */
  branch(): Map<string, Node> {
    const shown = new Map<string, Node>()
    for (const [id, node] of this.main) {
      const changed = [...(this.#changed.get(id) ?? [])].map(([name, { value }]) => [name, value] as const)
      if (!this.#deleted.has(id)) shown.set(id, { ...node, ...Object.fromEntries(changed) })
    }
    for (const [id, node] of this.#created) shown.set(id, node)
    for (const [id, node] of shown) if (!shown.has(node.parent_id)) shown.set(id, { ...node, parent_id: '' })
    return shown
  }

  /** The members that the branch changes, with their values in the main tree when it first did so. */
  changes(): Map<string, Record<string, unknown>> {
    const kept = [...this.#changed].filter(([id, { size }]) => size > 0 && !this.#deleted.has(id))
    return new Map(kept.map(([id, members]) => [id, Object.fromEntries(members)]))
  }

  create(id: string, node: Node, isMain: boolean) {
    ;(isMain ? this.main : this.#created).set(id, node)
  }

  change(id: string, fields: Partial<Node>, isMain: boolean) {
    if (isMain) return void this.main.set(id, { ...this.main.get(id)!, ...fields })
    const before = this.branch().get(id)!
    for (const [name, value] of Object.entries(fields) as [Member, never][]) {
      if (isDeepStrictEqual(before[name], value)) continue
      const created = this.#created.get(id)
      if (created !== undefined) this.#created.set(id, { ...created, [name]: value })
      else this.#set(id, name, value)
    }
  }

  #set(id: string, name: Member, value: unknown) {
    const changed = this.#changed.get(id) ?? new Map<Member, { base: unknown; value: unknown }>()
    this.#changed.set(id, changed)
    const base = changed.get(name)?.base ?? this.main.get(id)![name]
    if (isDeepStrictEqual(base, value)) changed.delete(name)
    else changed.set(name, { base, value })
  }

  remove(id: string, isMain: boolean) {
    for (const one of subtree(isMain ? this.main : this.branch(), id)) {
      if (isMain) this.main.delete(one)
      else if (!this.#created.delete(one)) this.#deleted.add(one)
    }
  }
}

function subtree(nodes: Nodes, id: string): string[] {
  const below = [...nodes].filter(([, node]) => node.parent_id === id).map(([one]) => one)
  return [id, ...below.flatMap((one) => subtree(nodes, one))]
}

const texts = fc.constantFrom('a', 'b', 'c')
const tags = fc.constantFrom<readonly string[]>([], ['x'], ['x', 'y'])
const step = fc.record({
  isMain: fc.boolean(),
  kind: fc.constantFrom('create', 'create', 'title', 'title', 'title', 'tags', 'move', 'move', 'remove'),
  // Few places, so that both trees change the same ones.
  at: fc.nat(2),
  to: fc.nat(4),
  title: texts,
  tags,
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const plain = { at: 0, to: 0, title: 'a', tags: [] } as const
/** What stands below something that the branch removes gets the root there, so that its former ancestor can go below it. */
const belowRemoved: Step[] = [
  { ...plain, isMain: false, kind: 'remove', at: 1 },
  { ...plain, isMain: true, kind: 'create', to: 2 },
  { ...plain, isMain: false, kind: 'move', to: 2 },
]

test('any history of a branch reads as the reference does, and no write on the branch changes the main tree', async () => {
  await using app = await startTree()
  const { tree } = app
  let runs = 0

  async function take(model: Model, branch: string, { isMain, kind, ...given }: Step) {
    const on = isMain ? {} : { branch_id: branch }
    const shown = isMain ? model.main : model.branch()
    const ids = [...shown.keys()]
    const id = ids[given.at % Math.max(ids.length, 1)]
    const parent = ['', ...ids][given.to % (ids.length + 1)]!
    if (kind === 'create' && ids.length < 8) {
      const node = { title: given.title, tags: given.tags, parent_id: parent }
      const below = parent === '' ? {} : { parent_id: parent }
      const { id: created } = await tree.requirement({ title: node.title, tags: [...node.tags], ...below, ...on })
      return model.create(created, node, isMain)
    }
    if (id === undefined || kind === 'create') return
    if (kind === 'remove') {
      await tree.remove(id, isMain ? undefined : branch)
      return model.remove(id, isMain)
    }
    // Moves in both trees can make cycles, which have a test of their own.
    if (kind === 'move' && (isMain || subtree(shown, id).includes(parent))) return
    const fields = kind === 'title' ? { title: given.title } : kind === 'tags' ? { tags: given.tags } : undefined
    const place = { parent_id: parent === '' ? null : parent }
    await tree.change(id, {
      ...(fields === undefined ? place : { ...fields, tags: fields.tags && [...fields.tags] }),
      ...on,
    })
    model.change(id, fields ?? { parent_id: parent }, isMain)
  }

  async function read(branch?: string) {
    const found = await tree.list(branch)
    return new Map(found.map(({ id, title, tags: marks, parent_id }) => [id, { title, tags: marks, parent_id }]))
  }

  async function readStored(branch: string) {
    const changes = await readChanges(app.db.read, branch)
    const changed = changes.flatMap(({ entityId, operation, base, fields }) => {
      if (operation !== 'CHANGE_OPERATION_MODIFY' && operation !== 'CHANGE_OPERATION_MOVE') return []
      const names = ['title', 'tags', 'parent_id'].filter((name) => Object.hasOwn(fields, name))
      const members = names.map((name) => [name, { base: base[name], value: fields[name] }])
      return names.length === 0 ? [] : [[entityId, Object.fromEntries(members)] as const]
    })
    return new Map<string, unknown>(changed)
  }

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      for (const { id } of await tree.list(undefined, '&parent_id=root')) await tree.remove(id)
      const branch = await tree.branch(`History ${String(runs++)}`)
      const model = new Model()
      const start = { isMain: true, kind: 'create', at: 0, title: 'a', tags: [] } as const
      for (const to of [0, 1]) await take(model, branch, { ...start, to })
      for (const one of steps) {
        const kept = async () => (one.isMain ? undefined : await mainRows(app))
        const before = await kept()
        await take(model, branch, one)
        expect(await kept()).toEqual(before)
      }
      expect(await read(branch)).toEqual(model.branch())
      expect(await read()).toEqual(model.main)
      expect(await readStored(branch)).toEqual(model.changes())
    }),
    { numRuns: tries(20), examples: [[belowRemoved]] },
  )
})
