import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { ConfigError } from '../../config.ts'
import { newestVersion } from '../../service/sql/migrations.ts'
import { explainFailure, storedVersion } from '../../service/sql/sqlite/database-file.ts'
import { isBusy } from '../../service/sql/sqlite/passing-failures.ts'
import { tryWriting, writeWhole } from '../files/failures.ts'
import { checkHealth } from './health.ts'

/** The addresses that `serve` gives other programs of this user: `mcp` ends in `/mcp`, `rest` and `ingest` are base addresses. */
const Endpoints = z.object({
  mcp: z.string(),
  rest: z.string(),
  ingest: z.string(),
  dsn: z.string(),
  product_id: z.string(),
  token: z.string(),
})
export type Endpoints = z.output<typeof Endpoints>

const filePath = (dataDir: string) => join(dataDir, 'endpoints.json')

/** Writes `endpoints.json` atomically, readable only by its owner: it holds the token. */
export function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeWhole(filePath(dataDir), `${JSON.stringify(endpoints, undefined, 2)}\n`)
}

/** The endpoints of the server on this data directory; undefined when none has written them. */
export function readEndpoints(dataDir: string): Endpoints | undefined {
  try {
    return Endpoints.parse(JSON.parse(readFileSync(filePath(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

/** Removes `endpoints.json` if it is still ours: another server may have replaced it. */
export function removeEndpoints(dataDir: string, ours: Endpoints): void {
  if (readEndpoints(dataDir)?.mcp === ours.mcp) rmSync(filePath(dataDir), { force: true })
}

/**
 * Throws where opening the SQLite database would upgrade it beneath an older server, which could write no more until it is
 * started again (decision 101): an agent's client may start a newer version at any time.
 */
export async function requireNoOlderServer(dataDir: string): Promise<void> {
  if (!isOlder(join(dataDir, 'tracegate.db'))) return
  const { mcp, token } = readEndpoints(dataDir) ?? {}
  if (mcp === undefined) return
  const { origin } = new URL(mcp)
  const running = await checkHealth(origin, token)
  if (running?.proved !== true) return
  throw new ConfigError(
    `an older Tracegate (version ${running.version}) is running at ${origin}, and this version would upgrade its database: ` +
      'stop it and start it with this version, or use that one',
  )
}

function isOlder(file: string): boolean {
  try {
    const stored = storedVersion(file)
    return stored > 0 && stored < newestVersion('sqlite')
  } catch {
    // Opening it says why it cannot be read.
    return false
  }
}

export interface ServerLock extends Disposable {
  /** Lets another server have the data directory; a second call does nothing. */
  close(this: void): void
}

/**
 * Keeps the data directory, which has room for one server, until `close` or the end of the process, whatever ends it.
 * Undefined while another one has it. The lock is SQLite's on an empty file: Node has none.
 */
export function takeServerLock(dataDir: string): ServerLock | undefined {
  const file = join(dataDir, 'serve.lock')
  for (;;) {
    tryWriting(file, () => closeSync(openSync(file, 'a', 0o600)))
    const opened = fileNumber(file)
    const connection = new DatabaseSync(file, { timeout: 0 })
    try {
      // Without this, the first page of an empty database gets a journal, for which a full disk has no room.
      connection.exec('PRAGMA journal_mode = MEMORY')
      connection.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      connection.close()
      if (isBusy(error)) return undefined
      throw explainFailure(file, error)
    }
    // Who had it may have removed the file since it was opened: the next one would lock another file.
    if (opened !== undefined && fileNumber(file) === opened) return heldLock(file, connection)
    connection.close()
  }
}

function heldLock(file: string, connection: DatabaseSync): ServerLock {
  const close = () => {
    if (!connection.isOpen) return
    try {
      rmSync(file, { force: true })
    } catch {
      // Windows removes no file that is open.
    }
    connection.close()
  }
  return { close, [Symbol.dispose]: close }
}

function fileNumber(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

/** The origin for a bound host and port; an address that means "every interface" becomes `localhost`. */
export function listeningOrigin(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${String(port)}`
}
