import type { Cut } from './answer.ts'
import { isMembers, type Json, type Members } from './json.ts'

/** Facts and outsiders' text of one result, before they are rendered. */
export interface Content {
  data: Members
  untrusted: Members
}

/** How much of the lists or texts at one path remains, in items or in characters. */
export interface Kept {
  shown: number
  total: number
}

/** What a cut says about the text it shortened, ours or a tool's. An outsider may end a text so: no event has more. */
const TAIL = /… \(\+(\d{1,7}) characters\)$/

/** The longest list at the path, or the longest text, whichever is longer. */
export function longest({ data, untrusted }: Content, path: string): number {
  const sizes: number[] = [0]
  for (const side of [data, untrusted]) visit(side, path.split('.'), (value) => sizes.push(measure(value)))
  return sizes.reduce((most, size) => Math.max(most, size))
}

/**
 * A copy in which each list at the cut's path has at most `count` items, each text at most `count` characters. A list of
 * outsiders' text about rows keeps those rows that are still there, and of its other rows as many as there is room for.
 */
export function shorten(content: Content, cut: Cut, count: number): { content: Content; kept: Kept } {
  const path = cut.path.split('.')
  const kept: Kept = { shown: 0, total: 0 }
  const before = new Set<Json>()
  const after = new Set<Json>()
  let found = false
  const data = replace(content.data, path, (value) => {
    found = true
    const short = shortened(value, cut, count, kept)
    for (const key of rowKeys(value)) before.add(key)
    for (const key of rowKeys(short)) after.add(key)
    return short
  })
  const untrusted = replace(content.untrusted, path, (value) => {
    if (!found) return shortened(value, cut, count, kept)
    if (!Array.isArray(value) || before.size === 0) return shortened(value, cut, count, { shown: 0, total: 0 })
    const own = value.filter((item) => !before.has(rowKey(item)))
    const stay = new Set(own.slice(0, Math.max(0, count - kept.shown)))
    kept.total += own.length
    kept.shown += stay.size
    const rows = value.filter((item) => after.has(rowKey(item)) || stay.has(item))
    return rows.length === 0 ? undefined : rows
  })
  return { content: { data, untrusted }, kept }
}

function rowKeys(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value.filter(isMembers).map(rowKey) : []
}

/** The member that joins outsiders' text to the row that it is about; undefined if the row has none. */
export function rowKeyName(row: Json | undefined): string | undefined {
  return isMembers(row) ? ['id', 'nr', 'rank', 'test'].find((name) => row[name] !== undefined) : undefined
}

/** The value of that member; null if the row has none. */
export function rowKey(row: Json | undefined): Json {
  const name = rowKeyName(row)
  return name === undefined ? null : ((row as Members)[name] ?? null)
}

/** The content without one member. */
export function without({ data, untrusted }: Content, side: keyof Content, name: string): Content {
  const { [name]: _, ...rest } = side === 'data' ? data : untrusted
  return side === 'data' ? { data: rest, untrusted } : { data, untrusted: rest }
}

/** Paths of all lists, `*` for each item of one, the largest first; those in outsiders' text before facts. */
export function listPaths({ data, untrusted }: Content): string[] {
  return [untrusted, data].flatMap((side) => {
    const sizes = new Map<string, number>()
    collect(side, [], sizes)
    return [...sizes].sort(([, one], [, other]) => other - one).map(([path]) => path)
  })
}

function collect(value: Json, path: readonly string[], sizes: Map<string, number>): void {
  if (Array.isArray(value)) {
    const name = path.join('.')
    sizes.set(name, (sizes.get(name) ?? 0) + JSON.stringify(value).length)
    for (const item of value) collect(item, [...path, '*'], sizes)
  } else if (isMembers(value)) {
    for (const [name, member] of Object.entries(value)) collect(member, [...path, name], sizes)
  }
}

