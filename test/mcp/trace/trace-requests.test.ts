import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Send, WireRequest } from '../../../src/contract/base/wire.ts'
import type { SpanFacts, Tracing } from '../../../src/lib/trace/span.ts'
import { requestEnvelope } from '../../../src/mcp/opening/read.ts'
import { origin, startApp, type App } from '../../app.ts'
import { connect, eras } from '../clients.ts'
import { connectHttp, serveMcp } from '../http/http-server.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const meta = {
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
}

/** A client into the service, and the requests that it made. */
function watchedApi(token = app.token) {
  const requests: WireRequest[] = []
  const send: Send = (request) => {
    requests.push(request)
    return app.service.direct(request)
  }
  return { api: createApi({ send, baseUrl: origin, token, via: 'mcp' }), requests }
}

const passedOn = (requests: readonly WireRequest[]) =>
  requests.map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }))

test.each(eras)('without an exporter, the trace of a call of %s is passed on as it came', async (era) => {
  const { api, requests } = watchedApi()
  await using agent = await connect(api, { era })
  await agent.client.callTool({ name: 'find_error_issues', arguments: {}, _meta: meta })
  expect(requests.length).toBeGreaterThan(0)
  expect(passedOn(requests)).toEqual(requests.map(() => meta))
})

test('calls at the same time do not pass on each other’s trace', async () => {
  const { api, requests } = watchedApi()
  await using agent = await connect(api)
  const parents = Array.from({ length: 20 }, (_, at) => `00-${String(at + 1).padStart(32, '0')}-00f067aa0ba902b7-00`)
  await Promise.all(
    [...parents, undefined].map((traceparent) =>
      agent.client.callTool({
        name: 'find_error_issues',
        arguments: {},
        ...(traceparent !== undefined && { _meta: { traceparent } }),
      }),
    ),
  )
  const times = (traceparent: string | undefined) =>
    requests.filter(({ headers }) => headers['traceparent'] === traceparent).length
  const each = requests.length / 21
  expect([...parents, undefined].map(times)).toEqual(Array.from({ length: 21 }, () => each))
})

