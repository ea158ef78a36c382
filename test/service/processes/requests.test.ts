import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { usesPostgres } from '../../postgres/databases.ts'
import { reasonOf } from '../people.ts'
import { confirm, create, put, tinyMap } from '../errors/sourcemaps/uploads/rig.ts'

/** Another process on the database, on a server with a data directory of its own. */
async function beside(first: App): Promise<App> {
  if (!usesPostgres()) return startApp({ dataDir: first.dataDir })
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-beside-'))
  const app = await startApp({ dataDir, databaseUrl: first.database })
  const close = async () => {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { ...app, close, [Symbol.asyncDispose]: close }
}

test('a request that is repeated at another process is done once, and has the same answer', async () => {
  await using one = await startApp()
  await using two = await beside(one)
  const path = `/v1/products/${one.productId}/requirements`
  // Keys belong to a token, and each process has one of its own for its owner.
  const headers = { authorization: `Bearer ${one.token}`, 'idempotency-key': 'request-1' }
  const send = (app: App) => app.request('POST', path, { title: 'Orders are kept' }, headers)
  const replies = await Promise.all([one, two, two, one].map(send))
  const [done] = replies.filter(({ status }) => status === 200)
  for (const reply of replies) {
    expect(reply.status === 200 ? reply.body : reasonOf(reply)).toEqual(
      reply.status === 200 ? done?.body : 'REQUEST_IN_PROGRESS',
    )
  }
  expect((await send(two)).body).toEqual(done?.body)
  expect((await one.request<{ requirements: unknown[] }>('GET', path)).body.requirements).toHaveLength(1)
})

test('an upload whose address one process gave is sent to another one and confirmed at the first', async () => {
  await using one = await startApp()
  await using two = await beside(one)
  const { body } = await create(one, { file_name: 'app.js.map', release: '1' })
  expect((await put(two, body.upload_url, tinyMap())).status).toBe(200)
  expect((await confirm(one, body.sourcemap.id)).body.sourcemap.state).toBe('SOURCEMAP_STATE_READY')
})
