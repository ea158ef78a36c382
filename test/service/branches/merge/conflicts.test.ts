import { expect, test } from 'vitest'
import type { ConflictBody, MergeResult, ResolutionName } from '../../../../src/service/branches/merge/types.ts'
import { applied, criterion, entity, Fork, mergeFork, remove, treeWith, type Entity } from './model.ts'

function fixture() {
  const main = treeWith(
    entity('requirement', 'A'),
    entity('requirement', 'B'),
    entity('requirement', 'C', { parent_id: 'B' }),
    entity('test', 'T'),
  )
  return { main, fork: new Fork('branch'), get: (id: string) => main.get(id)! }
}

function set(main: Map<string, Entity>, id: string, members: object): void {
  Object.assign(main.get(id)!.members, members)
}

/** The one conflict of a merge. */
function only({ conflicts }: MergeResult): ConflictBody {
  expect(conflicts).toHaveLength(1)
  return conflicts[0]!
}

/** The tree after a merge whose one conflict is answered. */
function answered(main: Map<string, Entity>, fork: Fork, resolution: ResolutionName, value?: unknown) {
  const { id } = only(mergeFork(main, fork))
  const merged = mergeFork(main, fork, new Map([[id, { resolution, value }]]))
  expect(merged.unresolved).toEqual([])
  return applied(main, merged)
}

test('labels, criteria and steps are merged by entry, and only the entry that both changed is asked about', () => {
  const { main, fork, get } = fixture()
  const list = (...texts: string[]) => ['x', 'y', 'z'].map((id, at) => criterion(id, texts[at]!, at))
  fork.set(main, get('A'), {
    labels: { team: 'guests', area: 'web', tier: '1' },
    acceptance_criteria: list('x', 'y2', 'z2'),
  })
  const steps = get('T').members['steps'] as object[]
  fork.set(main, get('T'), { steps: [...steps, { position: 3, action: 'v', data: '', expected: '' }] })
  set(main, 'A', { labels: { team: 'payment', area: 'app' }, acceptance_criteria: list('x', 'y', 'z3').toReversed() })
  set(main, 'T', { steps: [{ position: 0, action: 'r', data: '', expected: '' }, ...steps] })
  const merged = mergeFork(main, fork)
  expect(merged.conflicts).toMatchObject([
    {
      type: 'CONFLICT_TYPE_FIELD',
      field: 'labels.team',
      base: 'cart',
      main: 'payment',
      branch: 'guests',
      message: 'Main and the branch changed one of labels of A in different ways.',
    },
    { type: 'CONFLICT_TYPE_TEXT', field: 'acceptance_criteria.z', suggested: 'RESOLUTION_USE_VALUE' },
  ])
  const answers = new Map(
    merged.conflicts.map(({ id, field }) => [
      id,
      { resolution: 'RESOLUTION_USE_VALUE' as const, value: field === 'labels.team' ? null : { text: 'z4' } },
    ]),
  )
  const tree = applied(main, mergeFork(main, fork, answers))
  expect(tree.get('A')!.members).toMatchObject({
    labels: { area: 'app', tier: '1' },
    acceptance_criteria: [criterion('z', 'z4', 0), criterion('y', 'y2', 1), criterion('x', 'x', 2)],
  })
  expect(tree.get('T')!.members['steps']).toMatchObject(
    ['r', 's', 't', 'u', 'v'].map((action, position) => ({ position, action })),
  )
})

test('a change that needs a decision is asked about, although main did not change', () => {
  const { main, fork, get } = fixture()
  fork.set(main, get('A'), { statement: 'Never.' })
  const [[id, change] = []] = [...fork.changes]
  fork.changes.set(id!, { ...change!, needsDecision: true })
  expect(only(mergeFork(main, fork))).toMatchObject({
    type: 'CONFLICT_TYPE_DECISION',
    field: 'statement',
    main: 'one\n-\ntwo\n--\nthree',
    branch: 'Never.',
    suggested: 'RESOLUTION_USE_BRANCH',
  })
  expect(answered(main, fork, 'RESOLUTION_USE_MAIN').get('A')!.members['statement']).toBe('one\n-\ntwo\n--\nthree')
  expect(answered(main, fork, 'RESOLUTION_USE_VALUE', 'Rarely.').get('A')!.members['statement']).toBe('Rarely.')
  set(main, 'A', { statement: 'Never.' })
  expect(mergeFork(main, fork).conflicts).toEqual([])
})

