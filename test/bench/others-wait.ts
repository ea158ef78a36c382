import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Pool } from 'undici'
import { serve, type Served } from '../serve.ts'

const ROUND_MS = 6_000
const ROUNDS = 2
/** Below the limit of 20 requests a second and token. */
const EVERY_MS = 100

/** Starts a load, which runs until the signal. */
type Load = (served: Served, signal: AbortSignal) => Promise<unknown>

const loads: Record<string, Load> = {
  idle: () => Promise.resolve(),
  'a 3 MB report': sendReports,
  'brotli bombs': (served, signal) => flood(served, signal, { inFlight: 8, body: bomb, encoding: 'br' }),
  'client reports': (served, signal) => flood(served, signal, { inFlight: 32, body: clientReport, encoding: '' }),
  '300 halves of bodies': sendHalves,
}

/**
 * 95th percentile of a REST read and of a tool call over HTTP while others load the server, beside that of an idle one,
 * and the memory of the server. The goals are three times the idle value and 300 MB.
 */
export async function othersWait(): Promise<void> {
  await using served = await serve({ env: { TRACEGATE_LOG_LEVEL: 'error' } })
  const agent = await connectAgent(served)
  try {
    await post(served, envelope('{"type":"event"}', '{"message":"boom"}'))
    // The first large report of a process also makes the module of its thread.
    await report(served, junit(1_000))
    const taken = new Map(
      Object.keys(loads).map((name) => [name, { rest: [] as number[], tool: [] as number[], mb: 0 }]),
    )
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, load] of Object.entries(loads)) {
        const stop = new AbortController()
        const running = load(served, stop.signal)
        const sample = await measure(served, agent)
        stop.abort()
        await running
        const kept = taken.get(name)
        if (kept === undefined) continue
        kept.rest.push(...sample.rest)
        kept.tool.push(...sample.tool)
        kept.mb = Math.max(kept.mb, sample.mb)
      }
    }
    print(taken)
  } finally {
    await agent.close()
  }
}

function print(taken: ReadonlyMap<string, { rest: number[]; tool: number[]; mb: number }>): void {
  const idle = taken.get('idle') ?? { rest: [], tool: [] }
  for (const [name, { rest, tool, mb }] of taken) {
    const shown = [rest, tool].map((times, index) => {
      const base = p95(index === 0 ? idle.rest : idle.tool)
      return `${p95(times).toFixed(1).padStart(7)} ms × ${(p95(times) / base).toFixed(1).padStart(4)}`
    })
    console.log(
      `  ${name.padEnd(22)} REST ${shown[0] ?? ''}   tool ${shown[1] ?? ''}   ${mb.toFixed(0).padStart(4)} MB`,
    )
  }
}

function p95(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

/** Times of reads and tool calls during one round, and the most memory that was seen. */
async function measure(served: Served, agent: Client): Promise<{ rest: number[]; tool: number[]; mb: number }> {
  const { product_id: product } = served.endpoints
  const until = performance.now() + ROUND_MS
  const sample = { rest: [] as number[], tool: [] as number[], mb: 0 }
  while (performance.now() < until) {
    sample.rest.push(await timed(() => served.rest('GET', `/v1/products/${product}/issues?page_size=10`)))
    sample.tool.push(await timed(() => agent.callTool({ name: 'find_error_issues', arguments: {} })))
    sample.mb = Math.max(sample.mb, memoryOf(served.pid))
    await sleep(EVERY_MS)
  }
  return sample
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Resident megabytes of a process; NaN where the platform does not tell. */
function memoryOf(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]
    return Number(kilobytes) / 1024
  } catch {
    return Number.NaN
  }
}

async function connectAgent({ endpoints }: Served): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const headers = { authorization: `Bearer ${endpoints.token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoints.mcp), { requestInit: { headers } }))
  return client
}

function envelope(...lines: string[]): Buffer {
  return Buffer.from(['{}', ...lines].join('\n'))
}

const unpacked = 19 * 1024 * 1024
const bomb = zlib.brotliCompressSync(
  Buffer.concat([envelope(`{"type":"session","length":${String(unpacked)}}\n`), Buffer.alloc(unpacked)]),
)
const clientReport = envelope(
  '{"type":"client_report"}',
  '{"discarded_events":[{"reason":"before_send","category":"error","quantity":1}]}',
)

function ingestPath({ endpoints }: Served): { origin: string; path: string } {
  const { host, username, pathname } = new URL(endpoints.dsn)
  return { origin: `http://${host}`, path: `/api${pathname}/envelope/?sentry_key=${username}` }
}

async function post(served: Served, body: Buffer): Promise<void> {
  const { origin, path } = ingestPath(served)
  await (await fetch(origin + path, { method: 'POST', body: new Uint8Array(body) })).text()
}

async function flood(
  served: Served,
  signal: AbortSignal,
  { inFlight, body, encoding }: { inFlight: number; body: Buffer; encoding: string },
): Promise<void> {
  const { origin, path } = ingestPath(served)
  const pool = new Pool(origin, { connections: inFlight })
  const sender = async () => {
    while (!signal.aborted) {
      const headers = { 'content-encoding': encoding }
      await pool
        .request({ method: 'POST', path, headers, body })
        .then((reply) => reply.body.dump())
        .catch(() => undefined)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, sender))
  await pool.close()
}

async function sendHalves(served: Served, signal: AbortSignal): Promise<void> {
  const { origin, path } = ingestPath(served)
  const { hostname, port } = new URL(origin)
  const bytes = 1024 * 1024
  const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${String(bytes)}\r\n\r\n`
  const sockets = Array.from({ length: 300 }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined).resume()
    socket.write(head)
    socket.write(Buffer.alloc(bytes - 576, ' '))
    return socket
  })
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  for (const socket of sockets) socket.destroy()
}

async function sendReports(served: Served, signal: AbortSignal): Promise<void> {
  const content = junit(30_000)
  while (!signal.aborted) await report(served, content)
}

async function report({ endpoints }: Served, content: string): Promise<void> {
  const headers = { authorization: `Bearer ${endpoints.token}`, 'content-type': 'application/xml' }
  const address = `${endpoints.rest}/v1/products/${endpoints.product_id}/tests:ingest`
  const reply = await fetch(address, { method: 'POST', headers, body: content })
  if (reply.status !== 200)
    throw new Error(`the report was answered with ${String(reply.status)}: ${await reply.text()}`)
  await reply.text()
}

function junit(count: number): string {
  const cases = Array.from(
    { length: count },
    (_, index) => `<testcase name="case ${String(index)} with a name of usual length" classname="suite" time="0.01"/>`,
  )
  return `<testsuite name="suite" file="test/suite.test.ts">${cases.join('\n')}</testsuite>`
}
