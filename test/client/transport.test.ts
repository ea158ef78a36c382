import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTcp, type AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { networkSend, type NetworkOptions } from '../../src/client/transport.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A real loopback server: a mock does not fail as sockets do. */
async function deployment(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  cleanups.push(() => closed(server))
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

function closed(server: Server) {
  server.closeAllConnections()
  return new Promise((done) => server.close(done))
}

function createTestApi(baseUrl: string, options: NetworkOptions = {}) {
  const send = networkSend(options)
  cleanups.push(() => send.close())
  return createApi({ send, baseUrl, token: 't', sleep: () => Promise.resolve() })
}

const create = { product_id: '1', name: 'qa' }

test('a read survives broken connections, even in the middle of a response', async () => {
  let seen = 0
  const baseUrl = await deployment((request, reply) => {
    if (++seen === 1) return request.socket.destroy()
    if (seen === 2)
      return void reply.writeHead(200, { 'content-length': 1000 }).write('{"work', () => request.socket.destroy())
    return void reply.end('{"workspaces":[]}')
  })
  expect((await createTestApi(baseUrl).listWorkspaces({})).workspaces).toEqual([])
  expect(seen).toBe(3)
})

test('a write that must not be repeated has an unknown outcome when its connection breaks', async () => {
  let seen = 0
  const baseUrl = await deployment((request) => {
    seen++
    request.socket.destroy()
  })
  await expect(createTestApi(baseUrl).createEnvironment(create)).rejects.toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringMatching(/may or may not have taken effect/) as string,
  })
  expect(seen).toBe(1)
})

test('a write has an unknown outcome when the response is too late', async () => {
  const baseUrl = await deployment(() => {})
  await expect(createTestApi(baseUrl, { timeoutMs: 100 }).createEnvironment(create)).rejects.toMatchObject({
    code: 'outcome_unknown',
  })
})

test('a write that was never received fails as not done', async () => {
  const server = createTcp()
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  const api = createTestApi(`http://127.0.0.1:${String(port)}`)
  await expect(api.createEnvironment(create)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('ECONNREFUSED') as string,
  })
})

test('a response over the limit is not read', async () => {
  const baseUrl = await deployment((_, reply) => void reply.end(JSON.stringify({ workspaces: ['x'.repeat(5000)] })))
  await expect(createTestApi(baseUrl, { maxReplyBytes: 1000 }).listWorkspaces({})).rejects.toMatchObject({
    code: 'upstream_shape_unknown',
  })
})

test('a response that arrives byte by byte is ended at the deadline', async () => {
  const baseUrl = await deployment((_, reply) => {
    const drip = setInterval(() => reply.write(' '), 20)
    reply.once('close', () => clearInterval(drip))
  })
  await expect(createTestApi(baseUrl, { timeoutMs: 150 }).listWorkspaces({})).rejects.toMatchObject({
    code: 'unavailable',
  })
})

test('at most eight requests are in flight to one deployment', async () => {
  let open = 0
  let most = 0
  const baseUrl = await deployment((_, reply) => {
    most = Math.max(most, ++open)
    setImmediate(() => {
      open--
      reply.end('{"workspaces":[]}')
    })
  })
  const api = createTestApi(baseUrl)
  await Promise.all(Array.from({ length: 100 }, () => api.listWorkspaces({})))
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(8)
})
