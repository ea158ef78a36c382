import type { AgentDefinition } from '../define.ts'

/** The agent types of this service (contract §8), in the order in which they are listed. */
export const agentTypes: readonly AgentDefinition[] = []
