import { expect, test } from 'vitest'
import { replyText } from '../../../src/contract/base/wire.ts'
import { ServiceError } from '../../../src/errors.ts'
import { startApp } from '../../app.ts'
import { reading, runEvent, source, streamRouter, type Item } from './stream-router.ts'

const settled = () => new Promise(setImmediate)

test('a stream is lines of JSON, and its headers ask proxies to pass each one on at once', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const reply = await streamRouter(app, handlers).ask()
  expect(reply).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String) as string,
    },
  })
  put(runEvent(1), runEvent(2), 'end')
  const lines = [1, 2].map((sequence) => `${JSON.stringify({ result: runEvent(sequence) })}\n`)
  expect(await replyText(reply)).toBe(lines.join(''))
})

test('Accept asks for server-sent events, each with its number as the id', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const reply = await streamRouter(app, handlers).ask({ accept: 'text/event-stream' })
  expect(reply.headers['content-type']).toBe('text/event-stream')
  put(runEvent(1), runEvent(2), 'end')
  const events = [1, 2].map((sequence) => {
    const data = JSON.stringify(runEvent(sequence).event)
    return `id: ${String(sequence)}\nevent: run_event\ndata: ${data}\n\n`
  })
  expect(await replyText(reply)).toBe(events.join(''))
})

test.each([
  ['*/*', 'application/json'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['text/event-stream, application/x-ndjson;q=0.9, application/json;q=0.8', 'text/event-stream'],
  ['application/json, text/event-stream;q=0.5', 'application/json'],
  ['application/json, text/event-stream', 'application/json'],
  ['Text/Event-Stream; Q=0.2, application/json; q=0.1', 'text/event-stream'],
  ['text/event-stream;q=0', 'application/json'],
  ['text/event-stream;q=high', 'application/json'],
])('Accept: %s gives %s', async (accept, type) => {
  await using app = await startApp()
  const reply = await streamRouter(app, source().handlers).ask({ accept })
  expect(reply.headers['content-type']).toBe(type)
})

test('Last-Event-ID is the place of the reader, and wins over the query that a browser repeats', async () => {
  await using app = await startApp()
  const { seen, handlers } = source()
  const { ask } = streamRouter(app, handlers)
  await ask({ 'last-event-id': '7' }, { query: '?after_sequence=3' })
  await ask({ 'last-event-id': '' }, { query: '?after_sequence=3' })
  await ask()
  expect(seen.places).toEqual([7, 3, undefined])
})

test('a Last-Event-ID that is not a number is refused', async () => {
  await using app = await startApp()
  const reply = await streamRouter(app, source().handlers).ask({ 'last-event-id': 'event-7' })
  expect(reply.status).toBe(400)
  expect(await replyText(reply)).toContain('after_sequence must be a number')
})

test('silence is filled with empty lines when the reader asks for them', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const { clock, ask } = streamRouter(app, handlers)
  const reader = reading(await ask({}, { query: '?heartbeat=10' }))
  const first = reader.next()
  await settled()
  clock.pass(9_999)
  put(runEvent(1))
  expect(await first).toContain('"sequence":1')
  const second = reader.next()
  await settled()
  clock.pass(10_000)
  expect(await second).toBe('\n')
})

test('server-sent events have a comment for every 15 seconds of silence', async () => {
  await using app = await startApp()
  const { clock, ask } = streamRouter(app, source().handlers)
  const reader = reading(await ask({ accept: 'text/event-stream' }))
  for (const ping of [reader.next(), reader.next()]) {
    await settled()
    clock.pass(15_000)
    expect(await ping).toBe(': ping\n\n')
  }
})

test('a stream of lines is silent unless it was asked for heartbeats', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const { clock, ask } = streamRouter(app, handlers)
  const first = reading(await ask()).next()
  for (let minutes = 0; minutes < 3; minutes += 1) {
    await settled()
    clock.pass(60_000)
  }
  put(runEvent(1))
  expect(await first).toContain('"sequence":1')
})

test('a failure before the stream begins is an ordinary error reply', async () => {
  await using app = await startApp()
  const missing = () => Promise.reject(new ServiceError('not_found', 'no such run'))
  const reply = await streamRouter(app, { streamAgentRunEvents: missing }).ask()
  expect(reply.status).toBe(404)
  expect(JSON.parse(await replyText(reply))).toMatchObject({ code: 5, message: 'no such run' })
})

