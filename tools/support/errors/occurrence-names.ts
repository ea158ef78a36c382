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
  const beginnings = new Map<string, number>()
  for (const id of ids) {
    for (const length of LENGTHS) {
      const beginning = id.slice(0, length)
      beginnings.set(beginning, (beginnings.get(beginning) ?? 0) + 1)
    }
  }
  return (id) => {
    if (!ids.has(id) || !UUID.test(id)) return id
    return id.slice(
      0,
      LENGTHS.find((length) => beginnings.get(id.slice(0, length)) === 1),
    )
  }
}

/** Whether the text may be the beginning of an occurrence's id, as `occurrenceNames` cuts it. */
export function mayBeName(text: string): boolean {
  return BEGINNING.test(text)
}
