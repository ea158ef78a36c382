import type * as z from 'zod'
import type { Received } from '../../client/api.ts'
import type { EventSummary } from '../../contract/events.ts'
import { forEach } from './for-each.ts'
import { openText } from './open.ts'
import { withoutNumbers } from './shape.ts'

type Row = Received<z.output<typeof EventSummary>>

/** At most `count` occurrences of a list, as different as possible by what the list says of them; see `spread`. */
export function spreadOccurrences<R extends Row>(rows: readonly R[], count: number): R[] {
  const masked = forEach(withoutNumbers)
  return spread(rows, count, ({ environment, release, level, handled, title, message, transaction, server_name }) => {
    const places = [environment, release].map(openText)
    const texts = [title, message, transaction, server_name].map(openText)
    return [...places, level ?? '', String(handled), ...texts.map(masked)]
  })
}

/**
 * At most `count` of the rows, in the order in which they should be read: first those with values that none before them
 * has, then those whose values were seen least, and among equals evenly over the list. `values` are the texts that a row
 * differs in, the most important ones first: each release gets in before each message does.
 */
export function spread<T>(rows: readonly T[], count: number, values: (row: T) => readonly string[]): T[] {
  const left = new Set(groupAlike(evenly(rows), values))
  const chosen: T[] = []
  const seen = new Map<string, number>()
  while (chosen.length < count && left.size > 0) {
    const next = mostTelling(left, seen)
    chosen.push(...next.rows.splice(0, 1).map(({ row }) => row))
    if (next.rows.length === 0) left.delete(next)
    for (const value of next.values) seen.set(value, (seen.get(value) ?? 0) + 1)
  }
  return chosen
}

/** Rows with the same values, which always tell the same. */
interface Alike<T> {
  values: readonly string[]
  rows: { row: T; place: number }[]
}

function groupAlike<T>(rows: readonly T[], values: (row: T) => readonly string[]): Alike<T>[] {
  const groups = new Map<string, Alike<T>>()
  for (const [place, row] of rows.entries()) {
    const own = values(row)
    const key = JSON.stringify(own)
    const group = groups.get(key) ?? { values: own.map((value, at) => `${String(at)} ${value}`), rows: [] }
    groups.set(key, group)
    group.rows.push({ row, place })
  }
  return [...groups.values()]
}

/** The group that tells most; of equal ones that with the first row. */
function mostTelling<T>(groups: ReadonlySet<Alike<T>>, seen: ReadonlyMap<string, number>): Alike<T> {
  let best: { group: Alike<T>; tells: number; place: number } | undefined
  for (const group of groups) {
    const { length } = group.values
    const place = group.rows[0]?.place ?? Infinity
    const tells = group.values.reduce((sum, value, at) => {
      const times = seen.get(value) ?? 0
      // A value that none before has tells more than all that follow it in the row.
      return sum + (times === 0 ? (length + 1) * 2 ** (length - at) : 1 / (1 + times))
    }, 0)
    if (best === undefined || tells > best.tells || (tells === best.tells && place < best.place)) {
      best = { group, tells, place }
    }
  }
  if (best === undefined) throw new RangeError('there is no row to choose')
  return best.group
}

/** The list in an order whose beginnings are spread over it: first, last, middle, quarters, … */
function evenly<T>(list: readonly T[]): T[] {
  const order = new Set<number>()
  for (let parts = 1; order.size < list.length; parts *= 2) {
    for (let part = 0; part <= parts; part += 1) order.add(Math.round((part * (list.length - 1)) / parts))
  }
  return Array.from(order, (index) => list[index] as T)
}
