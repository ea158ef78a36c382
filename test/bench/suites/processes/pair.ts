import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runStatement } from '../../../postgres/databases.ts'
import { serve, type Served } from '../../../serve.ts'
import { startDurablePostgres } from '../../support/durable-postgres.ts'

export interface Pair extends AsyncDisposable {
  one: Served
  other: Served
  /** Starts a process that was killed, on its own data directory. */
  restart(killed: Served): Promise<Served>
}

/** Starts a server with an empty database, and two processes with a data directory each. */
export async function openPair(main: string, folder: string): Promise<Pair> {
  mkdirSync(folder)
  const server = await startDurablePostgres(folder)
  const stack = new AsyncDisposableStack()
  stack.defer(() => server.stop())
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
  await runStatement(server.url('tracegate'), 'UPDATE dsn_key SET rate_per_second = 0')
  const [one, other] = [await start(join(folder, 'one')), await start(join(folder, 'other'))]
  return {
    one,
    other,
    restart: (killed) => start(killed.dataDir),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
