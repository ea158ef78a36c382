import { connect } from 'node:net'
import zlib from 'node:zlib'
import { Pool } from 'undici'
import type { Endpoints } from '../../../serve.ts'

/** Starts a load, which runs until the signal. */
type Load = (endpoints: Endpoints, signal: AbortSignal) => Promise<unknown>

const loads: Record<string, Load> = {
  'a 3 MB report': sendReports,
  'brotli bombs': (endpoints, signal) => flood(endpoints, signal, { inFlight: 8, body: bomb(), encoding: 'br' }),
  'client reports': (endpoints, signal) => flood(endpoints, signal, { inFlight: 32, body: clientReport, encoding: '' }),
  '300 halves of bodies': sendHalves,
}

export const loadNames = Object.keys(loads)

function envelope(...lines: string[]): Buffer {
  return Buffer.from(['{}', ...lines].join('\n'))
}

function bomb(): Buffer {
  const unpacked = 19 * 1024 * 1024
  const item = envelope(`{"type":"session","length":${String(unpacked)}}\n`)
  return zlib.brotliCompressSync(Buffer.concat([item, Buffer.alloc(unpacked)]))
}

const clientReport = envelope(
  '{"type":"client_report"}',
  '{"discarded_events":[{"reason":"before_send","category":"error","quantity":1}]}',
)

function ingestPath({ dsn }: Endpoints): { origin: string; path: string } {
  const { host, username, pathname } = new URL(dsn)
  return { origin: `http://${host}`, path: `/api${pathname}/envelope/?sentry_key=${username}` }
}

async function flood(
  endpoints: Endpoints,
  signal: AbortSignal,
  { inFlight, body, encoding }: { inFlight: number; body: Buffer; encoding: string },
): Promise<void> {
  const { origin, path } = ingestPath(endpoints)
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

/** 300 senders that keep a body unfinished; one that is given up begins again after about a second. */
async function sendHalves(endpoints: Endpoints, signal: AbortSignal): Promise<void> {
  const { origin, path } = ingestPath(endpoints)
  const { hostname, port } = new URL(origin)
  const bytes = 1024 * 1024
  const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${String(bytes)}\r\n\r\n`
  const half = Buffer.alloc(bytes / 2, ' ')
  const start = () => {
    if (signal.aborted) return
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined).resume()
    socket.once('close', () => setTimeout(start, 500 + Math.random() * 1_000))
    socket.write(head)
    socket.write(half)
  }
  for (let sender = 0; sender < 300; sender += 1) start()
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
}

async function sendReports(endpoints: Endpoints, signal: AbortSignal): Promise<void> {
  const content = junit(30_000)
  while (!signal.aborted) await report(endpoints, content)
}

/** Sends one JUnit report; throws unless it was stored. */
async function report(endpoints: Endpoints, content: string): Promise<void> {
  const headers = { authorization: `Bearer ${endpoints.token}`, 'content-type': 'application/xml' }
  const address = `${endpoints.rest}/v1/products/${endpoints.product_id}/tests:ingest`
  const reply = await fetch(address, { method: 'POST', headers, body: content })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`the report was answered with ${String(reply.status)}: ${text}`)
}

function junit(count: number): string {
  const cases = Array.from(
    { length: count },
    (_, index) => `<testcase name="case ${String(index)} with a name of usual length" classname="suite" time="0.01"/>`,
  )
  return `<testsuite name="suite" file="test/suite.test.ts">${cases.join('\n')}</testsuite>`
}

// A process of its own, so that making the load does not keep the measuring process busy: `node loads.ts LOAD`, with the
// endpoints in ENDPOINTS. It prints a line once the load runs, and ends with its standard input.
const [, file = '', wanted = ''] = process.argv
if (file === import.meta.filename) {
  const load = loads[wanted]
  if (load === undefined) throw new Error(`no load ${wanted}`)
  const stop = new AbortController()
  process.stdin.resume().once('end', () => stop.abort())
  const running = load(JSON.parse(process.env['ENDPOINTS'] ?? '') as Endpoints, stop.signal)
  console.log('running')
  await running
  process.exit()
}
