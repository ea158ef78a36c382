import type { Endpoint } from '../../contract/base/endpoint.ts'
import { sortMembers, type Row } from './filters.ts'
import type { Request } from './parameters.ts'

interface Ordered {
  rows: readonly Row[]
  /** `sort` where the deployment did not apply it: to `filteredHere` if the rows were sorted here, else to `notApplied`. */
  filteredHere: readonly 'sort'[]
  notApplied: readonly 'sort'[]
}

/**
 * The rows in the order that was asked for, which a deployment may not know. They are sorted here only if they are the whole
 * list: a part in the right order would look like its beginning.
 */
export function inOrder(endpoint: Endpoint, request: Request, rows: readonly Row[], isWhole: boolean): Ordered {
  const { sort } = request
  const members = sortMembers.get(endpoint) ?? []
  const asStated: Ordered = { rows, filteredHere: [], notApplied: [] }
  if (typeof sort !== 'string' || !members.includes(sort)) return asStated
  const isOrdered = rows.every((row, index) => index === 0 || descending(rows[index - 1]?.[sort], row[sort]) <= 0)
  if (isOrdered) return asStated
  if (!isWhole) return { ...asStated, notApplied: ['sort'] }
  return {
    ...asStated,
    rows: rows.toSorted((one, other) => descending(one[sort], other[sort])),
    filteredHere: ['sort'],
  }
}

function descending(one: unknown, other: unknown): number {
  const [first, second] = [sortValue(one), sortValue(other)]
  return first === undefined || second === undefined ? 0 : second - first
}

function sortValue(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Date.parse(value) : value
  return typeof number === 'number' && !Number.isNaN(number) ? number : undefined
}