test('what is below something that main deleted is put where the answer says', () => {
  const { main, fork } = fixture()
  fork.create(entity('requirement', 'N', { parent_id: 'C' }))
  fork.create(entity('requirement', 'O', { parent_id: 'N' }))
  remove(main, 'C')
  expect(only(mergeFork(main, fork))).toMatchObject({
    type: 'CONFLICT_TYPE_PARENT_DELETED',
    entity_id: 'N',
    suggested: 'RESOLUTION_USE_VALUE',
    suggested_value: 'B',
    message: 'The branch puts N below C, which main deleted; the nearest place that still exists is below B.',
  })
  expect(answered(main, fork, 'RESOLUTION_USE_BRANCH').get('N')!.members['parent_id']).toBe('B')
  expect(answered(main, fork, 'RESOLUTION_USE_VALUE', 'A').get('N')!.members['parent_id']).toBe('A')
  expect(answered(main, fork, 'RESOLUTION_USE_VALUE', null).get('N')!.members['parent_id']).toBe('')
  expect(answered(main, fork, 'RESOLUTION_USE_MAIN').has('O')).toBe(false)
  expect(() => answered(main, fork, 'RESOLUTION_USE_VALUE', 'C')).toThrow('existing requirement')
})

test.each([
  ['B', 'C'],
  ['C', 'B'],
])(
  'moves of %s and then of %s below what main deleted are asked about one by one and close no circle',
  (one, other) => {
    const { main, fork, get } = fixture()
    main.set('D', entity('requirement', 'D'))
    for (const id of [one, other]) fork.set(main, get(id), { parent_id: 'D' })
    set(main, 'D', { parent_id: 'C' })
    remove(main, 'D')
    const { conflicts } = mergeFork(main, fork)
    const asked = conflicts.map(({ type, entity_id, suggested_value }) => [type, entity_id, suggested_value])
    expect(asked.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      ['CONFLICT_TYPE_PARENT_DELETED', 'B', ''],
      ['CONFLICT_TYPE_PARENT_DELETED', 'C', 'B'],
    ])
  },
)

test('the nearest place that still exists is not below what moves there once what both delete is gone', () => {
  const { main, fork, get } = fixture()
  main.set('D', entity('requirement', 'D', { parent_id: 'A' }))
  fork.remove(main, 'C')
  fork.set(main, get('B'), { parent_id: 'D' })
  set(main, 'A', { parent_id: 'C' })
  remove(main, 'D')
  const answers = mergeFork(main, fork).conflicts.map(
    ({ id }) => [id, { resolution: 'RESOLUTION_USE_BRANCH' }] as const,
  )
  const merged = mergeFork(main, fork, new Map(answers))
  expect(merged.unresolved).toEqual([])
  const tree = applied(main, merged)
  expect(['A', 'B'].map((id) => tree.get(id)!.members['parent_id'])).toEqual(['B', ''])
})

test('a move that closes a circle once another one goes back to its place in main is asked about too', () => {
  const { main, fork, get } = fixture()
  main.set('D', entity('requirement', 'D', { parent_id: 'C' }))
  main.set('F', entity('requirement', 'F', { parent_id: 'B' }))
  set(main, 'C', { parent_id: '' })
  for (const id of ['B', 'F']) fork.set(main, get(id), { parent_id: 'D' })
  set(main, 'C', { parent_id: 'F' })
  const { conflicts } = mergeFork(main, fork)
  expect(conflicts.map(({ type, entity_id }) => [type, entity_id])).toEqual([
    ['CONFLICT_TYPE_CYCLE', 'F'],
    ['CONFLICT_TYPE_CYCLE', 'B'],
  ])
  const merged = mergeFork(main, fork, new Map(conflicts.map(({ id, suggested: resolution }) => [id, { resolution }])))
  expect(merged.unresolved).toEqual([])
  const tree = applied(main, merged)
  expect(['B', 'F', 'C', 'D'].map((id) => tree.get(id)!.members['parent_id'])).toEqual(['', 'B', 'F', 'C'])
})

