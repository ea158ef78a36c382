import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../src/service/sql/sqlite/sqlite.ts'

let empty: Promise<Uint8Array> | undefined

/** A database file of the newest schema without rows: to migrate a new one takes longer than many a test. */
export function emptyDatabase(): Promise<Uint8Array> {
  return (empty ??= migrated())
}

async function migrated(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-empty-'))
  const file = join(folder, 'tracegate.db')
  await (await openSqlite(file)).close()
  const bytes = readFileSync(file)
  rmSync(folder, { recursive: true })
  return bytes
}
