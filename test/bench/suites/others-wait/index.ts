import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { build } from '../../../../src/dev/build.ts'
import { serve, type Served } from '../../../serve.ts'
import { elapsed, percentile } from '../../harness/measure.ts'
import type { Figure, Suite, Table } from '../../harness/suite.ts'
import { loadNames } from './loads.ts'
import { mostResidentMb } from '../../support/process-memory.ts'

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

/** The server is started for each load, so that its memory is that of the load. */
export const othersWait: Suite = {
  about:
    'What a REST read and a tool call over HTTP wait while another process loads the built server (decision 030): 95th percentile of each round, compared with the idle server right before, and the most memory.',
  onlyNamed: 'It takes three minutes.',
  async run() {
    const dist = resolve(import.meta.dirname, '../../../../dist')
    await build(dist)
    const tables: Table[] = []
    for (const name of loadNames) tables.push(await measureLoad(name, join(dist, 'tracegate.js')))
    return tables
  },
}

async function measureLoad(name: string, main: string): Promise<Table> {
  await using served = await serve({ main, env: { TRACEGATE_LOG_LEVEL: 'error' } })
  const agent = await connectAgent(served)
  try {
    // Compiles what the measured calls use.
    await measure(served, agent, IDLE_MS)
    const rounds: Round[] = []
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRound(name, served, agent))
    return { title: `Under ${name}`, figures: figures(rounds) }
  } finally {
    await agent.close()
  }
}

function figures(rounds: readonly Round[]): Figure[] {
  const waits = (['rest', 'tool'] as const).flatMap((kind): Figure[] => {
    const [idle, loaded] = kind === 'rest' ? ['REST read, idle', 'REST read'] : ['tool call, idle', 'tool call']
    const goals = [{ of: 'ratio', most: 3 }] as const
    return [
      { name: idle, unit: 'ms', values: rounds.map((round) => round[kind].idle) },
      { name: loaded, unit: 'ms', values: rounds.map((round) => round[kind].loaded), against: idle, goals },
    ]
  })
  const most = { of: 'median', most: 300 } as const
  return [...waits, { name: 'most memory so far', unit: 'MB', values: rounds.map(({ mb }) => mb), goals: [most] }]
}

async function measureRound(name: string, served: Served, agent: Client): Promise<Round> {
  await sleep(SETTLE_MS)
  const idle = await measure(served, agent, IDLE_MS)
  const stop = await startLoad(name, served)
  const loaded = await measure(served, agent, LOAD_MS)
  const mb = mostResidentMb(served.pid)
  await stop()
  return {
    rest: { idle: p95(idle.rest), loaded: p95(loaded.rest) },
    tool: { idle: p95(idle.tool), loaded: p95(loaded.tool) },
    mb,
  }
}

function p95(times: readonly number[]): number {
  return percentile(times, 0.95)
}

/** Times of reads and tool calls. */
async function measure(served: Served, agent: Client, ms: number): Promise<Sample> {
  const { product_id: product } = served.endpoints
  const until = performance.now() + ms
  const sample: Sample = { rest: [], tool: [] }
  while (performance.now() < until) {
    sample.rest.push(await elapsed(() => served.rest('GET', `/v1/products/${product}/issues?page_size=10`)))
    await sleep(EVERY_MS)
    sample.tool.push(await elapsed(() => agent.callTool({ name: 'find_error_issues', arguments: {} })))
    await sleep(EVERY_MS)
  }
  return sample
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
