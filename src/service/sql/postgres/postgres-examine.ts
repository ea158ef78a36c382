import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { explainOpening, withoutPassword } from './postgres-failures.ts'
import { checkServer } from './postgres-migrate.ts'
import { connectionConfig } from './postgres-statements.ts'

/** How long a notification may take. */
const NOTIFY_MS = 2_000
const CHANNEL = 'tracegate_doctor'

export interface Examined {
  /** The address without its password, the version of the server, and that of the schema. */
  found: string
  /** Of the schema; 0 where no start has made it yet. */
  version: number
  /** False behind a pooler of transactions, which passes no notifications on. */
  notifies: boolean
}

/**
 * Looks at a database without changing it. `listenUrl` is where notifications are expected, the same address by default.
 * Throws `failed_precondition` or `unavailable` with the way out.
 */
export async function examinePostgres(url: string, listenUrl: string = url): Promise<Examined> {
  const client = new Client(connectionConfig(url))
  const listener = new Client(connectionConfig(listenUrl))
  try {
    await client.connect()
    const server = await checkServer(client)
    const version = await readVersion(client)
    const schema = version === 0 ? 'empty, filled at the first start' : `schema version ${String(version)}`
    await listener.connect()
    return {
      found: `${withoutPassword(url)}, PostgreSQL ${server}, ${schema}`,
      version,
      notifies: await notifies(client, listener),
    }
  } catch (error) {
    throw explainOpening(url, error)
  } finally {
    await client.end().catch(ignore)
    await listener.end().catch(ignore)
  }
}

async function readVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ exists: number }>(`SELECT to_regclass('schema_version') IS NOT NULL AS exists`)
  if (rows[0]?.exists !== 1) return 0
  const { rows: versions } = await client.query<{ version: number }>(
    'SELECT max(version) AS version FROM schema_version',
  )
  return versions[0]?.version ?? 0
}

async function notifies(client: Client, listener: Client): Promise<boolean> {
  const heard = new Promise<boolean>((resolve) => listener.once('notification', () => resolve(true)))
  await listener.query(`LISTEN ${CHANNEL}`)
  await client.query(`NOTIFY ${CHANNEL}`)
  return Promise.race([heard, sleep(NOTIFY_MS, false, { ref: false })])
}

function ignore(): void {}
