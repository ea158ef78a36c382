import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Ends the name of a migration of PostgreSQL after which older programs cannot work. Without it, they go on while a newer
 * one migrates, and may start again afterwards (decision 101).
 */
export const BREAKING = '.breaking'

export interface Migration {
  version: number
  /** Of its file, without `.sql`. */
  name: string
  sql: string
}

/** Thrown for a database that a newer version of the program has written. */
export class NewerDatabase extends Error {
  constructor(version: number, known: number) {
    super(`it has schema version ${version}, this program knows ${known}: start the newer program`)
  }
}

/** The version that this program brings a database to. */
export function newestVersion(database: 'sqlite' | 'postgres'): number {
  return readMigrations(database).at(-1)?.version ?? 0
}

/** The numbered files of a database in order. Throws when a number after the first is missing or used twice. */
export function readMigrations(database: 'sqlite' | 'postgres'): Migration[] {
  // In the published package all modules are in the folder of `migrations`.
  const folder = join(import.meta.dirname, 'migrations', database)
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const migrations = files.map((file) => {
    const name = file.slice(0, -'.sql'.length)
    return {
      version: Number(name.slice(0, 4)),
      name,
      // Read when it is applied: at most starts none is.
      get sql() {
        return readFileSync(join(folder, file), 'utf8')
      },
    }
  })
  migrations.sort((left, right) => left.version - right.version)
  migrations.forEach((migration, index) => {
    const expected = (migrations[0]?.version ?? 1) + index
    if (migration.version !== expected) throw new Error(`migration ${migration.name} is not number ${expected}`)
  })
  return migrations
}
