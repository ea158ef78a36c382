import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { StoredEvents } from '../../support/stored-events/index.ts'
import type { Asked } from './reader.ts'

/** A process that reads one data directory. */
export interface Reader {
  ask(asked: Asked): Promise<number>
  close(): Promise<void>
}

/** Starts a process that reads stored events, or their copy in a database of a server. */
export async function openReader({
  dataDir,
  now,
  databaseUrl,
}: StoredEvents & { databaseUrl?: string }): Promise<Reader> {
  const place = databaseUrl === undefined ? [] : [databaseUrl]
  const child = fork(join(import.meta.dirname, 'reader.ts'), [dataDir, String(now), ...place])
  await reply(child)
  return {
    async ask(asked) {
      child.send(asked)
      return Number(await reply(child))
    },
    async close() {
      if (!child.connected) return
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

/** The next message of the process; throws when it ends instead. */
async function reply(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const message = once(child, 'message', { signal: ended.signal })
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('a reader ended before it answered')
  })
  try {
    const [value] = (await Promise.race([message, exit])) as unknown[]
    return value
  } finally {
    ended.abort()
    exit.catch(() => undefined)
  }
}
