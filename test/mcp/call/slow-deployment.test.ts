import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import { networkSend } from '../../../src/client/transport.ts'
import { connect } from '../clients.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A real loopback server, and an agent whose calls may take 0.3 s. */
async function agentOf(answer: RequestListener) {
  let open = 0
  const seen: string[] = []
  const server = createServer((request, reply) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`)
    open += 1
    reply.once('close', () => (open -= 1))
    answer(request, reply)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const send = networkSend()
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
    return send.close()
  })
  const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const api = createApi({ send, baseUrl, token: 't' })
  const agent = await connect(api, { callMs: 300, options: { toolsets: ['all'] } })
  cleanups.push(() => agent[Symbol.asyncDispose]())
  return { agent, seen, server, openRequests: () => open }
}

const slow: readonly (readonly [string, RequestListener])[] = [
  ['never answers', () => {}],
  ['sends headers and no body', (_, reply) => reply.writeHead(200).flushHeaders()],
  [
    'sends one byte at a time',
    (_, reply) => {
      const drip = setInterval(() => reply.write(' '), 10)
      reply.once('close', () => clearInterval(drip))
    },
  ],
]

test.each(slow)('a call of a deployment that %s ends with its time, and leaves no request open', async (_, answer) => {
  const { agent, seen, server, openRequests } = await agentOf(answer)
  const { text } = await agent.call('get_workspace_context')
  expect(text).toMatch(/no answer from GET \/v1\/\S+ within the 0\.3 s of this call \(upstream_unavailable/)
  const before = seen.length
  server.closeIdleConnections()
  while (openRequests() > 0) {
    // oxlint-disable-next-line no-await-in-loop -- until the client has closed them
    await new Promise((done) => setImmediate(done))
  }
  expect(seen).toHaveLength(before)
})
