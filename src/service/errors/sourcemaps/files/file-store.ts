import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Platform } from '../../../shared/context.ts'
import { chunks } from '../../../sql/chunks.ts'
import type { Database, Rows } from '../../../sql/database.ts'
import { createSteps, removeLost, writeFile, writeParts, type Head } from './parts.ts'

/** How often to begin again with a file that is replaced while it is read. */
const ATTEMPTS = 3

/** The folders of a data directory that are kept in the database. */
export type StoredFolder = 'uploads' | 'sourcemaps'

/**
 * Files in the database, for processes that do not share a disk (decision 096). A reader finds a file whole or not at all:
 * its bytes are written in parts that nobody knows before its row.
 */
export interface FileStore {
  has(folder: StoredFolder, name: string): Promise<boolean>
  /** The names of all files of a folder. */
  list(folder: StoredFolder): Promise<string[]>
  /** Bytes of all files of a folder. */
  heldBytes(folder: StoredFolder): Promise<number>
  /**
   * Stores a file in place of the one of that name. `check` runs in the transaction that makes the file visible; when it
   * throws, nothing has changed.
   */
  replace(folder: StoredFolder, stored: LocalFile, check: (rows: Rows) => Promise<void>): Promise<void>
  /** Stores the files whose names the folder does not have, and lets the others count as made now. */
  add(folder: StoredFolder, files: readonly LocalFile[]): Promise<void>
  /**
   * Writes a file of the database to a path, whole and flushed or not at all, and creates its folder. Resolves to false when
   * the database does not have it.
   */
  fetch(folder: StoredFolder, { name, file }: LocalFile): Promise<boolean>
  remove(folder: StoredFolder, names: readonly string[]): Promise<void>
  /** Removes the files of a folder that were made before a time. */
  removeOld(folder: StoredFolder, before: number, signal: AbortSignal): Promise<void>
  /** Removes parts from before a time that no file has: of interrupted writes, and of files whose rows are gone. */
  sweep(before: number, signal: AbortSignal): Promise<void>
}

/** The name of a file in its folder, and its path on this machine. */
export interface LocalFile {
  name: string
  file: string
}

/** Reads the files of such a store; undefined where the files of this process are the only ones. */
export function createFileReader(read: Rows): Pick<FileStore, 'fetch'> | undefined {
  if (!read.dialect.holdsFiles) return undefined
  return {
    async fetch(folder, { name, file }) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      for (let attempt = 1; ; attempt++) {
        const head = await readHead(read, folder, name)
        if (head === undefined) return false
        if (await writeFile(read, head, file)) return true
        if (attempt === ATTEMPTS) throw new Error('a stored file lacks parts')
      }
    },
  }
}

/** The store of a database that several machines may use; undefined where the files of this process are the only ones. */
export function createFileStore({ db, platform }: { db: Database; platform: Platform }): FileStore | undefined {
  const reader = createFileReader(db.read)
  if (reader === undefined) return undefined
  const never = new AbortController().signal

  async function removeParts(bodies: readonly string[]): Promise<void> {
    for (const body of bodies) await removeLost(db, { where: 'part.body = ?', value: body, signal: never })
  }

  return {
    ...reader,

    async has(folder, name) {
      return (await readHead(db.read, folder, name)) !== undefined
    },

    async list(folder) {
      const found = await db.read
        .selectFrom('stored_file')
        .select('name')
        .where('folder', '=', folder)
        .orderBy('name')
        .execute()
      return found.map(({ name }) => name)
    },

    async heldBytes(folder) {
      const found = await db.read
        .selectFrom('stored_file')
        .select((eb) => eb.fn.sum<number | null>('bytes').as('bytes'))
        .where('folder', '=', folder)
        .executeTakeFirst()
      return found?.bytes ?? 0
    },

    async replace(folder, { name, file }, check) {
      const body = platform.newId()
      try {
        const steps = createSteps(db)
        const bytes = await writeParts(steps, { file, body, madeAt: platform.now() })
        await steps.flush()
        const before = await db.write(async (rows, prepare) => {
          await check(rows)
          const known = await readHead(rows, folder, name)
          await prepare(
            `INSERT INTO stored_file (folder, name, body, bytes, made_at) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (folder, name)
             DO UPDATE SET body = excluded.body, bytes = excluded.bytes, made_at = excluded.made_at`,
          ).run(folder, name, body, bytes, platform.now())
          return known
        })
        // What is left is removed by `sweep`.
        if (before !== undefined) await removeParts([before.body]).catch(ignore)
      } catch (thrown) {
        await removeParts([body]).catch(ignore)
        throw thrown
      }
    },

    async add(folder, files) {
      const steps = createSteps(db)
      for (const some of chunks(files)) {
        const known = await renew(db, { folder, names: some.map(({ name }) => name), now: platform.now() })
        for (const { name, file } of some) {
          if (known.has(name)) continue
          const body = platform.newId()
          const madeAt = platform.now()
          const bytes = await writeParts(steps, { file, body, madeAt })
          // Of another process that has just added it, the first one stays: it may be being read.
          await steps.take(0, async (prepare) => {
            await prepare(
              `INSERT INTO stored_file (folder, name, body, bytes, made_at) VALUES (?, ?, ?, ?, ?)
               ON CONFLICT (folder, name) DO UPDATE SET made_at = excluded.made_at`,
            ).run(folder, name, body, bytes, madeAt)
          })
        }
      }
      await steps.flush()
    },

    async remove(folder, names) {
      if (names.length === 0) return
      const gone = await db.write((rows) =>
        rows
          .deleteFrom('stored_file')
          .where('folder', '=', folder)
          .where(rows.dialect.isOneOf('name', names))
          .returning('body')
          .execute(),
      )
      await removeParts(gone.map(({ body }) => body))
    },

    async removeOld(folder, before, signal) {
      await db.write((rows) =>
        rows.deleteFrom('stored_file').where('folder', '=', folder).where('made_at', '<', before).execute(),
      )
      await sweep(before, signal)
    },

    sweep,
  }

  async function sweep(before: number, signal: AbortSignal): Promise<void> {
    await removeLost(db, { where: 'part.made_at < ?', value: before, signal })
  }
}

function readHead(rows: Rows, folder: StoredFolder, name: string): Promise<Head | undefined> {
  return rows
    .selectFrom('stored_file')
    .select(['body', 'bytes'])
    .where('folder', '=', folder)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** Lets files count as made now, so that they are not removed before somebody refers to them; their names. */
async function renew(
  db: Database,
  { folder, names, now }: { folder: StoredFolder; names: readonly string[]; now: number },
): Promise<Set<string>> {
  const known = await db.write((rows) =>
    rows
      .updateTable('stored_file')
      .set({ made_at: now })
      .where('folder', '=', folder)
      .where(rows.dialect.isOneOf('name', names))
      .returning('name')
      .execute(),
  )
  return new Set(known.map(({ name }) => name))
}

function ignore(): void {}
