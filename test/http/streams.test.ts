import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import type { Send } from '../../src/contract/base/wire.ts'
import { createDoor } from '../../src/http/door.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** A service whose reply is a stream, and the state of that stream. */
function streaming(pieces: () => AsyncGenerator<Uint8Array>) {
  const state = { given: 0, ended: Promise.withResolvers<void>(), aborted: false }
  async function* body(signal: AbortSignal | undefined) {
    signal?.addEventListener('abort', () => (state.aborted = true))
    try {
      for await (const piece of pieces()) {
        state.given += 1
        yield piece
      }
    } finally {
      state.ended.resolve()
    }
  }
  const service: Send = ({ signal }) =>
    Promise.resolve({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: body(signal) })
  return { state, service }
}

async function ask(service: Send, method = 'GET'): Promise<IncomingMessage> {
  const server = createDoor({ service, allowedHosts: ['127.0.0.1'], version: '1.2.3', log: () => undefined })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  cleanups.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  const asked = request({ host: '127.0.0.1', port, path: '/v1/stream', method, agent: false })
  asked.on('error', () => undefined).end()
  const [reply] = (await once(asked, 'response')) as [IncomingMessage]
  return reply
}

test('the status of a stream arrives before its first piece, and each piece at once', async () => {
  const next = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const { service } = streaming(async function* () {
    await next[0].promise
    yield Buffer.from('one')
    await next[1].promise
    yield Buffer.from('two')
  })
  const reply = await ask(service)
  expect(reply.statusCode).toBe(200)
  for (const [index, piece] of ['one', 'two'].entries()) {
    next[index]?.resolve()
    const [chunk] = (await once(reply, 'data')) as [Buffer]
    expect(chunk.toString()).toBe(piece)
  }
})

test('a reader who disconnects ends the stream, even while it is silent', async () => {
  const silence = Promise.withResolvers<void>()
  const { state, service } = streaming(async function* () {
    yield Buffer.from('one')
    await silence.promise
  })
  const reply = await ask(service)
  await once(reply, 'data')
  reply.destroy()
  await expect.poll(() => state.aborted).toBe(true)
  silence.resolve()
  await state.ended.promise
})

test('a reader who does not read holds back the stream', async () => {
  const piece = Buffer.alloc(64 * 1024)
  const { state, service } = streaming(async function* () {
    for (let index = 0; index < 10_000; index += 1) yield await Promise.resolve(piece)
  })
  const reply = await ask(service)
  // Until the buffers of the two sockets are full.
  let before = -1
  while (state.given > before) {
    before = state.given
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate)
  }
  expect(state.given).toBeLessThan(1000)
  reply.destroy()
  await state.ended.promise
})

test('the reply to HEAD has the headers of the stream, which is not started', async () => {
  const { state, service } = streaming(async function* () {
    yield await Promise.resolve(Buffer.from('one'))
  })
  const reply = await ask(service, 'HEAD')
  expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'text/event-stream'])
  reply.resume()
  await once(reply, 'end')
  expect(state.given).toBe(0)
})
