export type JsonObject = Record<string, unknown>

/** Whether a value is what JSON calls an object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object with its members in the order of their names; any other value unchanged; for a replacer of `JSON.stringify`. */
export function sortMembers(value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value
}
