import { runStatement } from '../../postgres/databases.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import { runMove } from '../suites/move/mover.ts'
import type { StoredEvents } from './stored-events/index.ts'

let moved = 0

/**
 * Moves stored events to a new database of the server, in the state in which the housekeeping of the server leaves it;
 * `main` is the command of the published package.
 */
export async function movedEvents(stored: StoredEvents, server: PostgresServer, main: string) {
  moved += 1
  const database = `moved_${String(moved)}`
  await runStatement(server.url('postgres'), `CREATE DATABASE ${database}`)
  await runMove({ main, dataDir: stored.dataDir, to: server.url(database) })
  await runStatement(server.url(database), 'VACUUM ANALYZE')
  return { ...stored, databaseUrl: server.url(database) }
}
