import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newestVersion } from '../../../../src/service/sql/migrate.ts'
import { fillCounters, fillOccurrences } from './fill.ts'
import { writeFacts } from './facts.ts'
import { plan, type StoredSize } from './plan.ts'
import { closeIssues, storePatterns } from './patterns.ts'

/** A data directory that is filled. */
export interface StoredEvents {
  dataDir: string
  /** The time of the newest event, epoch milliseconds. */
  now: number
}

const PREFIX = 'tracegate-stored-events-'

/**
 * A data directory with so many issues and occurrences of the last 30 days, 90 % of them in the first product, for reading:
 * it is kept in the folder for temporary files and shared by all measurements of a day. Whoever writes takes a copy
 * (`copyStoredEvents`). Directories of another day or schema are removed.
 */
export async function storedEvents(size: StoredSize): Promise<StoredEvents> {
  const day = new Date().toISOString().slice(0, 10)
  const state = createHash('sha256')
    .update(`${day} ${String(newestVersion())}`)
    .digest('hex')
    .slice(0, 12)
  for (const name of readdirSync(tmpdir())) {
    const isOld = name.startsWith(PREFIX) && !name.includes(`-${state}-`)
    if (isOld) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  const dataDir = join(tmpdir(), `${PREFIX}${state}-${String(size.issues)}-${String(size.occurrences)}`)
  const mark = join(dataDir, 'stored-until')
  if (!existsSync(mark)) {
    const draft = mkdtempSync(join(tmpdir(), `${PREFIX}${state}-draft-`))
    const now = Date.now()
    await fillDirectory(draft, size, now)
    writeFileSync(join(draft, 'stored-until'), String(now))
    rmSync(dataDir, { recursive: true, force: true })
    renameSync(draft, dataDir)
  }
  return { dataDir, now: Number(readFileSync(mark, 'utf8')) }
}

/** The same in a fresh folder of the caller's, who may write into it. */
export async function copyStoredEvents(size: StoredSize, dataDir: string): Promise<StoredEvents> {
  const stored = await storedEvents(size)
  cpSync(stored.dataDir, dataDir, { recursive: true })
  return { ...stored, dataDir }
}

/**
 * Fills an empty directory: the first event of each issue goes through the service; its other occurrences are copies with
 * another time, place and user, and all counters are summed from them.
 */
export async function fillDirectory(dataDir: string, size: StoredSize, now: number): Promise<void> {
  const planned = plan(size, now)
  const patterns = await storePatterns(dataDir, planned, size.issues)
  const db = new DatabaseSync(join(dataDir, 'tracegate.db'))
  db.exec(
    'PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY',
  )
  db.exec('BEGIN')
  writeFacts(db, planned, patterns)
  fillOccurrences(db)
  fillCounters(db, now)
  db.exec('COMMIT; PRAGMA journal_mode = WAL')
  db.close()
  await closeIssues(dataDir, patterns, now)
}
