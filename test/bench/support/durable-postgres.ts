import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { runStatement } from '../../postgres/databases.ts'
import { startPostgres, type PostgresServer } from '../../postgres/server.ts'

/** As a server that people rely on: each commit is on disk before it is told. */
const DURABLE = { shared_buffers: '256MB', max_connections: '100' }

/** Starts a server with an empty database `tracegate`, in a folder that is in a folder of the suite. */
export async function startDurablePostgres(folder: string): Promise<PostgresServer> {
  // The server may run as another user.
  for (const each of [dirname(folder), folder]) chmodSync(each, 0o755)
  const server = await startPostgres({ settings: DURABLE, within: folder })
  if (server === undefined) throw new Error('there is no PostgreSQL on this machine')
  await runStatement(server.url('postgres'), 'CREATE DATABASE tracegate')
  return server
}
