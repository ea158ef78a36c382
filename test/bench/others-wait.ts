import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { build } from '../../src/dev/build.ts'
import { serve, type Served } from '../serve.ts'
import { loadNames } from './loads.ts'

const ROUNDS = 3
const IDLE_MS = 3_000
const LOAD_MS = 5_000
/** Time between two loads, in which the server settles and the budget of the key fills up. */
const SETTLE_MS = 2_000
/** Below the limit of 20 requests a second and token. */
const EVERY_MS = 60

interface Sample {
  rest: number[]
  tool: number[]
}

/** What one load did in one round: 95th percentiles under it and right before it, and the most memory that was seen. */
interface Round {
  rest: { idle: number; loaded: number }
  tool: { idle: number; loaded: number }
  mb: number
}

/**
 * 95th percentile of a REST read and of a tool call over HTTP while another process loads the built server, beside that
 * of the idle server right before, and the memory of the server, started anew for each load. The goals are three times
 * the idle value and 300 MB.
 */
export async function othersWait(): Promise<void> {
  const dist = resolve(import.meta.dirname, '../../dist')
  await build(dist)
  for (const name of loadNames) {
    await using served = await serve({ main: join(dist, 'tracegate.js'), env: { TRACEGATE_LOG_LEVEL: 'error' } })
    const agent = await connectAgent(served)
    try {
      // Compiles what the measured calls use.
      await measure(served, agent, IDLE_MS)
      const fresh = memory(served.pid)
      const rounds: Round[] = []
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRound(name, served, agent))
      print(name, fresh, rounds)
    } finally {
      await agent.close()
    }
  }
}

async function measureRound(name: string, served: Served, agent: Client): Promise<Round> {
  await sleep(SETTLE_MS)
  const idle = await measure(served, agent, IDLE_MS)
  const stop = await startLoad(name, served)
  const loaded = await measure(served, agent, LOAD_MS)
  const mb = memory(served.pid)
  await stop()
  return {
    rest: { idle: p95(idle.rest), loaded: p95(loaded.rest) },
    tool: { idle: p95(idle.tool), loaded: p95(loaded.tool) },
    mb,
  }
}

function print(name: string, fresh: number, rounds: readonly Round[]): void {
  const shown = (['rest', 'tool'] as const).map((kind) => {
    const times = rounds.map((round) => round[kind])
    const [idle, loaded] = [median(times.map((one) => one.idle)), median(times.map((one) => one.loaded))]
    const ratio = median(times.map((one) => one.loaded / one.idle))
    return `${kind} ${idle.toFixed(1).padStart(5)} → ${loaded.toFixed(1).padStart(6)} ms × ${ratio.toFixed(1).padStart(4)}`
  })
  const most = Math.max(...rounds.map(({ mb }) => mb))
  console.log(`  ${name.padEnd(21)} ${shown.join('   ')}   ${fresh.toFixed(0)} → ${most.toFixed(0)} MB`)
}

function p95(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Times of reads and tool calls. */
async function measure(served: Served, agent: Client, ms: number): Promise<Sample> {
  const { product_id: product } = served.endpoints
  const until = performance.now() + ms
  const sample: Sample = { rest: [], tool: [] }
  while (performance.now() < until) {
    sample.rest.push(await timed(() => served.rest('GET', `/v1/products/${product}/issues?page_size=10`)))
    await sleep(EVERY_MS)
    sample.tool.push(await timed(() => agent.callTool({ name: 'find_error_issues', arguments: {} })))
    await sleep(EVERY_MS)
  }
  return sample
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The most resident megabytes of a process so far; NaN where the platform does not tell. */
function memory(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]
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

/** Resolves once the load runs, to what ends it. */
async function startLoad(name: string, { endpoints }: Served): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'loads.ts'), name], {
    env: { ...process.env, ENDPOINTS: JSON.stringify(endpoints) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const runs = new Promise<'runs'>((done) => child.stdout.once('data', () => done('runs')))
  if ((await Promise.race([runs, ended])) !== 'runs') throw new Error(`the load "${name}" ended at once`)
  return () => {
    child.stdin.end()
    return ended
  }
}
