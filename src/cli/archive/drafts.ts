import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A command that has written to none of its drafts for so long was killed, or has opened what it still reads. */
const ABANDONED_MS = 12 * 60 * 60_000

/** Files that a backup is made of. */
export interface Drafts {
  /** The zip, until it takes the name of the backup. */
  zip: string
  /** The copy of the database. */
  database: string
  /** Never fails: the failure of what was made of them is what counts. */
  remove(this: void): Promise<void>
}

/** Names of drafts; the part in the group is that of one command. */
const names = [
  /^(\.tracegate-backup-[\da-f-]{36})\.(?:unfinished|database(?:-journal)?)$/,
  // In the data directory, from and for a PostgreSQL database.
  /^(backup-\d+)\.file$/,
  /^(restoring-\d+)\.db(?:-journal|-wal|-shm)?$/,
]

/** Names for the drafts of a new backup in the folder of its file, which move there at once. */
export function newDrafts(file: string): Drafts {
  const own = join(dirname(file), `.tracegate-backup-${randomUUID()}`)
  const [zip, database] = [`${own}.unfinished`, `${own}.database`]
  return { zip, database, remove: () => removeAll([zip, database, `${database}-journal`]) }
}

/** Removes the drafts in a folder that belong to a `backup` or a `restore` which was killed. */
export async function removeAbandoned(folder: string): Promise<void> {
  const found = await readdir(folder).catch(() => [])
  for (const [command, drafts] of Map.groupBy(found, commandName)) {
    if (command === undefined) continue
    const paths = drafts.map((name) => join(folder, name))
    const written = await Promise.all(
      paths.map(async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0),
    )
    if (Date.now() - Math.max(...written) >= ABANDONED_MS) await removeAll(paths)
  }
}

function commandName(name: string): string | undefined {
  return names.map((pattern) => pattern.exec(name)?.[1]).find((command) => command !== undefined)
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true }).catch(() => {})
}