/** The value with every text longer than `max` cut, except ids: part of an id is useless. */
export function shortenTexts(value: Members, max: number): Members {
  return mapTexts(value, (text, name) => (isId(name) ? text : cutText(text, max))) as Members
}

/** The length of the longest text, except ids. */
export function longestText(value: Members): number {
  let most = 0
  mapTexts(value, (text, name) => {
    if (!isId(name)) most = Math.max(most, text.length)
    return text
  })
  return most
}

function isId(name: string): boolean {
  return name === 'id' || name.endsWith('_id')
}

function mapTexts(value: Json, change: (text: string, name: string) => string, name = ''): Json {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, name))
  if (!isMembers(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change, key)]))
}

function measure(value: Json): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0
}

function shortened(value: Json, cut: Cut, count: number, kept: Kept): Json | undefined {
  if (typeof value === 'string') {
    const [tail = '', missing = '0'] = TAIL.exec(value) ?? []
    kept.total += value.length - tail.length + Number(missing)
    kept.shown += Math.min(value.length - tail.length, count)
    return cutText(value, count)
  }
  if (!Array.isArray(value)) return value
  const items = pick(value, cut.keep ?? 'first', count)
  kept.total += value.length
  kept.shown += items.length
  return items.length === 0 && !cut.path.endsWith('rows') ? undefined : items
}

function pick(items: readonly Json[], keep: NonNullable<Cut['keep']>, count: number): Json[] {
  if (keep === 'last') return count === 0 ? [] : items.slice(-count)
  if (keep === 'first') return items.slice(0, count)
  // The first frame is the one that crashed.
  const ours = items.map((item, index) => index === 0 || (typeof item === 'string' && item.includes(' [in app]')))
  const ranked = [...items.keys()].sort((one, other) => Number(ours[other]) - Number(ours[one]) || one - other)
  const chosen = new Set(ranked.slice(0, count))
  return items.filter((_, index) => chosen.has(index))
}

/** At most `max` characters of the text, and how many are missing, also when some were missing before. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const [tail = '', missing = '0'] = TAIL.exec(text) ?? []
  const whole = text.slice(0, text.length - tail.length)
  const points = Array.from(whole.slice(0, max))
  // Half of a surrogate pair is not a character.
  if (/[\ud800-\udbff]$/.test(points.at(-1) ?? '')) points.pop()
  const short = points.join('')
  const more = whole.length - short.length + Number(missing)
  return more === 0 ? text : `${short}… (+${more} characters)`
}

function visit(value: Json, path: readonly string[], look: (value: Json) => void): void {
  const [name, ...rest] = path
  if (name === undefined) look(value)
  else if (name === '*' && Array.isArray(value)) for (const item of value) visit(item, rest, look)
  else if (name === '*' && isMembers(value)) for (const list of listsIn(value)) visit(list, rest, look)
  else if (isMembers(value) && value[name] !== undefined) visit(value[name], rest, look)
}

function listsIn(value: Members): Json[][] {
  return Object.values(value).filter((member) => Array.isArray(member))
}

function replace(value: Members, path: readonly string[], change: (value: Json) => Json | undefined): Members {
  const [name, ...rest] = path
  if (name === '*') {
    const lists = Object.entries(value).filter(([, member]) => Array.isArray(member))
    return lists.reduce((all, [list]) => replace(all, [list, ...rest], change), value)
  }
  const member = name === undefined ? undefined : value[name]
  if (name === undefined || member === undefined) return value
  const next = rest.length === 0 ? change(member) : replaceIn(member, rest, change)
  if (next !== undefined) return { ...value, [name]: next }
  const { [name]: _, ...others } = value
  return others
}

function replaceIn(value: Json, path: readonly string[], change: (value: Json) => Json | undefined): Json {
  if (isMembers(value)) return replace(value, path, change)
  const [star, ...rest] = path
  if (star !== '*' || !Array.isArray(value)) return value
  return value.map((item) => (rest.length === 0 ? (change(item) ?? item) : replaceIn(item, rest, change)))
}
