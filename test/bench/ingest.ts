import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'undici'
import { serve } from '../serve.ts'
import { inTurn } from './median.ts'

const EVENTS = 2000
const IN_FLIGHT = 64

/** Acknowledged events per second over loopback HTTP, beside a bare node:http server that only reads and parses them. */
export async function ingest(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  const bare = await bareServer()
  try {
    {
      await using _firstStart = await serve({ dataDir })
    }
    unlimit(dataDir)
    await using app = await serve({ dataDir, env: { TRACEGATE_LOG_LEVEL: 'error' } })
    const { host, username, pathname } = new URL(app.endpoints.dsn)
    const path = `/api${pathname}/envelope/?sentry_key=${username}`
    const perSecond = await inTurn(
      { 'bare node:http': () => flood(bare.origin, '/'), 'tracegate (on disk)': () => flood(`http://${host}`, path) },
      5,
    )
    for (const [name, rate] of Object.entries(perSecond)) {
      console.log(
        `  ${name.padEnd(20)} ${rate.toFixed(0).padStart(7)} events/s  × ${(rate / perSecond['bare node:http']).toFixed(2)}`,
      )
    }
  } finally {
    bare.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Takes the rate limit off the product's key: the benchmark measures the store, not the bucket. */
function unlimit(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'tracegate.db'))
  db.exec('UPDATE dsn_key SET rate_per_second = 0')
  db.close()
}

let sent = 0

/** Sends `EVENTS` envelopes of about 2.8 KB, `IN_FLIGHT` at a time; resolves to events per second. */
async function flood(origin: string, path: string): Promise<number> {
  const pool = new Pool(origin, { connections: IN_FLIGHT })
  const start = performance.now()
  let left = EVENTS
  const worker = async () => {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({ method: 'POST', path, body: envelope(sent++) })
      if (statusCode !== 200) throw new Error(`answered ${String(statusCode)}: ${await body.text()}`)
      await body.dump()
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  await pool.close()
  return EVENTS / ((performance.now() - start) / 1000)
}

function envelope(n: number): string {
  const frames = Array.from({ length: 11 }, (_, at) => ({
    function: `step${String(at)}`,
    filename: `src/checkout/step-${String(at)}.ts`,
    lineno: 10 + at,
    colno: 7,
    in_app: true,
    context_line: `  return next(order, { step: ${String(at)}, retry: false, currency: 'EUR' })`,
  }))
  const event = {
    platform: 'node',
    environment: 'production',
    release: 'shop@1.0.0',
    user: { id: `user-${String(n % 500)}` },
    exception: {
      values: [{ type: `Error${String(n % 40)}`, value: `order ${String(n)} failed`, stacktrace: { frames } }],
    },
    breadcrumbs: Array.from({ length: 4 }, (_, at) => ({ category: 'cart', message: `added item ${String(at)}` })),
  }
  return `{"event_id":"${n.toString(16).padStart(32, '0')}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`
}

async function bareServer(): Promise<{ origin: string; close(): void }> {
  const server = createServer((request, reply) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      JSON.parse(body.split('\n')[2] ?? '')
      reply.end('{"id":"0"}')
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
