import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { limitConnections, type ConnectionLimits } from '../../src/http/connections.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function listening(limits: ConnectionLimits, address?: string) {
  const server = createServer((_, outgoing) => void outgoing.end('served'))
  // A connection of another machine, as the server sees it.
  if (address !== undefined)
    server.on('connection', (socket) => Object.defineProperty(socket, 'remoteAddress', { value: address }))
  limitConnections(server, limits)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return server
}

async function open(server: Server): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
/** The beginning of a request, so that the connection is not idle. */
const begun = 'POST / HTTP/1.1\r\nHost: localhost\r\n'

test('a connection beyond the limit is answered with 503 and a time to come back, and room is used again', async () => {
  const server = await listening({ connections: 2, connectionsPerAddress: 2 })
  const busy = [await open(server), await open(server)]
  for (const socket of busy) socket.write(begun)
  expect(await text(await open(server))).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 5\r\n.*too many connections\n$/s)
  const left = once(busy[0]!, 'close')
  busy[0]!.destroy()
  await left
  await expect
    .poll(async () => {
      const socket = await open(server)
      socket.end(get)
      return (await text(socket)).slice(0, 15)
    })
    .toBe('HTTP/1.1 200 OK')
})

test('idle connections make room for a new one', async () => {
  const server = await listening({ connections: 10, connectionsPerAddress: 100 })
  const idle = await Promise.all(Array.from({ length: 9 }, () => open(server)))
  for (const socket of idle) {
    socket.write(get)
    await once(socket, 'data')
  }
  const closed = Promise.all(idle.map((socket) => once(socket, 'close')))
  const next = await open(server)
  await closed
  next.end(get)
  expect(await text(next)).toContain('served')
})

test.each([
  ['203.0.113.7', 'too many connections'],
  ['::ffff:203.0.113.7', 'too many connections'],
  ['2001:db8::7', 'too many connections'],
  ['127.0.0.1', 'served'],
  ['::ffff:10.0.0.7', 'served'],
  ['::1', 'served'],
])('the second connection of %s is answered "%s" where one per address is allowed', async (address, answer) => {
  const server = await listening({ connections: 100, connectionsPerAddress: 1 }, address)
  const first = await open(server)
  first.write(begun)
  const second = await open(server)
  second.end(get)
  expect(await text(second)).toContain(answer)
})
