/** A statement with the values of its parameters. */
export interface Bound {
  text: string
  values: unknown[]
}

/** `$1`, `$2` in place of `?`, and `$1` in place of `?1`, outside of quotes. */
export function withNumbers(sql: string): string {
  return withNames(sql, (number) => `$${number}`)
}

/** Other names for the parameters of a statement, by their number from 1. */
export function withNames(sql: string, nameFor: (number: string) => string): string {
  let last = 0
  return sql.replace(/'[^']*'|"[^"]*"|\?(\d*)/g, (found, number: string | undefined) => {
    if (number === undefined) return found
    return nameFor(number === '' ? String(++last) : number)
  })
}

/**
 * A value as `pg` sends it. Flags are numbers in both databases. Text of PostgreSQL cannot hold NUL, which becomes U+FFFD.
 */
export function toBound(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '�') : value
  if (value === null || typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  throw new TypeError(`cannot bind a value of type ${typeof value}`)
}
