import * as fc from 'fast-check'
import { alive, criterion, entity, Fork, isWithin, remove, treeWith, type Entity, type Tree } from './model.ts'

/**
 * Random edits of main and of two branches that start from it. No line or step has the words of another one, so that the
 * reference knows by its place which one it is.
 */

const who = fc.constantFrom('main', 'A', 'B')
const small = fc.nat({ max: 40 })
const act = fc.constantFrom(
  'create',
  'title',
  'priority',
  'statement',
  'tags',
  'labels',
  'criteria',
  'depends',
  'steps',
  'place',
  'move',
  'move',
  'remove',
)

export interface Step {
  who: string
  act: string
  /** Which entity, which part of it, and which of several values. */
  at: number
  part: number
  value: number
}

export const history: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ who, act, at: fc.nat({ max: 7 }), part: small, value: small }),
  {
    minLength: 3,
    maxLength: 20,
  },
)

export interface Played {
  main: Map<string, Entity>
  forks: { A: Fork; B: Fork }
}

/** Main and both branches after the steps. */
export function play(steps: readonly Step[]): Played {
  const main = treeWith(
    entity('requirement', 'R1'),
    entity('requirement', 'R2', { parent_id: 'R1' }),
    entity('requirement', 'R3', { parent_id: 'R2' }),
    entity('requirement', 'R4'),
    entity('test', 'S1', { kind: 'TEST_KIND_SUITE' }),
    entity('test', 'T1', { parent_id: 'S1' }),
  )
  const played: Played = { main, forks: { A: new Fork('A'), B: new Fork('B') } }
  for (const [index, step] of steps.entries()) playStep(played, step, index)
  return played
}

function playStep({ main, forks }: Played, step: Step, index: number): void {
  const fork = step.who === 'main' ? undefined : forks[step.who as 'A' | 'B']
  const view = fork?.view(main) ?? main
  const one = step.act === 'create' ? undefined : alive(view)[step.at % Math.max(1, alive(view).length)]
  if (step.act === 'create') {
    const made = creation(view, step, index)
    if (made === undefined) return
    if (fork === undefined) main.set(made.id, made)
    else fork.create(made)
  } else if (one !== undefined && step.act === 'remove') {
    if (fork === undefined) remove(main, one.id)
    else fork.remove(main, one.id)
  } else if (one !== undefined) {
    const members = edit(view, one, step)
    if (members === undefined) return
    if (fork === undefined) Object.assign(one.members, members)
    else fork.set(main, one, members)
  }
}

function creation(view: Tree, { who: by, at, value }: Step, index: number): Entity | undefined {
  const id = `${by}${String(index)}`
  if (at % 3 > 0) {
    const parents = [
      '',
      ...alive(view)
        .filter(({ type }) => type === 'requirement')
        .map((one) => one.id),
    ]
    return entity('requirement', id, { parent_id: parents[value % parents.length] })
  }
  const automation_ref = place(value)
  const isTaken = alive(view).some(
    ({ members }) => JSON.stringify(members['automation_ref']) === JSON.stringify(automation_ref),
  )
  return isTaken ? undefined : entity('test', id, { automation_ref, title: value % 3 === 0 ? 'a' : `a ${by}` })
}

function place(value: number) {
  return { file_path: `${String(value % 3)}.test.ts`, suite_path: [], name: 'a', project: '', line: 0 }
}

/** The members that a step sets; undefined if it does not fit the entity. */
function edit(view: Tree, one: Entity, { act: kind, part, value }: Step): Record<string, unknown> | undefined {
  const { members } = one
  const word = `value ${String(value % 4)}`
  switch (kind) {
    case 'title':
      return { title: word }
    case 'move':
      return move(view, one, value)
    case 'tags':
      return { tags: toggled(members['tags'] as string[], ['a', 'b', 'c', 'd'][value % 4]!) }
    case 'steps':
      return one.type === 'test'
        ? {
            steps: replaced(members['steps'] as object[], (part % 2) * 2, { action: `${word} at ${String(part % 2)}` }),
          }
        : undefined
    default:
      return one.type === 'requirement' ? editRequirement(view, one, { kind, part, word }) : undefined
  }
}

function editRequirement(
  view: Tree,
  { id, members }: Entity,
  { kind, part, word }: { kind: string; part: number; word: string },
) {
  switch (kind) {
    case 'priority':
      return { priority: ['PRIORITY_HIGH', 'PRIORITY_LOW'][part % 2] }
    case 'statement': {
      const lines = String(members['statement']).split('\n')
      return { statement: lines.with((part % 3) * 2, `${word} at ${String(part % 3)}`).join('\n') }
    }
    case 'labels': {
      const { area, ...others } = members['labels'] as Record<string, string>
      return {
        labels: part % 4 === 0 ? others : { ...others, area: area ?? 'web', [['team', 'tier'][part % 2]!]: word },
      }
    }
    case 'criteria':
      return { acceptance_criteria: editCriteria(members['acceptance_criteria'] as { id: string }[], part, word) }
    case 'depends': {
      const others = alive(view).filter((one) => one.type === 'requirement' && one.id !== id)
      const other = others[part % Math.max(1, others.length)]
      return other && { depends_on_ids: toggled(members['depends_on_ids'] as string[], other.id) }
    }
    default:
      return undefined
  }
}

function editCriteria(list: { id: string }[], part: number, word: string) {
  const at = part % Math.max(1, list.length)
  if (part % 5 === 0) return [...list, criterion(`${word} ${String(part)}`, 'new', list.length)].filter(isFirst)
  if (part % 5 === 1) return list.toSpliced(at, 1)
  return list.length === 0 ? list : list.with(at, { ...list[at]!, text: word } as { id: string })
}

function isFirst({ id }: { id?: unknown }, at: number, list: readonly { id?: unknown }[]): boolean {
  return list.findIndex((one) => one.id === id) === at
}

function toggled(list: readonly string[], item: string): string[] {
  return list.includes(item) ? list.filter((one) => one !== item) : [...list, item]
}

function replaced(list: object[], at: number, members: object): object[] {
  return list[at] === undefined ? list : list.with(at, { ...list[at], ...members })
}

/** Requirements move below requirements, tests into suites. */
function move(view: Tree, one: Entity, value: number): Record<string, unknown> | undefined {
  const isParent = (other: Entity) =>
    other.type === one.type && (other.type === 'requirement' || other.members['kind'] === 'TEST_KIND_SUITE')
  const free = alive(view).filter((other) => isParent(other) && !isWithin(view, other.id, one.id))
  return { parent_id: ['', ...free.map(({ id }) => id)][value % (free.length + 1)] }
}
