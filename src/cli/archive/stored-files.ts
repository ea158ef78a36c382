import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createFileStore, type FileStore, type StoredFolder } from '../../service/errors/sourcemaps/files/file-store.ts'
import { systemPlatform } from '../../service/shared/platform.ts'
import type { Database } from '../../service/sql/database.ts'
import { openDatabase } from '../../service/sql/open/index.ts'
import { dataFiles } from './data-files.ts'
import { removeAbandoned } from './drafts.ts'
import type { Archive } from './write-archive.ts'

const folders: readonly StoredFolder[] = ['sourcemaps', 'uploads']

/** Stores the files of a data directory in a database that holds files; what it has already stays. */
export async function storeDataFiles(db: Database, dataDir: string): Promise<void> {
  const files = dataFiles(dataDir)
  for (const folder of folders) {
    const own = files.filter(({ name }) => name.startsWith(`${folder}/`))
    await requireStore(db).add(
      folder,
      own.map(({ name, path }) => ({ name: name.slice(folder.length + 1), file: path })),
    )
  }
}

/** Adds the files that a database holds to a backup, each by way of a file in the data directory. */
export async function addStoredFiles(
  archive: Archive,
  { dataDir, databaseUrl }: { dataDir: string; databaseUrl: string },
  added: Set<string>,
): Promise<void> {
  const db = await openDatabase(databaseUrl)
  const file = join(dataDir, `backup-${String(process.pid)}.file`)
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await removeAbandoned(dataDir)
    const store = requireStore(db)
    for (const folder of folders) {
      for (const name of await store.list(folder)) {
        const path = `${folder}/${name}`
        // One that is gone meanwhile was not needed any more.
        if (added.has(path) || !(await store.fetch(folder, { name, file }))) continue
        if (await archive.addFile(file, path)) added.add(path)
      }
    }
  } finally {
    await rm(file, { force: true })
    await db.close()
  }
}

function requireStore(db: Database): FileStore {
  const store = createFileStore({ db, platform: systemPlatform })
  if (store === undefined) throw new Error('this database holds no files')
  return store
}
