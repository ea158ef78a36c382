import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve, type Served } from '../../../serve.ts'
import { inTurn, percentile } from '../../harness/measure.ts'
import type { Figure, Table } from '../../harness/suite.ts'
import { httpCaller, type Caller } from './callers.ts'
import { residentMb } from '../../support/process-memory.ts'
import { medianCall, ROUNDS, WARM_CALLS } from './timing.ts'
import { addTokens } from './tokens.ts'

const CALLERS = 200
const CALLS_OF_EACH = 15
const TOKENS = 4

/** Tools of `tracegate serve --sample`, over HTTP. */
export async function onTheSample(): Promise<Table[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  try {
    await using served = await serve({ dataDir, args: ['--sample'], env: { TRACEGATE_LOG_LEVEL: 'error' } })
    const tools = await toolTimes(served)
    return [tools, await manyCallers(served, dataDir), await memoryAfterCalls(served)]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function toolTimes({ endpoints: { mcp: url, token } }: Served): Promise<Table> {
  const call = httpCaller({ url, token }, '2026-07-28')
  const tools: Record<string, Record<string, string>> = {
    find_error_issues: {},
    get_workspace_context: {},
    get_error_issue: { issue: 'SHOP-1' },
    get_fix_context: { issue: 'SHOP-1' },
  }
  for (const [name, args] of Object.entries(tools)) await medianCall(() => call(name, args), WARM_CALLS)
  const timed = Object.entries(tools).map(
    ([name, args]) => [name, () => medianCall(() => call(name, args), 60)] as const,
  )
  const values = await inTurn(Object.fromEntries(timed), ROUNDS)
  const figures: Figure[] = Object.entries(values).map(([name, times]) => ({
    name,
    unit: 'ms',
    values: times,
    ...(name === 'find_error_issues' && {
      goals: [{ of: 'median', most: 3 }],
      headline: 'find_error_issues on the sample over HTTP',
    }),
  }))
  return { title: 'Tools on the sample over HTTP, warm', figures }
}

/** Latency of each call while all callers call without a pause. */
async function manyCallers({ endpoints: { mcp: url } }: Served, dataDir: string): Promise<Table> {
  const tokens = await addTokens(dataDir, TOKENS)
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  const callers = Array.from({ length: CALLERS }, (_, at) =>
    httpCaller({ url, token: tokens[at % TOKENS] ?? '', agent }, '2026-07-28'),
  )
  const times: number[] = []
  let failed = 0
  const start = performance.now()
  await Promise.all(callers.map((call) => callOften(call, times, () => (failed += 1))))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  const p50 = percentile(times, 0.5)
  return {
    title: `${String(CALLERS)} callers at once, find_error_issues on the sample`,
    figures: [
      { name: 'errors', unit: 'calls', values: [failed], goals: [{ of: 'median', most: 0 }] },
      { name: 'median', unit: 'ms', values: [p50] },
      {
        name: 'p99',
        unit: 'ms',
        values: [percentile(times, 0.99)],
        against: 'median',
        goals: [{ of: 'ratio', most: 5 }],
      },
      { name: 'rate', unit: 'calls/s', values: [times.length / seconds] },
    ],
    notes: [
      `Each of ${String(CALLERS)} connections makes ${String(CALLS_OF_EACH)} calls. They use ${String(TOKENS)} tokens, because a token may have 100 requests running; reads of the embedded service from its own process have no rate.`,
    ],
  }
}

async function callOften(call: Caller, times: number[], failed: () => void): Promise<void> {
  for (let made = 0; made < CALLS_OF_EACH; made += 1) {
    const start = performance.now()
    await call('find_error_issues').catch(failed)
    times.push(performance.now() - start)
  }
}

const FEW = 1_000
const MANY = 10_000
const IDLE_MS = 5_000

/** Resident memory of a server that was called often, after the same idle time as when it was called seldom. */
async function memoryAfterCalls({ endpoints: { mcp: url, token }, pid }: Served): Promise<Table> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const call = httpCaller({ url, token, agent }, '2026-07-28')
  const idle = async () => {
    await new Promise((done) => setTimeout(done, IDLE_MS))
    return residentMb(pid)
  }
  const make = async (count: number) => {
    const own = async () => {
      for (let made = 0; made < count / 4; made += 1) await call('find_error_issues')
    }
    await Promise.all([own(), own(), own(), own()])
  }
  await make(FEW)
  const few = await idle()
  await make(MANY - FEW)
  const many = await idle()
  agent.destroy()
  return {
    title: 'Resident memory after calls of find_error_issues over HTTP',
    figures: [
      { name: '1,000 calls', unit: 'MB', values: [few] },
      {
        name: '10,000 calls',
        unit: 'MB',
        values: [many],
        against: '1,000 calls',
        goals: [{ of: 'ratio', least: 0.9, most: 1.1 }],
      },
    ],
    notes: [`Four connections; each value is read ${String(IDLE_MS / 1000)} s after the last call.`],
  }
}
