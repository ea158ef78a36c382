/** Reads members of a structured result. Their types are checked: a host may pass on anything. */
export type Members = Readonly<Record<string, unknown>>

/** Objects of a list, which a long result sends as columns and rows. */
export function listed(given: unknown): Members[] | undefined {
  if (Array.isArray(given)) return given.map(members)
  const { columns, rows } = members(given)
  if (!Array.isArray(columns) || !Array.isArray(rows)) return undefined
  return rows.map((row: unknown) =>
    Object.fromEntries(
      columns.flatMap((column: unknown, index) => {
        const cell: unknown = Array.isArray(row) ? row[index] : undefined
        return cell === null || cell === undefined ? [] : [[String(column), cell]]
      }),
    ),
  )
}

/** An object, or one without members. */
export function members(given: unknown): Members {
  return typeof given === 'object' && given !== null ? (given as Members) : {}
}

/** A string that says something. */
export function text(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined
}

/** A time to the minute, in UTC. */
export function shownTime(given: unknown): string | undefined {
  return text(given)
    ?.replace(/(T\d\d:\d\d):\d\d(?:\.\d+)?(?=Z|[+-])/, '$1')
    .replace('T', ' ')
    .replace('Z', ' UTC')
}
