import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'undici'
import type { Endpoints } from '../../../serve.ts'
import { envelope, sentWith } from './events.ts'

const CONNECTIONS = 64

/** Numbers of events, by what became of them. */
export interface Flood {
  acknowledged: number[]
  /** Sent without an answer, or refused: the service may have stored them or not. */
  open: number[]
}

/** Sends events on many connections, one after the other on each, until the server is gone or the signal says so. */
export async function flood(endpoints: Endpoints, next: () => number, signal?: AbortSignal): Promise<Flood> {
  const found: Flood = { acknowledged: [], open: [] }
  await withPool(endpoints, (send) => {
    const sender = async () => {
      while (signal?.aborted !== true) {
        const number = next()
        const status = await send(number)
        found[status === 200 ? 'acknowledged' : 'open'].push(number)
        if (status === undefined) return
      }
    }
    return Promise.all(Array.from({ length: CONNECTIONS }, sender))
  })
  return found
}

/** Sends events again; returns the numbers of those that the service does not take. */
export async function resend(endpoints: Endpoints, numbers: readonly number[]): Promise<number[]> {
  return withPool(endpoints, async (send) => {
    const statuses = await Promise.all(numbers.map(send))
    return numbers.filter((_, index) => statuses[index] !== 200)
  })
}

/** Sends the event of a number; resolves to the status of the answer, undefined if the connection broke. */
type SendNumber = (number: number) => Promise<number | undefined>

async function withPool<T>({ dsn }: Endpoints, work: (send: SendNumber) => Promise<T>): Promise<T> {
  const { host, username, pathname } = new URL(dsn)
  const path = `/api${pathname}/envelope/?sentry_key=${username}`
  const pool = new Pool(`http://${host}`, { connections: CONNECTIONS })
  try {
    return await work(async (number) => {
      try {
        const { statusCode, body } = await pool.request({ method: 'POST', path, body: envelope(sentWith(number)) })
        await body.dump()
        return statusCode
      } catch {
        return undefined
      }
    })
  } finally {
    await pool.destroy()
  }
}

/** Takes the rate limit off the key of a stopped server: the load, not the limit, decides how much arrives. */
export function unlimit(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'tracegate.db'))
  db.exec('UPDATE dsn_key SET rate_per_second = 0')
  db.close()
}
