import { existsSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError, type Config } from '../config.ts'
import { ServiceError } from '../errors.ts'
import { sourceMapFolders } from '../service/errors/sourcemaps/uploads/folders.ts'
import { createDatabaseFile, explained, explainFailure, isBlank } from '../service/sql/sqlite/database-file.ts'
import { isMigrated, schemaVersion } from '../service/sql/sqlite/migrate.ts'
import { copyIntoSqlite } from '../service/sql/moving/into-sqlite.ts'
import { isDiskFull } from '../service/sql/sqlite/passing-failures.ts'
import { indexTexts } from '../service/start/index-texts.ts'
import { counted } from '../lib/counted.ts'
import { version } from '../version.ts'
import { dataFiles } from './archive/data-files.ts'
import { newDrafts, removeAbandoned } from './archive/drafts.ts'
import { cannotWrite, fileSentence, isOfFile } from './files/failures.ts'
import { DATABASE, MANIFEST, type Manifest } from './archive/manifest.ts'
import { addStoredFiles } from './archive/stored-files.ts'
import { createArchive, type Archive } from './archive/write-archive.ts'
import { showCopy } from './archive/copy-progress.ts'
import { keptPort } from './support/data-port.ts'
import { plain } from './support/finding.ts'
import type { Io } from './support/io.ts'
import { sizeText } from './files/size-text.ts'
import { untilStopped } from './support/stop.ts'

const BUSY_TIMEOUT_MS = 5_000

/**
 * `tracegate backup FILE`: the database as of one moment, and the files that belong to it, in one zip. Servers may run
 * meanwhile. The file appears when it is whole; one that exists is refused.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const file = resolve(config.operands[0] ?? '')
  if (existsSync(file)) throw new ConfigError(`${file} exists already: name a new file`)
  const { zip, database: copy, remove } = newDrafts(file)
  const signal = untilStopped(io)
  try {
    await removeAbandoned(dirname(file))
    const archive = createArchive(zip, signal)
    const added = new Set<string>()
    // Before and after the database: no row of it lacks its file because retention removed the one or an upload added it.
    await addFiles(archive, config, added)
    await copyDatabase(config, copy, { io, signal })
    await archive.addFile(copy, DATABASE)
    await addFiles(archive, config, added)
    archive.addText(`${JSON.stringify(describe(config, copy), undefined, 2)}\n`, MANIFEST)
    await archive.end()
    await rename(zip, file)
    io.stdout.write(`${written(file, added.size).map(plain).join('\n')}\n`)
    return 0
  } catch (error) {
    if (signal.aborted) throw new ServiceError('unavailable', 'stopped: there is no backup', { cause: error })
    if (!isOfFile(error)) throw error
    // The system names no file where a disk is full.
    throw isOfData(error, config.dataDir)
      ? new ConfigError(fileSentence(error), { cause: error })
      : cannotWrite(file, error)
  } finally {
    await remove()
  }
}

/** Whether it is about a file that the backup reads. */
function isOfData({ path = '' }: NodeJS.ErrnoException, dataDir: string): boolean {
  return Object.values(sourceMapFolders(dataDir)).some((folder) => path === folder || path.startsWith(folder + sep))
}

async function addFiles(archive: Archive, { dataDir, databaseUrl }: Config, added: Set<string>): Promise<void> {
  if (databaseUrl !== undefined) return addStoredFiles(archive, { dataDir, databaseUrl }, added)
  for (const { name, path } of dataFiles(dataDir)) {
    if (!added.has(name) && (await archive.addFile(path, name))) added.add(name)
  }
}

/** Makes an SQLite file of the data, wherever it is. */
async function copyDatabase(
  { dataDir, databaseUrl }: Config,
  copy: string,
  { io, signal }: { io: Io; signal: AbortSignal },
): Promise<void> {
  if (databaseUrl === undefined) return copySqlite(join(dataDir, 'tracegate.db'), copy)
  const progress = showCopy(io.stderr)
  const onProgress = progress.show.bind(progress)
  await copyIntoSqlite({ url: databaseUrl, file: copy, indexTexts, signal, onProgress })
}

/** One transaction that reads: a server goes on writing, and what it writes is not in the copy. */
function copySqlite(file: string, copy: string): void {
  if (!existsSync(file) || statSync(file).size === 0)
    throw new ConfigError(`there is no database at ${file}: name the directory with --data`)
  createDatabaseFile(copy)
  const connection = explained(file, () => new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }))
  try {
    if (isBlank(connection)) throw new ConfigError(`there is no data in ${file} yet: the next start creates it`)
    if (!isMigrated(connection))
      throw new ConfigError(`${file} is not a database of Tracegate: it has no schema version`)
    connection.prepare('VACUUM INTO ?').run(copy)
  } catch (error) {
    // The database is only read.
    if (isDiskFull(error))
      throw new ConfigError(`the backup cannot be written: the disk of ${dirname(copy)} is full`, { cause: error })
    throw explainFailure(file, error)
  } finally {
    connection.close()
  }
}

function describe({ dataDir, databaseUrl }: Config, copy: string): Manifest {
  const connection = new DatabaseSync(copy, { readOnly: true })
  try {
    return {
      format: 'tracegate-backup',
      format_version: 1,
      program: version,
      schema_version: schemaVersion(connection),
      database: databaseUrl === undefined ? 'sqlite' : 'postgres',
      made_at: new Date().toISOString(),
      port: keptPort(dataDir),
    }
  } finally {
    connection.close()
  }
}

function written(file: string, files: number): string[] {
  const size = sizeText(statSync(file).size)
  return [
    `Wrote ${file}: ${size}, the database and ${counted(files, 'source map file')}.`,
    'It contains no usable token and no secret: keep TRACEGATE_SECRET, or the file secret of the data directory, in another',
    'place. Without the secret, signed links and upload addresses stop working.',
  ]
}
