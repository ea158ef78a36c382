import * as z from 'zod'
import { AgentConfig, AgentRun } from '../../../src/contract/agents.ts'
import type { Cut } from '../../../src/mcp/result/answer.ts'
import type { AgentRun as Run } from '../../../src/mcp/resolve/types.ts'
import { fields, pick } from '../../../src/mcp/result/output.ts'
import { quoted } from '../../../src/mcp/text/untrusted.ts'
import { runSeconds } from './states.ts'

/** Who wrote the texts of a run. */
export const agentRun = {
  source: 'agent run',
  writableBy: 'anyone whose errors, test reports or requirements it read',
} as const

/** How a run stands, as facts. */
export const runState = {
  id: z.string(),
  ...pick(AgentRun, 'state', 'created_at'),
  started_by: AgentRun.shape.started_by.shape.display_name,
  seconds: z.int(),
}

/** A run as a row of a list, with the members of `runState`. */
export function runRow(run: Run) {
  return { ...run, started_by: run.started_by?.display_name, seconds: runSeconds(run) }
}

/** What a run says it found, which is outsiders' text. */
export function runSummary({ id, summary }: Run) {
  return { id, summary: summary && quoted`${summary}` }
}

/** One run as a result shows it; `last_event` is where the next read goes on. */
export const runOutput = z.object({
  run: fields({
    ...runState,
    type: AgentRun.shape.agent_type_id,
    config: AgentConfig.shape.name,
    config_id: z.string(),
    ...pick(AgentRun, 'branch_id'),
  }).optional(),
  progress: fields(AgentRun.shape.progress.shape).optional(),
  last_event: z.int().optional(),
})

/** What to shorten first. */
export const runCuts: readonly Cut[] = [
  { path: 'events.*.data', least: 60 },
  { path: 'events', keep: 'last', least: 5 },
  { path: 'output.*', least: 3 },
]
