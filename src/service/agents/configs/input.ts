import * as z from 'zod'
import { notFound, ServiceError } from '../../../errors.ts'
import { toViolations } from '../../shared/violations.ts'
import type { AgentDefinition } from '../define.ts'

/** The input of a config or a run, or the output of a run, as it is stored. */
export const StoredObject = z.record(z.string(), z.unknown())

/** Violations in one reply. */
const MOST_VIOLATIONS = 50

/** The type with that id; `not_found` lists the known ones. */
export function requireType(types: readonly AgentDefinition[], id: string): AgentDefinition {
  const type = types.find((each) => each.id === id)
  if (type !== undefined) return type
  throw notFound('agent type', id, `use one of ${types.map((each) => each.id).join(', ')}`)
}

/**
 * The input with the defaults of the type. Throws `INPUT_SCHEMA`, with one violation for each member that does not conform
 * to the type's schema.
 */
export function parseInput(type: AgentDefinition, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parsed = type.input.safeParse(input)
  if (parsed.success) return parsed.data
  const violations = toViolations(input, parsed.error.issues)
    .slice(0, MOST_VIOLATIONS)
    .map(({ field, description }) => ({ field: field === '' ? 'input' : `input.${field}`, description }))
  const [first] = violations
  throw new ServiceError(
    'invalid_argument',
    `${first?.field ?? 'input'} ${first?.description ?? 'is invalid'}; see input_schema of agent type ${type.id}`,
    { reason: 'INPUT_SCHEMA', violations },
  )
}
