import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/service/sql/postgres/postgres.ts'
import { createDatabase } from './databases.ts'
import { serverFolder } from './machine.ts'

const insert = 'INSERT INTO place (environment_id, release_id) VALUES (?, ?)'

/** What is between a process and the server. */
interface Way {
  url: string
  /** From here on nothing arrives on the connections that are open, nor is it said that it does not; others are as before. */
  fallSilent(): void
}

/** A way to a new database that loses its connections, as a firewall does that forgets those without traffic. */
async function startWay(): Promise<Way> {
  const database = await createDatabase()
  onTestFinished(database.drop)
  const open = new Set<Socket>()
  const way = createServer((here) => {
    const there = createConnection(join(serverFolder(), '.s.PGSQL.5432'))
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      open.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => open.delete(from))
    }
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    way.close()
  })
  const { port } = way.address() as AddressInfo
  return {
    url: `postgres://tracegate@127.0.0.1:${String(port)}/${database.name}`,
    fallSilent() {
      for (const socket of open) socket.unpipe().resume()
    },
  }
}

test('a write whose connection has fallen silent is done on another one', async () => {
  const way = await startWay()
  const db = await openPostgres(way.url, { lockTimeoutMs: 50, unansweredMs: 200 })
  onTestFinished(() => db.close())
  await db.batch((prepare) => prepare(insert).run('before', ''))
  way.fallSilent()
  await db.batch((prepare) => prepare(insert).run('after', ''))
  const rows = await db.read.selectFrom('place').select('environment_id').orderBy('id').execute()
  expect(rows.map(({ environment_id: id }) => id)).toEqual(['before', 'after'])
})
