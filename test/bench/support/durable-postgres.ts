import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from '../../../src/dev/build.ts'
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

export interface WithPostgres {
  server: PostgresServer
  /** The command of the published package. */
  main: string
  /** Of the suite, removed with everything in it. */
  folder: string
}

/** Builds the package and starts such a server, for as long as `measure` takes. */
export async function withDurablePostgres<T>(measure: (parts: WithPostgres) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  const [dist, place] = [join(folder, 'dist'), join(folder, 'server')]
  mkdirSync(place)
  try {
    await build(dist)
    const server = await startDurablePostgres(place)
    try {
      return await measure({ server, main: join(dist, 'tracegate.js'), folder })
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
