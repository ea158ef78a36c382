import * as z from 'zod'
import type { AgentType } from '../../../contract/agents.ts'
import type { AgentDefinition } from '../define.ts'

type AgentTypeView = z.input<typeof AgentType>

const views = new WeakMap<AgentDefinition, AgentTypeView>()

/** Converts a type to the contract's view; its schemas are generated once. */
export function viewType(type: AgentDefinition): AgentTypeView {
  const known = views.get(type)
  if (known !== undefined) return known
  const view = makeView(type)
  views.set(type, view)
  return view
}

function makeView(type: AgentDefinition): AgentTypeView {
  const defaults = type.input.safeParse({})
  return {
    id: type.id,
    name: type.id,
    title: type.title,
    description: type.description,
    version: type.version,
    deterministic: true,
    reads: [...type.reads],
    writes: [...type.writes],
    input_schema: toJsonSchema(type.input),
    output_schema: toJsonSchema(type.output),
    default_input: defaults.data ?? {},
    triggers: ['AGENT_TRIGGER_MANUAL'],
    required_scopes: type.writes.length === 0 ? ['agents:run'] : ['agents:run', 'write'],
  }
}

/** The schema before defaults are applied: outputs are stored as the type returns them. */
function toJsonSchema(schema: z.ZodObject): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { io: 'input' }) }
}
