import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { ServiceError } from '../../../errors.ts'
import { explained, explainFailure } from '../sqlite/database-file.ts'
import { migrate } from '../sqlite/migrate.ts'
import { isBusy } from '../sqlite/passing-failures.ts'

/** How long to wait for other processes to close the database. */
const BUSY_TIMEOUT_MS = 5_000

/** An SQLite database that nobody else can open until it is closed. */
export interface Source {
  file: string
  connection: DatabaseSync
  /** Another one after each change of the database: whether a copy that was interrupted can go on. */
  fingerprint: string
  close(): void
}

/**
 * Opens the database for a copy of it, brings it to the newest schema, and keeps it from all other processes: a server, or
 * an agent's `tracegate stdio`, would go on writing to it after the copy. Throws `unavailable` while another process has it
 * open, and `failed_precondition` for a file that cannot be used.
 */
export function lockSource(file: string, { busyTimeoutMs = BUSY_TIMEOUT_MS } = {}): Source {
  const connection = explained(file, () => new DatabaseSync(file, { timeout: busyTimeoutMs }))
  // Closed after the connection: the system lets go of all locks of a process on a file when it closes any descriptor of it.
  const descriptor = explained(file, () => openSync(file, 'r'))
  const close = () => {
    connection.close()
    closeSync(descriptor)
  }
  try {
    // With a WAL this lock is refused while another process has the file open, even one that only waits.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    migrate(connection)
    // The fingerprint covers the database file only, so nothing may remain in the WAL.
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.exec('BEGIN IMMEDIATE')
    return { file, connection, fingerprint: fingerprint(file, descriptor), close }
  } catch (error) {
    close()
    if (isBusy(error)) throw inUse(file, error)
    throw explainFailure(file, error)
  }
}

function inUse(file: string, cause: unknown): ServiceError {
  const message = `the database ${file} is in use: stop the server (tracegate serve) and the agents that run tracegate on this data directory, then repeat`
  return new ServiceError('unavailable', message, { reason: 'DATABASE_BUSY', cause })
}

/** Of the time of the last change, the size, and the counters in the header (sqlite.org/fileformat2.html, 1.3). */
function fingerprint(file: string, descriptor: number): string {
  const { size, mtimeNs } = fstatSync(descriptor, { bigint: true })
  const wal = `${file}-wal`
  if (existsSync(wal) && statSync(wal).size > 0) throw new Error(`${wal} is not empty`)
  const header = Buffer.alloc(100)
  readSync(descriptor, header, 0, header.length, 0)
  return [mtimeNs, size, header.toString('hex', 24, 28), header.toString('hex', 92, 96)].map(String).join('-')
}
