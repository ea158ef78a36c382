import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError, type Config } from '../config.ts'
import { sourceMapFolders } from '../service/errors/sourcemaps/uploads/folders.ts'
import { databaseProblem, explained, restoringFile } from '../service/sql/sqlite/database-file.ts'
import { NewerDatabase, newestVersion } from '../service/sql/migrations.ts'
import { migrate } from '../service/sql/sqlite/migrate.ts'
import { checkTarget, copyIntoPostgres } from '../service/sql/moving/into-postgres.ts'
import { lockSource } from '../service/sql/moving/source.ts'
import type { Database } from '../service/sql/database.ts'
import { indexTexts } from '../service/start/index-texts.ts'
import { DATABASE } from './archive/manifest.ts'
import { removeAbandoned } from './archive/drafts.ts'
import { openArchive, type OpenArchive } from './archive/read-archive.ts'
import { showCopy } from './archive/copy-progress.ts'
import { storeDataFiles } from './archive/stored-files.ts'
import { makeDataDir } from './support/data-dir.ts'
import { keepPort, keptPort } from './support/data-port.ts'
import { plain } from './support/finding.ts'
import type { Io } from './support/io.ts'
import { untilStopped } from './support/stop.ts'

/**
 * `tracegate restore FILE`: a backup into an empty data directory or, with TRACEGATE_DATABASE_URL, an empty PostgreSQL
 * database, whichever it was made from. No service opens either until all is there; an interrupted restore is repeated.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const file = resolve(config.operands[0] ?? '')
  const archive = await openArchive(file)
  try {
    const { schema_version: backed, made_at: madeAt, port } = archive.manifest
    const newest = newestVersion('sqlite')
    if (backed > newest)
      throw new ConfigError(`${file} cannot be restored: ${new NewerDatabase(backed, newest).message}`)
    makeDataDir(config.dataDir)
    if (config.databaseUrl === undefined) await intoDirectory(archive, config.dataDir)
    else await intoPostgres(archive, { dataDir: config.dataDir, url: config.databaseUrl, io })
    if (port !== undefined && keptPort(config.dataDir) === undefined) keepPort(config.dataDir, port)
    io.stdout.write(`${[...restored(config, madeAt), ...portLine(config, port)].map(plain).join('\n')}\n`)
    return 0
  } finally {
    archive.close()
  }
}

async function intoDirectory(archive: OpenArchive, dataDir: string): Promise<void> {
  const file = join(dataDir, 'tracegate.db')
  const unfinished = restoringFile(file)
  requireEmpty(dataDir, { isRepeated: existsSync(unfinished) })
  // From here on, and until it has its name, no service opens the directory.
  await removeJournal(unfinished)
  await archive.extract(DATABASE, unfinished)
  for (const name of archive.names) await extractFile(archive, dataDir, name)
  prepare(unfinished)
  await rename(unfinished, file)
}

/** That of a restore which was killed: SQLite would bring back the pages of the file that was there. */
async function removeJournal(file: string): Promise<void> {
  for (const end of ['-journal', '-wal', '-shm']) await rm(file + end, { force: true })
}

/** Throws for a directory with data. The token and the secret of an earlier service may be there, and stay. */
function requireEmpty(dataDir: string, { isRepeated }: { isRepeated: boolean }): void {
  const database = ['tracegate.db', 'tracegate.db-wal'].find((name) => sizeAt(join(dataDir, name)) > 0)
  const folders = isRepeated ? [] : Object.values(sourceMapFolders(dataDir))
  const found = database ?? folders.find((folder) => existsSync(folder) && readdirSync(folder).length > 0)
  if (found === undefined) return
  throw new ConfigError(
    `${dataDir} has data already (${resolve(dataDir, found)}): name an empty directory with --data, or move that away`,
  )
}

function sizeAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Checks all of the database, and brings it to the newest schema. */
function prepare(file: string): void {
  const problem = databaseProblem(file)
  if (problem !== undefined) throw new ConfigError(`the database of the backup cannot be used: ${problem}`)
  const connection = new DatabaseSync(file)
  try {
    explained(file, () => migrate(connection))
  } finally {
    connection.close()
  }
}

async function extractFile(archive: OpenArchive, dataDir: string, name: string): Promise<void> {
  const target = join(dataDir, name)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  await archive.extract(name, target)
}

async function intoPostgres(
  archive: OpenArchive,
  { dataDir, url, io }: { dataDir: string; url: string; io: Io },
): Promise<void> {
  await checkTarget(url)
  await removeAbandoned(dataDir)
  const copy = join(dataDir, `restoring-${String(process.pid)}.db`)
  const signal = untilStopped(io)
  const progress = showCopy(io.stderr)
  try {
    await removeJournal(copy)
    await archive.extract(DATABASE, copy)
    for (const name of archive.names) await extractFile(archive, dataDir, name)
    const source = lockSource(copy)
    try {
      const beforeEnd = (db: Database) => storeDataFiles(db, dataDir)
      await copyIntoPostgres(source, { url, indexTexts, beforeEnd, signal, onProgress: (step) => progress.show(step) })
    } finally {
      source.close()
    }
  } finally {
    await rm(copy, { force: true })
    await removeJournal(copy)
  }
}

function restored({ dataDir, databaseUrl, secret }: Config, madeAt: string): string[] {
  const where = databaseUrl === undefined ? dataDir : 'the PostgreSQL database'
  const hasSecret = secret !== undefined || existsSync(join(dataDir, 'secret'))
  return [
    `Restored the backup of ${madeAt} into ${where}.`,
    existsSync(join(dataDir, 'token'))
      ? `The token in ${dataDir} stays if the backup knows it.`
      : 'The next start makes a new token for the owner; the tokens of everybody else stay valid.',
    ...(hasSecret ? [] : ['There is no secret: set TRACEGATE_SECRET to the old one, or signed links stop working.']),
  ]
}

/** What becomes of the port in the DSNs that applications have. */
function portLine({ dataDir }: Config, backed: number | undefined): string[] {
  if (backed === undefined) return []
  const named = `port ${String(backed)}, which the DSNs of the backup name`
  const kept = keptPort(dataDir)
  return kept === backed
    ? [`The directory keeps ${named}, for the next start.`]
    : [`The directory keeps port ${String(kept)}: start with --port to listen on ${named}.`]
}
