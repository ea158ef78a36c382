import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import type { Messages } from '../database.ts'
import type { RunQuery } from './postgres-statements.ts'

const CHANNEL = 'tracegate'
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

export interface MessagesOptions {
  /** Of a connection that stays: a pooler of transactions passes no notifications on. */
  config: ClientConfig
  run: RunQuery
}

export interface OpenMessages extends Messages {
  close(): Promise<void>
}

/**
 * Messages by NOTIFY. The connection that listens is opened by the first `listen`, and again after it was lost, with longer
 * and longer waits up to 30 seconds: whoever listens looks by itself meanwhile.
 */
export function createMessages({ config, run }: MessagesOptions): OpenMessages {
  const sender = randomBytes(6).toString('base64url')
  const closing = new AbortController()
  const listeners: ((text: string) => void)[] = []
  let listening: Promise<void> | undefined

  function hear(payload: string): void {
    const [from, text] = payload.split(' ', 2)
    if (from === sender || text === undefined) return
    for (const heard of listeners) heard(text)
  }

  async function keepListening(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !closing.signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if (await listenUntilLost()) wait = FIRST_WAIT_MS
      await sleep(wait, undefined, { signal: closing.signal, ref: false }).catch(ignore)
    }
  }

  /** Resolves when the connection is gone, to whether it had listened. */
  async function listenUntilLost(): Promise<boolean> {
    const client = new Client(config)
    const lost = new Promise<void>((resolve) => {
      client.once('end', resolve)
      client.on('error', () => resolve())
      closing.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    client.on('notification', ({ payload = '' }) => hear(payload))
    try {
      // A server that does not answer must not hold up a stop.
      await Promise.race([client.connect(), lost])
      if (closing.signal.aborted) return false
      await client.query(`LISTEN ${CHANNEL}`)
      await lost
      return true
    } catch {
      return false
    } finally {
      // Not awaited for the same reason.
      void client.end().catch(ignore)
    }
  }

  return {
    send(text) {
      const query = { text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, `${sender} ${text}`] }
      void run(query).catch(ignore)
    },
    listen(heard) {
      listeners.push(heard)
      listening ??= keepListening()
    },
    async close() {
      closing.abort()
      await listening
    },
  }
}

function ignore(): void {}
