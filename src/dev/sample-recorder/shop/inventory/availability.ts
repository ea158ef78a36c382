import type { Warehouse } from './warehouse.ts'

export interface Availability {
  sku: string
  pieces: number
  city: string
}

/** Where an article is on the shelf: the warehouse with the most pieces. A silent warehouse is left out. */
export async function availability(sku: string, warehouses: readonly Warehouse[]): Promise<Availability> {
  const answers = await Promise.allSettled(warehouses.map((warehouse) => ask(warehouse, sku)))
  const known = answers.filter((answer) => answer.status === 'fulfilled').map((answer) => answer.value)
  const [most] = known.toSorted((left, right) => right.pieces - left.pieces)
  if (most) return most
  throw new AggregateError(
    answers.filter((answer) => answer.status === 'rejected').map((answer) => answer.reason),
    `no warehouse answers for ${sku}`,
  )
}

async function ask(warehouse: Warehouse, sku: string): Promise<Availability> {
  return { sku, pieces: await warehouse.stockOf(sku), city: warehouse.city }
}
