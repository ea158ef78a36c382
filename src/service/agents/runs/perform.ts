import type { Call, Platform } from '../../shared/context.ts'
import type { Database } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { parseInput, requireType, StoredObject } from '../configs/input.ts'
import type { AgentContext, AgentDefinition, AgentEnd } from '../define.ts'
import { countFindings, type FindingEvent } from './findings.ts'
import { readPrincipal } from './principal.ts'
import { createReport } from './report.ts'
import type { StoredRun } from './store.ts'

export interface PerformOptions {
  db: Database
  platform: Platform
  symbolicator: Call['symbolicator']
  types: readonly AgentDefinition[]
  run: StoredRun
  /** Aborts when the run has to stop. */
  signal: AbortSignal
  /** Called after each commit. */
  onChanged: (runId: string) => void
}

/** What the type of a run returned. */
export interface Performed {
  type: AgentDefinition
  end: AgentEnd
  /** Continues the count of findings. */
  findingEvent: FindingEvent
}

/** Runs the type of a leased run. Rejects with what the type threw, and with `RunStopped` when the run has to stop. */
export async function performRun(options: PerformOptions): Promise<Performed> {
  const { types, run } = options
  const type = requireType(types, run.agent_type_id)
  const input = parseInput(type, readJson(StoredObject, run.input))
  const findingEvent = countFindings()
  const context = await createContext({ ...options, type, findingEvent })
  return { type, end: await type.run(context, input), findingEvent }
}

async function createContext(options: PerformOptions & Omit<Performed, 'end'>): Promise<AgentContext> {
  const { db, platform, symbolicator, run, type } = options
  const rows = db.read
  const product = await rows
    .selectFrom('product')
    .selectAll()
    .where('id', '=', run.product_id)
    .executeTakeFirstOrThrow()
  const config = await rows
    .selectFrom('agent_config')
    .select('name')
    .where('id', '=', run.agent_config_id)
    .executeTakeFirst()
  const principal = readPrincipal(run.principal)
  const now = run.started_at ?? platform.now()
  return {
    product,
    rows,
    now,
    previous: await readPrevious(options),
    call: {
      // Fixed for the whole run, so that the output depends on no other time than its start.
      now: () => now,
      newId: () => platform.newId(),
      symbolicator,
      principal,
      actor: {
        type: 'ACTOR_TYPE_AGENT',
        id: run.id,
        display_name: config?.name ?? type.title,
        user_id: principal.userId,
      },
      via: '',
      byAgent: true,
      endpoint: 'startAgentRun',
      origin: '',
      validateOnly: false,
    },
    ...createReport({ ...options, lease: { runId: run.id, fence: run.lease_fence } }),
  }
}

/** The output of the config's newest run that succeeded; null when there is none. */
async function readPrevious({ db, run }: PerformOptions): Promise<unknown> {
  const previous = await db.read
    .selectFrom('agent_run')
    .select('output')
    .where('agent_config_id', '=', run.agent_config_id)
    .where('state', '=', 'AGENT_RUN_STATE_SUCCEEDED')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const output = previous?.output
  return output === null || output === undefined ? null : readJson(StoredObject, output)
}
