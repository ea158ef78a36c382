import type { Sides } from './types.ts'

/** A member in a sentence: `acceptance_criteria`, not the id of a criterion or a label that a person chose. */
function memberName(field: string): string {
  const [name = '', ...rest] = field.split('.')
  return rest.length === 0 ? name : `one of ${name}`
}

/** Enum values, numbers and yes or no may be said; every other value is text of people. */
function isPlain(value: unknown): value is string | number | boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && /^[A-Z]+(?:_[A-Z]+)+$/.test(value))
  )
}

/** What each side did to a member, without text that people wrote. */
export function bothChanged(key: string, { field, base, main, branch }: Sides & { field: string }): string {
  const name = memberName(field)
  if ([base, main, branch].every(isPlain)) {
    return `Main changed ${name} of ${key} from ${String(base)} to ${String(main)}, and the branch changed it to ${String(branch)}.`
  }
  if (main === undefined || main === null) return `Main removed ${name} of ${key}, and the branch changed it.`
  if (branch === undefined || branch === null) return `The branch removed ${name} of ${key}, and main changed it.`
  if (base === undefined || base === null) return `Main and the branch added ${name} of ${key} with different content.`
  return `Main and the branch changed ${name} of ${key} in different ways.`
}

export function decision(key: string, field: string, both: boolean): string {
  const also = both ? ' Main has changed it too since the branch was written.' : ''
  return `The branch changes ${memberName(field)} of ${key} to something that contradicts main: decide which holds.${also}`
}

export function decideWhole(key: string, action: 'creates' | 'deletes'): string {
  return `The branch ${action} ${key}, which contradicts main: decide whether it should.`
}

export function deletedInMain(key: string, isGone: boolean): string {
  const effect = isGone ? 'It cannot be restored.' : 'RESOLUTION_USE_BRANCH restores it with the changes of the branch.'
  return `Main deleted ${key}, which the branch changes. ${effect}`
}

/** `fields` and `children`: what main changed of an entity that the branch deletes. */
export function modifiedInMain(key: string, fields: readonly string[], children: readonly string[]): string {
  const changed = fields.length === 0 ? [] : [`changed ${fields.join(', ')}`]
  const added = children.length === 0 ? [] : [`put ${children.slice(0, 5).join(', ')} below it`]
  return `The branch deletes ${key}, and main ${[...changed, ...added].join(' and ')} since.`
}

export function parentDeleted(key: string, parent: string, above: string): string {
  const place = above === '' ? 'at the top level' : `below ${above}`
  return `The branch puts ${key} below ${parent}, which main deleted; the nearest place that still exists is ${place}.`
}

export function cycle(key: string, parent: string): string {
  return `The branch moves ${key} below ${parent}, which main moved below ${key}: only one of them can be above the other.`
}

export function targetGone(key: string, field: string, target: string): string {
  return `The branch names ${target} in ${field} of ${key}, and main deleted ${target}.`
}

export function linkGone(test: string, requirement: string, gone: string): string {
  return `The branch links ${test} to ${requirement}, and main deleted ${gone}.`
}

export function placeTaken(key: string, other: string): string {
  return `The branch gives ${key} the code location that ${other} of main has.`
}

/** `isOrphan`: its parent is deleted; else it would be below itself. */
export function movedUp(key: string, above: string, isOrphan: boolean): string {
  const place = above === '' ? 'to the top level' : `below ${above}`
  const why = isOrphan ? 'its parent is deleted' : 'the branch moves what was above it below it'
  return `${key} moves ${place}, because ${why}.`
}

export function sameTest(key: string, other: string): string {
  return `${key} is ${other} in main, which has the same code location; the merge adds to it what the branch says.`
}
