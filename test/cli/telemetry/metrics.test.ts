import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Served } from '../../serve.ts'
import { connectHttp } from '../../mcp/http/http-server.ts'
import { serveHere, temporaryFolder } from '../run.ts'

const folder = temporaryFolder()
let app: Served
beforeAll(async () => {
  app = await serveHere({ dataDir: folder.path })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function metrics(): Promise<string> {
  const response = await fetch(`${app.endpoints.rest}/metrics`)
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  return response.text()
}

/** The value of one series. */
async function value(series: string): Promise<number | undefined> {
  const line = (await metrics()).split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

function sendEvent(body: string, key = new URL(app.endpoints.dsn).username) {
  const { dsn, ingest } = app.endpoints
  const product = new URL(dsn).pathname
  return fetch(`${ingest}/api${product}/store/?svc_key=${key}`, { method: 'POST', body })
}

test('calls of tools are counted by tool and outcome, and timed', async () => {
  await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
  await agent.call('find_error_issues')
  await agent.call('get_error_issue', { issue: 'SHOP-999' })
  expect(await value('tracegate_tool_calls_total{gen_ai_tool_name="find_error_issues",outcome="ok"}')).toBe(1)
  expect(await metrics()).toMatch(/tracegate_tool_calls_total\{gen_ai_tool_name="get_error_issue",outcome="\w+"\} 1/)
  const time = 'mcp_server_operation_duration_seconds_count'
  expect(await value(`${time}{mcp_method_name="tools/call",gen_ai_tool_name="find_error_issues"}`)).toBe(1)
})

test('requests are counted by method, class of address and status, whatever their sender makes up', async () => {
  const count = (labels: string) => value(`http_server_request_duration_seconds_count{${labels}}`)
  const other = 'http_request_method="GET",http_route="other",http_response_status_code="404"'
  await fetch(`${app.endpoints.rest}/made-up-by-a-sender`)
  await fetch(`${app.endpoints.rest}/constructor`)
  await fetch(`${app.endpoints.rest}/v1/auth/me`)
  await expect.poll(() => count(other)).toBe(2)
  expect(await count('http_request_method="GET",http_route="/v1",http_response_status_code="401"')).toBe(1)
  expect(await metrics()).not.toMatch(/made-up|constructor/)
})

test('requests of SDKs are counted with the reason of a refusal, and stored events', async () => {
  const outcome = (name: string) => value(`tracegate_ingest_requests_total{outcome="${name}"}`)
  expect((await sendEvent('{"message":"a crash of the test"}')).status).toBe(200)
  expect((await sendEvent('no event')).status).toBe(400)
  expect((await sendEvent('{}', 'f'.repeat(32))).status).toBe(401)
  expect(await outcome('ok')).toBe(1)
  expect(await outcome('invalid_argument')).toBe(1)
  expect(await outcome('unauthenticated')).toBe(1)
  expect(await value('tracegate_ingest_events_total')).toBe(1)
  expect(await metrics()).not.toContain('a crash of the test')
})

test('what waits, memory and the lag of the event loop are read when a collector asks', async () => {
  expect(await value('tracegate_database_writes')).toBeGreaterThanOrEqual(0)
  expect(await value('tracegate_ingest_waiting_bytes')).toBe(0)
  expect(await value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(await value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
})

test('open sessions and streams of clients are counted while they are open', async () => {
  expect(await value('tracegate_mcp_sessions')).toBe(0)
  await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2025-11-25')
  await agent.call('find_error_issues')
  expect(await value('tracegate_mcp_sessions')).toBe(1)
  await expect.poll(() => value('tracegate_mcp_streams')).toBe(1)
  await agent.client.close()
  await expect.poll(() => value('tracegate_mcp_streams')).toBe(0)
})

test('no series holds a token, a key, an id or the name of a product', async () => {
  const text = await metrics()
  const { token, dsn, dataDir } = { ...app.endpoints, dataDir: app.dataDir }
  for (const secret of [token, new URL(dsn).username, dataDir]) expect(text).not.toContain(secret)
  const values = new Set([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, , label]) => label ?? ''))
  expect([...values].filter((label) => /[0-9a-f]{16}|tg_/.test(label))).toEqual([])
})
