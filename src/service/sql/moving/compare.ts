import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import { quotedNames, type Table } from './tables.ts'

/** What two databases compare of a table: its rows, and the sum of the first 32 bits of each key's SHA-256. */
export interface Sum {
  rows: number
  keys: number
}

/** The separator of the columns of a key; it is in no text of PostgreSQL that came from a file. */
const SEPARATOR = '\u001f'

export function sumInSqlite(connection: DatabaseSync, { name, key }: Table): Sum {
  const statement = connection.prepare(`SELECT ${quotedNames(key)} FROM "${name}"`)
  statement.setReturnArrays(true)
  let [rows, keys] = [0, 0]
  for (const values of statement.iterate() as Iterable<unknown>) {
    const text = (values as unknown[]).map(String).join(SEPARATOR).replaceAll('\0', '\u{fffd}')
    rows += 1
    keys += hash('sha256', text, 'buffer').readUInt32BE(0)
  }
  return { rows, keys }
}

export async function sumInPostgres(client: Client, { name, key }: Table): Promise<Sum> {
  const text = `concat_ws(E'\\x1f', ${quotedNames(key)})`
  const bits = `('x' || encode(substr(sha256(convert_to(${text}, 'UTF8')), 1, 4), 'hex'))::bit(32)::bigint`
  const { rows } = await client.query<Sum>(`SELECT count(*) AS rows, coalesce(sum(${bits}), 0) AS keys FROM "${name}"`)
  // An aggregate has one row.
  return rows[0]!
}
