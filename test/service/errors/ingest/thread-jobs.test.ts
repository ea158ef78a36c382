import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { eventWorker } from '../../../../src/cli/support/workers.ts'
import { createEventThread, type PreparedBatch } from '../../../../src/service/errors/ingest/event-thread.ts'
import type { Batch } from '../../../../src/service/errors/ingest/batch.ts'
import { startApp, type App } from '../../../app.ts'
import { heavyEvents } from './heavy-events.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Valid JSON that is nested more deeply than can be copied to a thread. */
const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`

/** The thread of an app's database, and what it reads of a message that is a job of its own because of its size. */
function openThread(app: App, entry = eventWorker) {
  const errors: unknown[] = []
  const thread = createEventThread({
    entry,
    database: app.database,
    tables: join(app.dataDir, 'sourcemaps'),
    maxBytes: 2_000_000,
    onUsed: () => undefined,
    onError: (error) => errors.push(error),
  })
  const titles = ({ events }: PreparedBatch) => events.map(({ grouping }) => grouping.title).join()
  const read = (productId: number, message: string, more: Partial<Batch> = {}) => {
    const payload = Buffer.from(JSON.stringify({ message, extra: { text: 'x'.repeat(1_100_000) } }))
    return thread
      .read(productId, { payloads: [payload], header: {}, receivedAt: 0, ...more })
      .then(titles, () => 'refused')
  }
  return { read, errors, [Symbol.asyncDispose]: () => thread.close() }
}

test('a request that cannot be copied to the thread is refused, and the others get their own events', async () => {
  await using app = await startApp()
  await using thread = openThread(app)
  const odd = { header: JSON.parse(`{"sdk":{"name":${nested}},"trace":${nested}}`) as Batch['header'] }
  const impossible = { client: (() => '') as unknown as string }
  const read = [thread.read(1, 'one', odd), thread.read(1, 'two', impossible), thread.read(2, 'three')]
  expect(await Promise.all(read)).toEqual(['one', 'refused', 'three'])
  expect(await thread.read(1, 'four')).toBe('four')
})

test('a request of many heavy events does not end the thread', async () => {
  await using app = await startApp()
  await using thread = openThread(app)
  const titles = heavyEvents.map((_, at) => `heavy ${String(at)}`)
  expect(await thread.read(1, '', { payloads: heavyEvents.map((event) => Buffer.from(event)) })).toBe(titles.join())
})

test('a burst with a deeply nested header is stored', async () => {
  await using app = await startApp({ eventWorker })
  const path = `/api/${app.productId}/envelope/?sentry_key=${app.publicKey}`
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, at) => {
      const header = at === 11 ? `{"event_id":${nested},"sent_at":${nested},"sdk":${nested}}` : '{}'
      const payload = JSON.stringify({ message: `failure ${String(at)}` })
      const body = Buffer.from(`${header}\n{"type":"event"}\n${payload}\n`)
      return app.service.direct({ method: 'POST', url: path, headers: {}, body })
    }),
  )
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(await app.db.read.selectFrom('occurrence').select('id').execute()).toHaveLength(30)
})

test('the thread does not end while it has work, and what it reads is answered to who asked for it', async () => {
  await using app = await startApp()
  await using thread = openThread(app)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await thread.read(1, 'first')
  vi.advanceTimersByTime(29_999)
  const before = [thread.read(1, 'one'), thread.read(1, 'two')]
  // Now both are sent.
  await new Promise((sent) => setImmediate(sent))
  vi.advanceTimersByTime(1)
  expect(await Promise.all([...before, thread.read(2, 'three')])).toEqual(['one', 'two', 'three'])
  vi.advanceTimersByTime(30_000)
  expect(await Promise.all([thread.read(1, 'four'), thread.read(2, 'five')])).toEqual(['four', 'five'])
})

test('threads that end with errors are reported once, and again after one has worked', async () => {
  await using app = await startApp()
  let isBroken = true
  const broken = new URL('data:text/javascript,throw new Error("broken")')
  await using thread = openThread(app, () => (isBroken ? Promise.resolve(broken) : eventWorker()))
  expect([await thread.read(1, 'one'), await thread.read(1, 'two')]).toEqual(['refused', 'refused'])
  expect(thread.errors.map(String)).toEqual(['Error: broken'])
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  isBroken = false
  expect(await thread.read(1, 'three')).toBe('three')
  vi.advanceTimersByTime(30_000)
  isBroken = true
  expect(await thread.read(1, 'four')).toBe('refused')
  expect(thread.errors).toHaveLength(2)
})

test('a thread that ends because nothing came, or with the service, is no error', async () => {
  await using app = await startApp()
  const thread = openThread(app)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await thread.read(1, 'one')
  vi.advanceTimersByTime(30_000)
  const last = thread.read(1, 'two')
  await thread[Symbol.asyncDispose]()
  await last
  expect(thread.errors).toEqual([])
})
