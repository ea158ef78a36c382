import { Client } from 'pg'
import { expect, test } from 'vitest'
import { insertDsnKey } from '../../src/service/workspace/dsn-keys.ts'
import { systemPlatform } from '../../src/service/shared/platform.ts'
import { startApp, type App } from '../app.ts'
import { virtualClock } from '../virtual-clock.ts'

/** Resolves when so many processes listen for notifications. */
async function listening(url: string, count: number): Promise<void> {
  const client = new Client(url)
  await client.connect()
  const query = `SELECT count(*)::int AS listening FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'LISTEN tracegate' AND state = 'idle'`
  await expect
    .poll(async () => (await client.query<{ listening: number }>(query)).rows[0]?.listening, { timeout: 10_000 })
    .toBeGreaterThanOrEqual(count)
  await client.end()
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

test('what a DSN key or a token has spent at one process is missing at another one', async () => {
  const clock = virtualClock()
  const rate = { perSecond: 0.001, burst: 50 }
  await using one = await startApp({ clock, rate })
  await using two = await startApp({ clock, rate, dataDir: one.dataDir })
  await listening(one.database, 2)
  const product = Number(one.productId)
  const key = await one.db.write(async (rows) => {
    const made = await insertDsnKey(rows, systemPlatform, product, { ratePerSecond: 0.001 })
    await rows.updateTable('dsn_key').set({ burst: 100 }).where('public_key', '=', made).execute()
    return made
  })
  const send = (app: App, events: number) => {
    const lines = Array.from({ length: events }, () => '{"type":"event"}\n{"message":"crash","level":"error"}')
    const headers = { authorization: undefined, 'content-type': 'application/x-svc-envelope' }
    return app.request('POST', `/api/${one.productId}/envelope/?svc_key=${key}`, ['{}', ...lines].join('\n'), headers)
  }
  expect((await send(one, 100)).status).toBe(200)
  for (let count = 0; count < 50; count += 1) await one.request('GET', '/v1/auth/me')
  clock.pass(1_000)

  const admitted = { events: 0, requests: 0 }
  for (; (await send(two, 1)).status === 200; await pause()) admitted.events += 1
  for (; (await two.request('GET', '/v1/auth/me')).status === 200; await pause()) admitted.requests += 1
  // Alone it would have admitted a whole burst of each.
  expect(admitted.events).toBeLessThan(100)
  expect(admitted.requests).toBeLessThan(50)
})
