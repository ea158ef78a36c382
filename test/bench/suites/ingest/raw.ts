import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A server of this process that does only a part of the work. */
export interface Raw extends AsyncDisposable {
  address: string
}

const acknowledged = '{"id":"0"}'

/** Reads each body and parses its event. */
export function rawHttp(): Promise<Raw> {
  return listen(async (request, reply) => {
    JSON.parse((await buffer(request)).toString().split('\n')[2] ?? '')
    reply.end(acknowledged)
  })
}

/** Inserts each body as it is; those that arrive in a turn of the event loop share a commit, which is on disk before the answer. */
export function rawStatements(folder: string): Promise<Raw> {
  const db = new DatabaseSync(join(folder, 'raw.db'))
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE event (seq INTEGER PRIMARY KEY, body BLOB)',
  )
  const insert = db.prepare('INSERT INTO event (body) VALUES (?)')
  let waiting: { body: Buffer; reply: ServerResponse }[] = []
  const flush = () => {
    const taken = waiting
    waiting = []
    db.exec('BEGIN')
    for (const { body } of taken) insert.run(body)
    db.exec('COMMIT')
    for (const { reply } of taken) reply.end(acknowledged)
  }
  return listen(
    async (request, reply) => {
      const body = await buffer(request)
      if (waiting.push({ body, reply }) === 1) setImmediate(flush)
    },
    () => db.close(),
  )
}

async function listen(
  answer: (request: IncomingMessage, reply: ServerResponse) => Promise<void>,
  close: () => void = () => undefined,
): Promise<Raw> {
  const server = createServer((request, reply) => void answer(request, reply))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    address: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      close()
    },
  }
}
