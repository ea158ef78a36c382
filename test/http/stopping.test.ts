import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Send } from '../../src/contract/base/wire.ts'
import { createDoor } from '../../src/http/door.ts'

async function open(service: Send) {
  const door = createDoor({ service, allowedHosts: ['localhost'], version: '1', log: () => undefined })
  await new Promise<void>((ready) => door.listen(0, '127.0.0.1', ready))
  const { port } = door.address() as AddressInfo
  return { door, port }
}

const get = 'GET /v1/x HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('a request that has begun gets its answer, which says that the connection closes', async () => {
  const [begun, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { door, port } = await open(async () => {
    begun.resolve()
    await answer.promise
    return { status: 200, headers: {}, body: 'whole' }
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(get)
  await begun.promise
  const stopped = door.stop(60_000)
  await expect.poll(() => door.listening).toBe(false)
  answer.resolve()
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*connection: close\r\n.*whole$/is)
  await stopped
})

test('what is not answered in time gets 503 and a time to come back, and a stream ends', async () => {
  const streaming = Promise.withResolvers<void>()
  async function* silent() {
    yield Buffer.from('first')
    streaming.resolve()
    await new Promise<never>(() => {})
  }
  const begun = Promise.withResolvers<void>()
  const { door, port } = await open((request) => {
    if (request.url.endsWith('/stream')) return Promise.resolve({ status: 200, headers: {}, body: silent() })
    begun.resolve()
    return new Promise<never>(() => {})
  })
  const [waiting, reading] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  reading.write(get.replace('/x', '/stream'))
  const stream = text(reading)
  await streaming.promise
  waiting.write(get)
  await begun.promise
  await door.stop(1)
  expect(await text(waiting)).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is)
  expect(await stream).toMatch(/^HTTP\/1\.1 200 .*first\r\n0\r\n\r\n$/s)
})

test('a request on a connection that was kept is refused during the stop, and no new connection is accepted', async () => {
  const hold = Promise.withResolvers<void>()
  const { door, port } = await open(async ({ url }) => {
    if (url.endsWith('/held')) await hold.promise
    return { status: 200, headers: {}, body: '' }
  })
  const [kept, held] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  kept.write(get)
  await once(kept, 'data')
  held.write(get.replace('/x', '/held'))
  const stopped = door.stop(60_000)
  await expect.poll(() => door.listening).toBe(false)
  kept.write(get)
  expect(await text(kept)).toMatch(/^HTTP\/1\.1 503 /)
  const late = connect(port, '127.0.0.1')
  expect(await once(late, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
  hold.resolve()
  expect(await text(held)).toMatch(/^HTTP\/1\.1 200 /)
  await stopped
})

test('a connection on which nothing was ever sent does not delay the stop', async () => {
  const { door, port } = await open(() => Promise.resolve({ status: 200, headers: {}, body: '' }))
  const silent = connect(port, '127.0.0.1')
  await once(door, 'connection')
  await door.stop(60_000)
  expect(await text(silent)).toBe('')
})

test('a request whose head is still arriving when the server stops gets an answer', async () => {
  const { door, port } = await open(() => Promise.resolve({ status: 200, headers: {}, body: '' }))
  const socket = connect(port, '127.0.0.1')
  const [arriving] = (await once(door, 'connection')) as [Socket]
  socket.write(get.slice(0, 10))
  await expect.poll(() => arriving.bytesRead).toBe(10)
  const silent = connect(port, '127.0.0.1')
  await once(door, 'connection')
  const stopped = door.stop(60_000)
  // Ended in the step that could end the other one.
  expect(await text(silent)).toBe('')
  socket.write(get.slice(10))
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 503 /)
  await stopped
})
