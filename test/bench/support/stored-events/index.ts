import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dayMs } from '../../../../src/service/shared/times.ts'
import { newestVersion } from '../../../../src/service/sql/migrations.ts'
import { fillCounters, fillOccurrences } from './fill.ts'
import { writeFacts } from './facts.ts'
import { plan, type StoredSize } from './plan.ts'
import { storePatterns } from './patterns.ts'
import { addTeamWork } from './team-work.ts'

/** A data directory that is filled. */
export interface StoredEvents {
  dataDir: string
  /** The time of the newest event, epoch milliseconds. */
  now: number
}

const PREFIX = 'tracegate-stored-events-'
/** The file that holds the time of the newest event. */
const MARK = 'stored-until'

/**
 * A data directory with so many issues and occurrences of the last 30 days, 90 % of them in the first product, for reading:
 * it is kept in the folder for temporary files for a day, by schema and version of this folder, and shared by all
 * measurements. Whoever writes takes a copy (`copyStoredEvents`).
 */
export async function storedEvents(size: StoredSize): Promise<StoredEvents> {
  removeOld()
  const state = createHash('sha256')
    .update(String(newestVersion('sqlite')))
    .update(ownText())
    .digest('hex')
    .slice(0, 12)
  const dataDir = join(tmpdir(), `${PREFIX}${state}-${String(size.issues)}-${String(size.occurrences)}`)
  if (!existsSync(dataDir)) {
    const draft = mkdtempSync(join(tmpdir(), `${PREFIX}draft-`))
    const now = Date.now()
    await fillDirectory(draft, size, now)
    writeFileSync(join(draft, MARK), String(now))
    renameSync(draft, dataDir)
  }
  return { dataDir, now: Number(readFileSync(join(dataDir, MARK), 'utf8')) }
}

/** Directories of yesterday: the periods of pages end now. */
function removeOld(): void {
  for (const name of readdirSync(tmpdir())) {
    const folder = join(tmpdir(), name)
    const isOld = name.startsWith(PREFIX) && statSync(folder).birthtimeMs < Date.now() - dayMs
    if (isOld) rmSync(folder, { recursive: true, force: true })
  }
}

/** The same in a fresh folder of the caller's, who may write into it. */
export async function copyStoredEvents(size: StoredSize, dataDir: string): Promise<StoredEvents> {
  const stored = await storedEvents(size)
  cpSync(stored.dataDir, dataDir, { recursive: true })
  return { ...stored, dataDir }
}

/**
 * Fills an empty directory: the first event of each issue goes through the service; its other occurrences are copies with
 * another time, place and user, and all counters are summed from them. Requirements, tests and statuses follow.
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
  await addTeamWork(dataDir, patterns, now)
}

/** What this folder writes is in its files. */
function ownText(): string {
  const files = readdirSync(import.meta.dirname).toSorted()
  return files.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('')
}
