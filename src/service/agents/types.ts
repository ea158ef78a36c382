import type * as z from 'zod'
import type { AgentType } from '../../contract/agents.ts'

type AgentTypeBody = z.input<typeof AgentType>

/** The built-in agent types, by id. All are deterministic: the same data gives the same output. */
export const agentTypes: readonly AgentTypeBody[] = [
  {
    id: 'flaky_scan',
    name: 'flaky_scan',
    title: 'Find flaky tests',
    description: 'Finds cases that passed and failed on the same commit.',
    version: '1',
    deterministic: true,
    reads: ['tests'],
    writes: [],
    input_schema: { type: 'object', properties: { window: { type: 'string' } } },
    output_schema: { type: 'object' },
    default_input: { window: '30d' },
    triggers: ['AGENT_TRIGGER_MANUAL'],
    required_scopes: ['read'],
  },
]
