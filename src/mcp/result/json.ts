/** What a result is made of once it is cleaned. */
export type Json = string | number | boolean | null | Json[] | Members
export type Members = { [name: string]: Json }

/** A list of objects with at least one in it. */
export function isRows(value: Json | undefined): value is Members[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMembers)
}

/** An object, not a list. */
export function isMembers(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
