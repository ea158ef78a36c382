import { expect, onTestFinished, test, vi } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { createIdempotency } from '../../../src/service/rest/idempotency.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import type { Database } from '../../../src/service/sql/database.ts'
import { startApp, type App } from '../../app.ts'
import { reasonOf, tokenHeaders } from '../people.ts'

const DAY_MS = 24 * 60 * 60 * 1000

interface Created {
  component: { id: string }
}

function create(app: App, name: string, key: Record<string, string>, headers: Record<string, string> = {}) {
  const path = `/v1/products/${app.productId}/components`
  return app.request<Created>('POST', path, { name, path_globs: ['src/**'], ...key }, headers)
}

async function componentCount(app: App): Promise<number> {
  return (await app.db.read.selectFrom('component').select('id').execute()).length
}

test('a repeated request gets the stored answer, by body member or header, and nothing is made twice', async () => {
  await using app = await startApp()
  const first = await create(app, 'Cart', { request_id: 'k1' })
  const again = await create(app, 'Cart', { request_id: 'k1' })
  const byHeader = await create(app, 'Cart', {}, { 'idempotency-key': 'k1' })
  expect([first.status, again.status, byHeader.status]).toEqual([200, 200, 200])
  expect(again.body).toEqual(first.body)
  expect(byHeader.body).toEqual(first.body)
  expect(await componentCount(app)).toBe(1)
})

test('the same key with another body or for another endpoint is refused', async () => {
  await using app = await startApp()
  await create(app, 'Cart', { request_id: 'k1' })
  const otherBody = await create(app, 'Checkout', { request_id: 'k1' })
  const otherPath = `/v1/products/${app.productId}/environments`
  const otherEndpoint = await app.request('POST', otherPath, { name: 'qa', request_id: 'k1' })
  for (const reply of [otherBody, otherEndpoint]) {
    expect([reply.status, reasonOf(reply)]).toEqual([400, 'REQUEST_ID_REUSED'])
  }
  expect(await componentCount(app)).toBe(1)
})

test('a key belongs to its token', async () => {
  await using app = await startApp()
  await create(app, 'Cart', { request_id: 'k1' })
  const other = await create(app, 'Checkout', { request_id: 'k1' }, await tokenHeaders(app))
  expect(other.status).toBe(200)
})

test('of many equal requests at once one is carried out and all get its answer', async () => {
  await using app = await startApp()
  const replies = await Promise.all(Array.from({ length: 12 }, () => create(app, 'Cart', { request_id: 'k1' })))
  expect(new Set(replies.map(({ status, body }) => `${status} ${body.component.id}`)).size).toBe(1)
  expect(await componentCount(app)).toBe(1)
})

test('a failure is not kept: the same request succeeds once its cause is gone', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/environments`
  const { body } = await app.request<{ environment: { id: string } }>('POST', path, { name: 'qa' })
  const attempt = () => app.request('POST', path, { name: 'QA', request_id: 'k1' })
  expect((await attempt()).status).toBe(409)
  await app.request('DELETE', `/v1/environments/${body.environment.id}`)
  expect((await attempt()).status).toBe(200)
})

test('a key is free again after a day, and old ones are removed', async () => {
  let now = 1_000_000
  await using app = await startApp({ platform: { now: () => now } })
  await create(app, 'Cart', { request_id: 'k1' })
  now += DAY_MS
  expect(reasonOf(await create(app, 'Checkout', { request_id: 'k1' }))).toBe('REQUEST_ID_REUSED')
  now += 1
  expect((await create(app, 'Checkout', { request_id: 'k1' })).status).toBe(200)
  now += 2 * DAY_MS
  await create(app, 'Shipping', { request_id: 'k2' })
  const keys = await app.db.read.selectFrom('idempotency').select('key').execute()
  expect(keys).toEqual([{ key: 'k2' }])
})

test.each([['x'.repeat(65)], [7]])('the request id %j is refused', async (requestId) => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/environments`
  expect((await app.request('POST', path, { name: 'qa', request_id: requestId })).status).toBe(400)
})

test('two different keys in one request are refused', async () => {
  await using app = await startApp()
  const reply = await create(app, 'Cart', { request_id: 'k1' }, { 'idempotency-key': 'k2' })
  expect([reply.status, await componentCount(app)]).toEqual([400, 0])
})

