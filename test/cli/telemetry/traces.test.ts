import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { bareEnvironment } from '../../serve.ts'
import { connectHttp } from '../../mcp/http/http-server.ts'
import { eras } from '../../mcp/clients.ts'
import { publishedCommand } from '../published.ts'
import { serveHere, temporaryFolder } from '../run.ts'
import { collectSpans, type Collected } from './collector.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
const settings = (endpoint: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
})

const called = (spans: readonly Collected[]) => spans.filter(({ name }) => name === 'tools/call find_error_issues')

const hasRemoteParent = (span: Collected | undefined) => ((span?.flags ?? 0) & 0x200) !== 0

test.each(eras)(
  'over HTTP, a call of %s is a span of the trace in its _meta, with the requests that it makes',
  async (era) => {
    await using collector = await collectSpans()
    {
      await using app = await serveHere({ env: settings(collector.endpoint) })
      await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, era)
      const call = { name: 'find_error_issues', arguments: { query: 'words-of-the-caller' }, _meta: { traceparent } }
      await agent.client.callTool(call)
      await agent.call('get_error_issue', { issue: 'SHOP-999' })
    }
    const [call] = called(collector.spans)
    expect(call).toMatchObject({
      kind: 2,
      traceId,
      parentSpanId: '00f067aa0ba902b7',
      isError: false,
      service: 'tracegate',
      attributes: {
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': era === 'sdk 1.32' ? '2025-11-25' : era,
        'gen_ai.tool.name': 'find_error_issues',
        'gen_ai.operation.name': 'execute_tool',
        'network.transport': 'tcp',
      },
    })
    const requests = collector.spans.filter(({ parentSpanId }) => parentSpanId === call?.spanId)
    expect(requests.length).toBeGreaterThan(0)
    expect(hasRemoteParent(call)).toBe(true)
    for (const request of requests) {
      const { kind, traceId: own, name, attributes } = request
      expect(hasRemoteParent(request)).toBe(false)
      expect({ kind, own }).toEqual({ kind: 3, own: traceId })
      expect(name).toMatch(/^(?:GET|POST) \/v1\/[\w/{}:-]+$/)
      expect(attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' })
    }
    const failed = collector.spans.find(({ name }) => name === 'tools/call get_error_issue')
    expect(failed).toMatchObject({ isError: true, attributes: { 'error.type': 'tool_error' } })
    expect(collector.texts.join('')).not.toMatch(/words-of-the-caller|SHOP-999|tg_\w{20}|Bearer/)
  },
)

test('the header of an HTTP request is the parent where _meta names none, and else a link', async () => {
  await using collector = await collectSpans()
  const header = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  {
    await using app = await serveHere({ env: settings(collector.endpoint) })
    const headers = { traceparent: header }
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28', headers)
    await agent.call('find_error_issues')
    await agent.client.callTool({ name: 'find_error_issues', arguments: {}, _meta: { traceparent } })
  }
  const [first, second] = called(collector.spans)
  expect(first).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) })
  expect(second).toMatchObject({ traceId, links: [{ traceId: 'a'.repeat(32) }] })
})

test('names that a caller makes up are in no span', async () => {
  await using collector = await collectSpans()
  {
    await using app = await serveHere({ env: settings(collector.endpoint) })
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2025-11-25')
    await agent.client.callTool({ name: 'made_up_by_a_caller', arguments: {} }).catch(() => undefined)
    const { endpoints } = app
    await fetch(endpoints.mcp, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${endpoints.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        traceparent: 'made_up_by_a_caller',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'made_up_by_a_caller and long enough to carry something else',
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    })
  }
  expect(collector.spans.map(({ name }) => name)).toContain('tools/call')
  expect(collector.texts.join('')).not.toContain('made_up_by_a_caller')
})

test.each([
  ['OTEL_SERVICE_NAME', 'quality'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'service.name=quality,team=shop'],
])('over stdio the spans of a process are sent before it ends, with the name that %s gives', async (name, value) => {
  await using collector = await collectSpans()
  using folder = temporaryFolder()
  const env = { ...bareEnvironment(), ...settings(collector.endpoint), [name]: value }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [await publishedCommand(), 'stdio', '--data', folder.path],
      env: env as Record<string, string>,
      stderr: 'ignore',
    }),
  )
  await client.callTool({ name: 'find_error_issues', arguments: {}, _meta: { traceparent } })
  await client.close()
  await expect
    .poll(() => called(collector.spans))
    .toMatchObject([
      {
        traceId,
        service: 'quality',
        attributes: { 'network.transport': 'pipe', 'mcp.protocol.version': '2026-07-28' },
      },
    ])
})

test.each([
  ['OTEL_SDK_DISABLED', 'true'],
  ['OTEL_TRACES_EXPORTER', 'none'],
  ['OTEL_TRACES_EXPORTER', ' None'],
  ['OTEL_TRACES_SAMPLER', 'always_off'],
  ['OTEL_TRACES_SAMPLER', 'Always_Off'],
])('%s=%s records nothing', async (name, value) => {
  await using collector = await collectSpans()
  {
    await using app = await serveHere({ env: { ...settings(collector.endpoint), [name]: value } })
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
    await agent.call('find_error_issues')
  }
  expect(collector.spans).toEqual([])
})

