import { openEvent } from './open.ts'

/**
 * At most `count` of the rows, spread over what `kind` says of them (the texts that a row differs in, such as its release
 * and its message), and within a kind evenly over the list. The order stays.
 */
export function spread<T extends object>(rows: readonly T[], count: number, kind: (row: T) => readonly unknown[]): T[] {
  const kinds = Map.groupBy(rows, (row) => JSON.stringify(kind(row).map(openEvent)))
  const orders = Array.from(kinds.values(), evenly)
  const chosen = new Set<T>()
  for (let turn = 0; chosen.size < Math.min(count, rows.length); turn += 1) {
    for (const order of orders) {
      const row = order[turn]
      if (row !== undefined && chosen.size < count) chosen.add(row)
    }
  }
  return rows.filter((row) => chosen.has(row))
}

/** The list in an order whose beginnings are spread over it: first, last, middle, quarters, … */
function evenly<T>(list: readonly T[]): T[] {
  const order = new Set<number>()
  for (let parts = 1; order.size < list.length; parts *= 2) {
    for (let part = 0; part <= parts; part += 1) order.add(Math.round((part * (list.length - 1)) / parts))
  }
  return Array.from(order, (index) => list[index] as T)
}
