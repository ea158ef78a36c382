import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../../postgres/server.ts'
import { serve, type Served } from '../../../serve.ts'

/** As a server that people rely on: each commit is on disk before it is told. */
const DURABLE = { shared_buffers: '256MB', max_connections: '100' }

export interface Pair extends AsyncDisposable {
  one: Served
  other: Served
  /** Starts a process that was killed, on its own data directory. */
  restart(killed: Served): Promise<Served>
}

/** Starts a server with an empty database, and two processes with a data directory each. */
export async function openPair(main: string, folder: string): Promise<Pair> {
  mkdirSync(folder)
  // The server may run as another user.
  for (const each of [join(folder, '..'), folder]) chmodSync(each, 0o755)
  const server = await startPostgres({ settings: DURABLE, within: folder })
  if (server === undefined) throw new Error('there is no PostgreSQL on this machine')
  const stack = new AsyncDisposableStack()
  stack.defer(() => server.stop())
  await run(server.url('postgres'), 'CREATE DATABASE tracegate')
  const env = {
    TRACEGATE_DATABASE_URL: server.url('tracegate'),
    TRACEGATE_SECRET: 'a secret that both processes have',
    TRACEGATE_LOG_LEVEL: 'error',
    TRACEGATE_NEW_ISSUES_PER_HOUR: '0',
  }
  const start = async (dataDir: string) => stack.use(await serve({ main, dataDir, env }))
  {
    await using _creates = await serve({ main, dataDir: join(folder, 'one'), env })
  }
  // The store is measured, and not the limit of the key.
  await run(server.url('tracegate'), 'UPDATE dsn_key SET rate_per_second = 0')
  const [one, other] = [await start(join(folder, 'one')), await start(join(folder, 'other'))]
  return {
    one,
    other,
    restart: (killed) => start(killed.dataDir),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}