test.each([
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '' }, undefined],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, 'OTEL_TRACES_SAMPLER_ARG'],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '-1' }, 'OTEL_TRACES_SAMPLER_ARG'],
  [{ OTEL_TRACES_SAMPLER: 'made_up' }, 'OTEL_TRACES_SAMPLER'],
  [{ OTEL_BSP_MAX_QUEUE_SIZE: 'many', OTEL_BSP_SCHEDULE_DELAY: '' }, 'OTEL_BSP_MAX_QUEUE_SIZE'],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: '' }, undefined],
])('%j counts as not set, and what was ignored is said: %s', async (env, ignored) => {
  await using collector = await collectSpans()
  const app = await serveHere({ env: { ...settings(collector.endpoint), ...env } })
  {
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
    await agent.call('find_error_issues')
  }
  await app[Symbol.asyncDispose]()
  expect(called(collector.spans)).toHaveLength(1)
  const said = /(?<name>OTEL_\w+) has no value that is supported/.exec(app.output())?.groups?.['name']
  expect(said).toBe(ignored)
})

test('a parent that is not sampled stays so where the sampler is unknown', async () => {
  await using collector = await collectSpans()
  {
    await using app = await serveHere({ env: { ...settings(collector.endpoint), OTEL_TRACES_SAMPLER: 'made_up' } })
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
    const _meta = { traceparent: traceparent.replace(/01$/, '00') }
    await agent.client.callTool({ name: 'find_error_issues', arguments: {}, _meta })
  }
  expect(called(collector.spans)).toEqual([])
})

/** A collector that answers so; `lost` resolves when a request of a peer that left has no answer. */
async function answering(answer: (outgoing: ServerResponse) => void) {
  const [asked, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = createServer((incoming, outgoing) => {
    incoming.resume()
    asked.resolve()
    outgoing.once('close', () => lost.resolve())
    answer(outgoing)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    endpoint: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    asked: asked.promise,
    lost: lost.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

test('spans that a collector does not take are said, without its words', async () => {
  await using collector = await answering((outgoing) => {
    const answer = { partialSuccess: { rejectedSpans: '3', errorMessage: 'the secret of the collector' } }
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  const app = await serveHere({ env: settings(collector.endpoint) })
  {
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
    await agent.call('find_error_issues')
  }
  await app[Symbol.asyncDispose]()
  expect(app.output().match(/some spans were lost/g)).toHaveLength(1)
  expect(app.output()).not.toContain('secret of the collector')
})

test('a collector that never answers does not hold a process that ends', async () => {
  await using collector = await answering(() => undefined)
  using folder = temporaryFolder()
  const patience = { OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_EXPORT_TIMEOUT: '600000' }
  const env = { ...bareEnvironment(), ...settings(collector.endpoint), ...patience }
  const args = [await publishedCommand(), 'stdio', '--data', folder.path]
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  say({ id: 1, method: 'initialize', params: initialize })
  say({ method: 'notifications/initialized' })
  say({ id: 2, method: 'tools/call', params: { name: 'find_error_issues', arguments: {} } })
  for await (const line of createInterface(child.stdout)) if (line.includes('"id":2')) break
  child.stdin.end()
  await collector.asked
  expect(await ended).toEqual([0, null])
  await collector.lost
})

test('without a protocol, spans are sent as protobuf to the very address of the traces', async () => {
  const received = Promise.withResolvers<IncomingHttpHeaders>()
  const server = createServer(({ headers }, outgoing) => {
    received.resolve(headers)
    outgoing.end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  {
    await using app = await serveHere({ env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${address}/traces` } })
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
    await agent.call('find_error_issues')
  }
  expect(await received.promise).toMatchObject({ 'content-type': 'application/x-protobuf' })
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

test('a collector that is away delays the end by seconds at most, and is said once without what was sent', async () => {
  const away = createServer()
  await new Promise<void>((ready) => away.listen(0, '127.0.0.1', ready))
  const { port } = away.address() as AddressInfo
  await new Promise((done) => away.close(done))
  const app = await serveHere({ env: settings(`http://127.0.0.1:${String(port)}`) })
  {
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
    await agent.call('find_error_issues')
  }
  await app[Symbol.asyncDispose]()
  expect(app.output().match(/traces cannot be exported/g)?.length ?? 0).toBeLessThan(2)
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'notaurl'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4317'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'localhost:4317'],
])('%s=%s, which is no web address, is said, and the server goes on without traces', async (name, value) => {
  await using app = await serveHere({ env: { [name]: value } })
  await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
  await agent.call('find_error_issues')
  expect(app.output().match(/traces cannot be exported; check OTEL_EXPORTER_OTLP_ENDPOINT/g)).toHaveLength(1)
})
