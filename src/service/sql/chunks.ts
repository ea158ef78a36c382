/** Values per statement, far below the most that SQLite (32,766) and PostgreSQL (65,535) bind. */
export const CHUNK = 400

/** The list in chunks that one statement can bind. */
export function* chunks<T>(list: readonly T[], size = CHUNK): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}
