import * as z from 'zod'
import { isObject, type JsonObject } from '../../../lib/objects.ts'
import { canonical } from './canonical.ts'

/** How both sides of a list or map are compared: entry by entry. */
export interface Entries {
  by: 'entries'
  /** The entries of the member by their key, in order. */
  split(value: unknown): Map<string, unknown>
  join(entries: ReadonlyMap<string, unknown>): unknown
}

/**
 * `whole`: one value. `text`: line by line. `steps`: a list without keys, as diff3 merges lines. `place`: a code
 * location, whose line number does not count.
 */
export type Strategy = { by: 'whole' | 'text' | 'steps' | 'place' } | Entries

const Strings = z.array(z.string())
const Objects = z.array(z.record(z.string(), z.unknown()))

const set: Entries = {
  by: 'entries',
  split: (value) => new Map(Strings.parse(value ?? []).map((one) => [one, one])),
  join: (entries) => [...entries.keys()],
}

const labels: Entries = {
  by: 'entries',
  split: (value) => new Map(Object.entries(isObject(value) ? value : {})),
  join: (entries) => Object.fromEntries(entries),
}

const criteria: Entries = {
  by: 'entries',
  split: (value) =>
    new Map(Objects.parse(value ?? []).map(({ position: _position, ...one }) => [String(one['id']), one])),
  join: (entries) => positioned([...entries.values()]),
}

const codeRefs = keyed(({ path, symbol }) => `${String(path)}${symbol === '' ? '' : `#${String(symbol)}`}`)
const externalRefs = keyed(({ system, key }) => `${String(system)}:${String(key)}`)

/** Members that are not merged as a whole, of requirements and tests. */
const strategies: Readonly<Record<string, Strategy>> = {
  statement: { by: 'text' },
  rationale: { by: 'text' },
  description: { by: 'text' },
  preconditions: { by: 'text' },
  tags: set,
  component_ids: set,
  depends_on_ids: set,
  labels,
  acceptance_criteria: criteria,
  code_refs: codeRefs,
  external_refs: externalRefs,
  steps: { by: 'steps' },
  automation_ref: { by: 'place' },
}

/** How a member is merged. */
export function strategyFor(member: string): Strategy {
  return strategies[member] ?? { by: 'whole' }
}

/** A text that is the same for values which mean the same: the order of a set and the number of a line do not count. */
export function meaning(member: string, value: unknown): string {
  const strategy = strategyFor(member)
  if (strategy.by === 'entries' && strategy === set) return canonical([...set.split(value).keys()].toSorted())
  if (member === 'acceptance_criteria') return canonical([...criteria.split(value).values()])
  if (strategy.by === 'steps') return canonical(stepTexts(value))
  if (strategy.by === 'place' && isObject(value)) return canonical({ ...value, line: 0 })
  return canonical(value)
}

/** Each step as a text; its place in the list is its position. */
export function stepTexts(value: unknown): string[] {
  return Objects.parse(value ?? []).map(({ position: _position, ...step }) => canonical(step))
}

/** The list with the place of each item as its position. */
export function positioned(items: readonly unknown[]): unknown[] {
  return items.map((item, position) => ({ ...(isObject(item) ? item : {}), position }))
}

/** A list of objects whose key need not be unique: the second one with a key is another entry. */
function keyed(key: (item: JsonObject) => string): Entries {
  const split = (value: unknown) => {
    const entries = new Map<string, unknown>()
    for (const item of Objects.parse(value ?? [])) entries.set(freeKey(entries, key(item)), item)
    return entries
  }
  return { by: 'entries', split, join: (entries) => [...entries.values()] }
}

function freeKey(entries: ReadonlyMap<string, unknown>, key: string): string {
  let free = key
  for (let count = 2; entries.has(free); count += 1) free = `${key} (${String(count)})`
  return free
}