test.each([
  ['application/json', ''],
  ['text/event-stream', 'event: error\ndata: '],
])('a later failure is the last item of a stream of %s', async (accept, before) => {
  await using app = await startApp()
  const { put, handlers } = source()
  const reader = reading(await streamRouter(app, handlers).ask({ accept }))
  put(runEvent(1), new ServiceError('not_found', 'the run was deleted'))
  await reader.next()
  const last = (await reader.next()) ?? ''
  expect(last.slice(0, before.length)).toBe(before)
  expect(JSON.parse(last.slice(before.length))).toMatchObject({ error: { code: 5, message: 'the run was deleted' } })
  expect(await reader.next()).toBeUndefined()
})

test('a bug in the middle of a stream is logged, and its message is not sent', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const { ask, logged } = streamRouter(app, handlers)
  put(new TypeError('secret detail'))
  const text = await replyText(await ask())
  expect(JSON.parse(text)).toMatchObject({ error: { code: 13 } })
  expect(text).not.toContain('secret')
  expect(logged).toMatchObject([{ level: 'error', where: expect.stringContaining('events:stream') as string }])
})

test('with checkResponses an item that breaks the contract fails the stream', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  put({ event: { ...runEvent(1).event, sequence: 'one' } } as unknown as Item)
  expect(await replyText(await streamRouter(app, handlers).ask())).toContain('"code":13')
})

test('a stream that nothing can follow is 204, after which a browser does not connect again', async () => {
  await using app = await startApp()
  const reply = await streamRouter(app, { streamAgentRunEvents: () => Promise.resolve(undefined) }).ask()
  expect([reply.status, reply.body]).toEqual([204, ''])
})

test('a token that is revoked reads for another minute at most', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const { clock, ask } = streamRouter(app, handlers)
  const reader = reading(await ask())
  put(runEvent(1))
  await reader.next()
  await app.db.write((rows) => rows.updateTable('token').set({ revoked_at: 1 }).execute())
  const next = reader.next()
  await settled()
  clock.pass(60_000)
  expect(JSON.parse((await next) ?? '')).toMatchObject({ error: { code: 16 } })
})

test('a stream ends within a minute when its reader loses the workspace', async () => {
  await using app = await startApp()
  const { handlers } = source()
  const { clock, ask } = streamRouter(app, handlers)
  const next = reading(await ask()).next()
  await app.db.write((rows) => rows.deleteFrom('workspace_member').execute())
  await settled()
  clock.pass(60_000)
  expect(await next).toBeUndefined()
})

test('a token has at most 20 streams open, and a reader who leaves makes room', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const { ask } = streamRouter(app, handlers)
  const readers = []
  for (let open = 1; open <= 20; open += 1) {
    const reader = reading(await ask())
    put(runEvent(open))
    await reader.next()
    readers.push(reader)
  }
  const refused = await ask()
  expect(refused.status).toBe(429)
  expect(await replyText(refused)).toContain('TOO_MANY_STREAMS')
  await readers[0]?.leave()
  expect((await ask()).status).toBe(200)
})

test('a reader who disconnects ends the stream, even while it is silent', async () => {
  await using app = await startApp()
  const { seen, handlers } = source()
  const leaving = new AbortController()
  const next = reading(await streamRouter(app, handlers).ask({}, { signal: leaving.signal })).next()
  await settled()
  leaving.abort()
  expect(await next).toBeUndefined()
  expect(seen.hasEnded).toBe(true)
})

test('a service that closes ends its streams without an error and opens no more', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const { streams, ask } = streamRouter(app, handlers)
  put(runEvent(1))
  const reader = reading(await ask())
  await reader.next()
  const next = reader.next()
  await settled()
  streams.close()
  expect(await next).toBeUndefined()
  expect((await ask()).status).toBe(503)
})

test('the next item is read when a slow reader has taken the one before', async () => {
  await using app = await startApp()
  const { put, seen, handlers } = source()
  put(...Array.from({ length: 1000 }, (_, index) => runEvent(index + 1)))
  const reader = reading(await streamRouter(app, handlers).ask())
  await reader.next()
  await reader.next()
  await settled()
  expect(seen.given).toBe(2)
})

test('a stream counts as one request for the rate limit', async () => {
  await using app = await startApp()
  const { put, handlers } = source()
  const { ask } = streamRouter(app, handlers, { rate: { perSecond: 0.001, burst: 2 } })
  put(...Array.from({ length: 100 }, (_, index) => runEvent(index + 1)), 'end')
  await replyText(await ask())
  expect((await ask()).status).toBe(200)
  expect((await ask()).status).toBe(429)
})
