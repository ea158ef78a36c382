import { sortMembers } from '../../../lib/objects.ts'

/** A JSON text that equal values share, whatever the order of the members of objects. */
export function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) => sortMembers(part))
}
