import { tracegate } from '../cli/run.ts'
import { ask, emptyDatabase, newFolder } from './moving/loaded.ts'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { examinePostgres } from '../../src/service/sql/postgres/postgres-examine.ts'
import { openPostgres } from '../../src/service/sql/postgres/postgres.ts'
import { createDatabase } from './databases.ts'

async function pair() {
  const { url, drop } = await createDatabase()
  onTestFinished(drop)
  const [here, there] = [await openPostgres(url), await openPostgres(url)]
  onTestFinished(async () => {
    await here.close()
    await there.close()
  })
  const heard = { here: [] as string[], there: [] as string[] }
  here.messages?.listen((text) => heard.here.push(text))
  there.messages?.listen((text) => heard.there.push(text))
  return { url, here, there, heard }
}

/** Sends until the other process has heard it: nobody waits for a listener to be connected. */
async function sendUntilHeard(send: () => void, heard: () => boolean): Promise<void> {
  while (!heard()) {
    send()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a message is heard by the other processes, and not by its sender', async () => {
  const { here, heard } = await pair()
  await sendUntilHeard(
    () => here.messages?.send('look'),
    () => heard.there.includes('look'),
  )
  expect(heard.here).toEqual([])
})

test('a listener whose connection was closed hears again', async () => {
  const { url, here, heard } = await pair()
  await sendUntilHeard(
    () => here.messages?.send('before'),
    () => heard.there.includes('before'),
  )
  const client = new Client(url)
  await client.connect()
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query = 'LISTEN tracegate'`,
  )
  await client.end()
  await sendUntilHeard(
    () => here.messages?.send('after'),
    () => heard.there.includes('after'),
  )
  expect(heard.here).toEqual([])
})

test('doctor reads the versions without the password, and tries a notification', async () => {
  const { url } = await pair()
  const { found, notifies } = await examinePostgres(url.replace('tracegate@', 'tracegate:geheim@'))
  expect(found).toMatch(/^postgres:\/\/tracegate@localhost\/test_\w+, PostgreSQL \d+\.\d+.*, schema version \d+$/)
  expect(notifies).toBe(true)
})

test('doctor makes no first start in an empty database to look for a product in', async () => {
  const url = await emptyDatabase()
  const args = ['doctor', '--port', '0', '--product', 'Shop', '--data', newFolder()]
  const { stdout } = await tracegate(args, { TRACEGATE_DATABASE_URL: url })
  expect(stdout).toContain('ok    product: Shop, not checked: there is no data yet')
  expect(await ask(url, "SELECT to_regclass('workspace') AS made")).toEqual([{ made: null }])
})

test('where notifications do not arrive, as behind a pooler of transactions, that is said', async () => {
  const [{ url }, other] = [await pair(), await pair()]
  // Another database, whose notifications are its own.
  expect(await examinePostgres(url, other.url)).toMatchObject({ notifies: false })
})
