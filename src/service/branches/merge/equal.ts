import { isObject } from '../../../lib/objects.ts'

/** Whether two JSON values are the same, whatever the order of the members of objects. */
export function isEqual(one: unknown, other: unknown): boolean {
  return one === other || canonical(one) === canonical(other)
}

/** A JSON text that equal values share. */
export function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}
