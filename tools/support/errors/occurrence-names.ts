/** The lengths of a UUID's beginnings that end with one of its groups; the first is the time of an id of version 7. */
const LENGTHS = [13, 18, 23]
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const BEGINNING = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){1,3}$/i

/**
 * What occurrences are called in a result: by the shortest beginning of the id that no other of them has. A UUID costs 23
 * tokens, its beginning 9. An id that is not among `newest` stays whole, as does one that is no UUID.
 */
export function occurrenceNames(newest: readonly { id: string }[]): (id: string) => string {
  const ids = new Set(newest.map(({ id }) => id))
  const length = LENGTHS.find((count) => new Set(Array.from(ids, (id) => id.slice(0, count))).size === ids.size)
  return (id) => (length === undefined || !ids.has(id) || !UUID.test(id) ? id : id.slice(0, length))
}

/** Whether the text may be the beginning of an occurrence's id, as `occurrenceNames` cuts it. */
export function mayBeName(text: string): boolean {
  return BEGINNING.test(text)
}