test.each([
  ['of another form', { traceparent: 'x\r\nauthorization: Bearer y' }],
  ['without a trace', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
  ['that is no text', { traceparent: 7 }],
])('a traceparent %s is not passed on', async (_, _meta) => {
  const { api, requests } = watchedApi()
  await using agent = await connect(api, { era: '2025-11-25' })
  await agent.client.callTool({ name: 'find_error_issues', arguments: {}, _meta })
  expect(passedOn(requests)).toEqual(requests.map(() => ({ traceparent: undefined, tracestate: undefined })))
})

test('over HTTP the header counts where _meta names no trace', async () => {
  const watched: WireRequest[] = []
  await using server = await serveMcp(app, {
    apiFor(token) {
      const { api, requests } = watchedApi(token)
      requests.push = (...more) => watched.push(...more)
      return api
    },
  })
  await using agent = await connectHttp(`${server.base}/mcp`, app.token, '2026-07-28', meta)
  watched.splice(0)
  await agent.call('find_error_issues')
  expect(passedOn(watched)).toContainEqual(meta)
  const other = { traceparent: '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01' }
  watched.splice(0)
  await agent.client.callTool({ name: 'find_error_issues', arguments: {}, _meta: other })
  expect(passedOn(watched)).toContainEqual({ ...other, tracestate: undefined })
})

type Recorded = SpanFacts & { traceparent: string; outcome?: { error?: string | undefined } }

/** Spans as they begin; those that have ended have an outcome. */
function recorder() {
  const spans: Recorded[] = []
  const tracing: Tracing = {
    begin(facts) {
      const traceparent = `00-${'c'.repeat(32)}-${String(spans.length + 1).padStart(16, '0')}-01`
      const span: Recorded = { ...facts, traceparent }
      spans.push(span)
      return { context: { traceparent }, end: (outcome = {}) => void (span.outcome ??= outcome) }
    },
  }
  return { tracing, listens: () => spans.filter(({ name }) => name === 'subscriptions/listen') }
}

const gate = () => `tracegate://product/${app.productId}/gate`

test.each(['stdio', 'http'] as const)(
  'over %s, a stream of changes is one span, which its reads belong to and which ends when its client leaves it',
  async (transport) => {
    const { tracing, listens } = recorder()
    const { api, requests } = watchedApi()
    await using server = await serveMcp(app, { tracing, apiFor: () => api })
    await using agent =
      transport === 'http'
        ? await connectHttp(`${server.base}/mcp`, app.token, '2026-07-28', meta)
        : await connect(api, { tracing })
    const client = agent.client as Client
    const [one, other] = [await client.listen({ resourceSubscriptions: [gate()] }), await client.listen({})]
    expect(listens()).toMatchObject([
      {
        kind: 'server',
        parent: transport === 'http' ? meta : undefined,
        attributes: {
          'mcp.method.name': 'subscriptions/listen',
          'mcp.protocol.version': '2026-07-28',
          'jsonrpc.request.id': 'listen:0',
          'network.transport': transport === 'http' ? 'tcp' : 'pipe',
        },
      },
      { attributes: { 'jsonrpc.request.id': 'listen:1' } },
    ])
    expect(listens()[0]).not.toHaveProperty('outcome')
    expect(requests.map(({ headers }) => headers['traceparent'])).toContain(listens()[0]?.traceparent)
    await one.close()
    await expect.poll(() => listens()[0]?.outcome).toEqual({})
    await other.close()
    await agent[Symbol.asyncDispose]()
    await expect.poll(() => listens().map(({ outcome }) => outcome)).toEqual([{}, {}])
  },
)

test('the span of a stream ends with the server, and a refused one with the code of the refusal', async () => {
  const { tracing, listens } = recorder()
  await using server = await serveMcp(app, { tracing })
  await using agent = await connectHttp(`${server.base}/mcp`, app.token, '2026-07-28')
  await (agent.client as Client).listen({ resourceSubscriptions: [gate()] })
  for (const notifications of [{ taskIds: ['1'] }, 'none']) {
    const _meta = requestEnvelope({ name: 'test', version: '1' })
    const method = 'subscriptions/listen'
    await fetch(`${server.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { notifications, _meta } }),
    })
  }
  expect(listens().map(({ outcome }) => outcome?.error)).toEqual([undefined, '-32021', '-32602'])
  expect(listens()[0]).not.toHaveProperty('outcome')
  await server[Symbol.asyncDispose]()
  expect(listens()[0]).toMatchObject({ outcome: {} })
})

test('over stdio the span of a refused stream has the code of the refusal, and an open one ends with the connection', async () => {
  const { tracing, listens } = recorder()
  const agent = await connect(watchedApi().api, { tracing })
  const client = agent.client as Client
  await client.listen({ resourceSubscriptions: [gate()] })
  await expect(client.listen({ taskIds: ['1'] } as never)).rejects.toThrow(/capabilit/i)
  await expect(client.listen('none' as never)).rejects.toThrow(/notifications/)
  expect(listens().map(({ outcome }) => outcome?.error)).toEqual([undefined, '-32021', '-32602'])
  expect(listens()[0]).not.toHaveProperty('outcome')
  await agent[Symbol.asyncDispose]()
  expect(listens()[0]).toMatchObject({ outcome: {} })
})

test.each(eras.slice(1))(
  'a client of %s that asks for a stream of the newer revision gets one span, of an error',
  async (era) => {
    const { tracing, listens } = recorder()
    await using agent = await connect(watchedApi().api, { era, tracing })
    const { transport } = agent.client as Client
    const params = { notifications: { resourceSubscriptions: [] } }
    await transport!.send({ jsonrpc: '2.0', id: 900, method: 'subscriptions/listen', params })
    await expect.poll(() => listens().map(({ outcome }) => outcome?.error)).toEqual(['-32601'])
  },
)