test.each(['N', 'O'])('what a branch creates is not put below itself by the answer %s', (value) => {
  const { main, fork } = fixture()
  fork.create(entity('requirement', 'N', { parent_id: 'A' }))
  fork.create(entity('requirement', 'O', { parent_id: 'N' }))
  remove(main, 'A')
  expect(() => answered(main, fork, 'RESOLUTION_USE_VALUE', value)).toThrow('N would be below itself')
})

test('two moves below each other are asked about, and the answer "branch" moves the other one up', () => {
  const { main, fork, get } = fixture()
  fork.set(main, get('B'), { parent_id: 'A' })
  set(main, 'A', { parent_id: 'C' })
  expect(only(mergeFork(main, fork))).toMatchObject({
    type: 'CONFLICT_TYPE_CYCLE',
    entity_id: 'B',
    suggested: 'RESOLUTION_USE_MAIN',
  })
  const places = (tree: Map<string, Entity>) => ['A', 'B', 'C'].map((id) => tree.get(id)!.members['parent_id'])
  expect(places(answered(main, fork, 'RESOLUTION_USE_MAIN'))).toEqual(['C', '', 'B'])
  expect(places(answered(main, fork, 'RESOLUTION_USE_BRANCH'))).toEqual(['', 'A', 'B'])
  expect(() => answered(main, fork, 'RESOLUTION_USE_VALUE', 'C')).toThrow('C is below B')
  const { id } = only(mergeFork(main, fork))
  const merged = mergeFork(main, fork, new Map([[id, { resolution: 'RESOLUTION_USE_BRANCH' as const }]]))
  expect(merged.notes.map(({ message }) => message)).toEqual([
    'A moves to the top level, because the branch moves what was above it below it.',
  ])
})

test('what main put below something that the branch deletes moves up, and is named', () => {
  const { main, fork } = fixture()
  fork.remove(main, 'B')
  main.set('D', entity('requirement', 'D', { parent_id: 'C' }))
  expect(only(mergeFork(main, fork))).toMatchObject({
    type: 'CONFLICT_TYPE_MODIFIED_IN_MAIN',
    entity_id: 'C',
    message: 'The branch deletes C, and main put D below it since.',
  })
  const { id } = only(mergeFork(main, fork))
  const merged = mergeFork(main, fork, new Map([[id, { resolution: 'RESOLUTION_USE_BRANCH' as const }]]))
  expect(merged.notes).toEqual([
    { code: 'MOVED_UP', message: 'D moves to the top level, because its parent is deleted.' },
  ])
  expect(applied(main, merged).get('D')).toMatchObject({ isDeleted: false, members: { parent_id: '' } })
})

test('a reference to what main deleted and a code location that main has given away cannot be kept', () => {
  const { main, fork, get } = fixture()
  fork.set(main, get('A'), { depends_on_ids: ['B', 'C'] })
  remove(main, 'C')
  expect(only(mergeFork(main, fork))).toMatchObject({
    type: 'CONFLICT_TYPE_LINK_TARGET_GONE',
    field: 'depends_on_ids.C',
  })
  expect(answered(main, fork, 'RESOLUTION_USE_MAIN').get('A')!.members['depends_on_ids']).toEqual(['B'])
  expect(() => answered(main, fork, 'RESOLUTION_USE_BRANCH')).toThrow('C is deleted')

  const other = fixture()
  const automation_ref = { file_path: 'a.test.ts', suite_path: [], name: 'a', project: '', line: 1 }
  other.fork.set(other.main, other.get('T'), { automation_ref })
  other.main.set('U', entity('test', 'U', { automation_ref: { ...automation_ref, line: 7 } }))
  expect(only(mergeFork(other.main, other.fork))).toMatchObject({
    field: 'automation_ref',
    suggested: 'RESOLUTION_USE_MAIN',
    message: 'The branch gives T the code location that U of main has.',
  })
  expect(() => answered(other.main, other.fork, 'RESOLUTION_USE_BRANCH')).toThrow('U has this code location')
})

test('texts in which the same line recurs thousands of times are compared as a whole', () => {
  const { main, fork, get } = fixture()
  const blank = '\n'.repeat(5000)
  set(main, 'A', { statement: blank })
  fork.set(main, get('A'), { statement: `first${blank}` })
  set(main, 'A', { statement: `${blank}last` })
  expect(only(mergeFork(main, fork))).toMatchObject({ type: 'CONFLICT_TYPE_TEXT', field: 'statement' })
})