test('a change that another process made under the key is not repeated; its answer is told once it is there', async () => {
  await using app = await startApp()
  const request = { tokenId: 't', key: 'k', hash: 'h' }
  const [here, there] = [app.db, app.db].map((db) => createIdempotency({ db, platform: systemPlatform }))
  if (here === undefined || there === undefined) throw new Error('two are made above')
  let ran = 0
  const { promise: committed, resolve: noteCommitted } = Promise.withResolvers<void>()
  const { promise: release, resolve: finish } = Promise.withResolvers<void>()
  const slow = here.once(request, async (db) => {
    await db.write(async () => void (ran += 1))
    noteCommitted()
    await release
    return 'answer'
  })
  await committed
  const fast = () =>
    there.once(request, async (db) => {
      await db.write(async () => void (ran += 1))
      return 'other'
    })
  await expect(fast()).rejects.toMatchObject({ code: 'aborted', reason: 'REQUEST_IN_PROGRESS' })
  finish()
  expect(await slow).toBe('answer')
  expect(await fast()).toBe('answer')
  expect(ran).toBe(1)
})

/** A database whose writes with the given numbers meet another process; the first write of all has number 1. */
function busyAt(db: Database, ...numbers: number[]): Database {
  let count = 0
  const busy = () => Promise.reject(new ServiceError('unavailable', 'the database is busy'))
  return {
    read: db.read,
    batch: (work) => db.batch(work),
    writeInSlices: (work) => db.writeInSlices(work),
    close: () => db.close(),
    write: (work) => (numbers.includes((count += 1)) ? busy() : db.write(work)),
  }
}

test('a change that is made is answered though its answer cannot be stored yet, and a repetition gets the same', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await using app = await startApp()
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  // Write 1 prunes, 2 is the change, 3 and 4 are the first two attempts to store the answer.
  const idempotency = createIdempotency({ db: busyAt(app.db, 3, 4), platform: systemPlatform, onError })
  const request = { tokenId: 't', key: 'k', hash: 'h' }
  let ran = 0
  const work = async (db: Database) => {
    await db.write(async () => void (ran += 1))
    return 'answer'
  }
  const statuses = async () =>
    (await app.db.read.selectFrom('idempotency').select('status').execute()).map((row) => row.status)

  expect(await idempotency.once(request, work)).toBe('answer')
  expect(await statuses()).toEqual([0])
  expect(await idempotency.once(request, work)).toBe('answer')
  await expect(idempotency.once({ ...request, hash: 'x' }, work)).rejects.toMatchObject({ reason: 'REQUEST_ID_REUSED' })
  expect(errors).toHaveLength(1)

  await vi.advanceTimersByTimeAsync(1_000)
  await expect.poll(() => errors.length).toBe(2)
  await vi.advanceTimersByTimeAsync(2_000)
  await expect.poll(statuses).toEqual([200])
  expect(await idempotency.once(request, work)).toBe('answer')
  expect([ran, errors.length]).toEqual([1, 2])
})

test('a request that is refused after its first write can be made again, unlike one that a bug ended', async () => {
  await using app = await startApp()
  const idempotency = createIdempotency({ db: app.db, platform: systemPlatform })
  const attempt = (key: string, thrown?: Error) =>
    idempotency.once({ tokenId: 't', key, hash: 'h' }, async (db) => {
      await db.write(() => Promise.resolve())
      if (thrown !== undefined) throw thrown
      return 'answer'
    })
  for (const code of ['not_found', 'unavailable'] as const) {
    const refusal = new ServiceError(code, 'not now')
    await expect(attempt(code, refusal)).rejects.toBe(refusal)
    expect(await attempt(code)).toBe('answer')
  }
  await expect(attempt('bug', new TypeError('nobody knows what was done'))).rejects.toThrow('nobody knows')
  await expect(attempt('bug')).rejects.toMatchObject({ reason: 'REQUEST_IN_PROGRESS' })
})

test('an answer that waits to be stored is stored when the service closes', async () => {
  await using app = await startApp()
  const idempotency = createIdempotency({ db: busyAt(app.db, 3), platform: systemPlatform })
  const request = { tokenId: 't', key: 'k', hash: 'h' }
  await idempotency.once(request, async (db) => {
    await db.write(() => Promise.resolve())
    return 'answer'
  })
  await idempotency.settled()
  const next = createIdempotency({ db: app.db, platform: systemPlatform })
  expect(await next.once(request, () => Promise.reject(new Error('ran again')))).toBe('answer')
})
