import * as z from 'zod'
import type { AgentConfig, AgentRun, AgentType } from '../../../src/contract/agents.ts'
import {
  defineAgent,
  type AgentContext,
  type AgentDefinition,
  type AgentEnd,
} from '../../../src/service/agents/define.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import { startApp, type App, type AppOptions, type Reply } from '../../app.ts'
import { virtualClock, type VirtualClock } from '../../virtual-clock.ts'
import { usesPostgres } from '../../postgres/databases.ts'

const ProbeInput = z.strictObject({
  limit: z.int().min(1).max(50).default(10).describe('How many.'),
  names: z.array(z.string().max(20)).max(5).default([]).describe('Names.'),
  scope: z.strictObject({ path: z.string() }).optional().describe('Where.'),
})
const ProbeOutput = z.object({ found: z.int(), names: z.array(z.string()).optional() })

type ProbeRun = (context: AgentContext, input: z.output<typeof ProbeInput>) => Promise<AgentEnd<typeof ProbeOutput>>

/** What a probe does unless a test says otherwise: it succeeds. */
export const succeed: ProbeRun = (_context, { limit, names }) =>
  Promise.resolve({ summary: `Found ${String(limit)}.`, output: { found: limit, names } })

/** An agent type of the tests that only reads. */
export function probe(run: ProbeRun = succeed, facts: Partial<Pick<AgentDefinition, 'id' | 'title' | 'writes'>> = {}) {
  return defineAgent({
    id: 'probe',
    title: 'Probe',
    description: 'Does what a test says.',
    version: '1.0.0',
    reads: ['requirements'],
    writes: [],
    ...facts,
    input: ProbeInput,
    output: ProbeOutput,
    run,
  })
}

export type Config = z.input<typeof AgentConfig>
export type Run = z.input<typeof AgentRun>
export type Type = z.input<typeof AgentType>

/** The service with agent types of the tests; by default one probe that succeeds. */
export function startAgentApp({ agentTypes = [probe()], ...options }: AppOptions = {}): Promise<App> {
  return startApp({ ...options, agentTypes })
}

/** The service on a clock that the test sets forward, which the times in the database follow. */
export async function startOnClock(
  agentTypes: readonly AgentDefinition[],
  { dataDir, aheadMs = 0 }: { dataDir?: string; aheadMs?: number } = {},
) {
  const clock = virtualClock()
  const started = systemPlatform.now() + aheadMs
  const now = () => started + clock.now()
  const app = await startAgentApp({
    agentTypes,
    clock,
    platform: { now },
    ...(dataDir !== undefined && { dataDir }),
    // Nothing but its clock wakes it: it hears no other process.
    ...(usesPostgres() && { databaseListenUrl: 'postgres://nobody@127.0.0.1:1/none' }),
  })
  return { app, clock, now }
}

/** The longest time between two looks of the service for runs. */
const LONGEST_PAUSE_MS = 2_000

/** Passes time once the service waits for its next look: one in progress does not notice that time passes. */
export async function pass(clock: VirtualClock, milliseconds: number): Promise<void> {
  await until(() => (clock.untilNext() <= LONGEST_PAUSE_MS ? true : undefined))
  clock.pass(milliseconds)
}

export function createConfig(
  app: App,
  body: Record<string, unknown> = {},
  headers?: Record<string, string>,
): Promise<Reply<{ agent_config: Config }>> {
  return app.request(
    'POST',
    `/v1/products/${app.productId}/agent-configs`,
    { agent_type_id: 'probe', ...body },
    headers,
  )
}

/** The id of a new config. */
export async function configure(app: App, body: Record<string, unknown> = {}): Promise<string> {
  return (await createConfig(app, body)).body.agent_config.id
}

export function startRun(
  app: App,
  configId: string,
  body: Record<string, unknown> = {},
  headers?: Record<string, string>,
): Promise<Reply<{ agent_run: Run }>> {
  return app.request('POST', `/v1/agent-configs/${configId}/runs`, body, headers)
}

/** The id of a new run. */
export async function start(app: App, configId: string, body: Record<string, unknown> = {}): Promise<string> {
  return (await startRun(app, configId, body)).body.agent_run.id
}

export async function readRun(app: App, id: string): Promise<Run> {
  return (await app.request<{ agent_run: Run }>('GET', `/v1/agent-runs/${id}`)).body.agent_run
}

export function cancelRun(
  app: App,
  id: string,
  body: Record<string, unknown> = {},
): Promise<Reply<{ agent_run: Run }>> {
  return app.request('POST', `/v1/agent-runs/${id}:cancel`, body)
}

/** The run once its state is the given one, by default any that it ends with. */
export async function reach(app: App, id: string, state?: Run['state']): Promise<Run> {
  const isReached = (run: Run) => (state === undefined ? run.finished_at !== null : run.state === state)
  return until(async () => {
    const run = await readRun(app, id)
    return isReached(run) ? run : undefined
  })
}

/** What `read` resolves to when it is not undefined any more. A disk that is slow to flush may take a while. */
export async function until<T>(read: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const giveUpAt = performance.now() + 10_000
  while (performance.now() < giveUpAt) {
    const value = await read()
    if (value !== undefined) return value
    await new Promise(setImmediate)
  }
  throw new Error('what the test waits for did not happen')
}

/** The events of a run, without the beginning that their types have in common. */
export async function readEvents(app: App, runId: string) {
  const rows = await app.db.read
    .selectFrom('agent_run_event')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('sequence')
    .execute()
  return rows.map(({ type, data, ...event }) => ({
    ...event,
    kind: type.replace('AGENT_RUN_EVENT_TYPE_', ''),
    data: JSON.parse(data) as Record<string, unknown>,
  }))
}

/** The kinds of the events of a run, such as STARTED. */
export async function readKinds(app: App, runId: string): Promise<string[]> {
  return (await readEvents(app, runId)).map(({ kind }) => kind)
}

/** A probe whose runs wait until the test lets them go on. */
export function heldProbe(facts: Parameters<typeof probe>[1] = {}) {
  const started: AgentContext[] = []
  const released = Promise.withResolvers<void>()
  const type = probe(async (context, input) => {
    started.push(context)
    await released.promise
    return succeed(context, input)
  }, facts)
  return { type, started, release: () => released.resolve() }
}

/** A probe whose runs report progress until they are stopped. */
export function endlessProbe() {
  return probe(async (context) => {
    for (let done = 0; ; done += 1) {
      await context.progress({ phase: 'waiting', done, total: 0 })
      await new Promise(setImmediate)
    }
  })
}
