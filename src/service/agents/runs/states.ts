import type * as z from 'zod'
import type { AgentRunState } from '../../../contract/agents.ts'

export type RunState = z.output<typeof AgentRunState>

/** The states of a run that has not ended. */
export const activeStates = [
  'AGENT_RUN_STATE_QUEUED',
  'AGENT_RUN_STATE_RUNNING',
  'AGENT_RUN_STATE_CANCELLING',
] as const satisfies readonly RunState[]

/** Whether a run has not ended. */
export function isActive(state: string): boolean {
  return activeStates.some((active) => active === state)
}
