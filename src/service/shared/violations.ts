import type * as z from 'zod'
import { ServiceError, type FieldViolation } from '../../errors.ts'
import { cut } from '../../lib/text.ts'

/**
 * Converts zod's issues with `input` to an `invalid_argument`: one sentence per member, with the allowed values of an
 * enum. The caller's own text is not repeated.
 */
export function invalidInput(input: unknown, issues: readonly z.core.$ZodIssue[]): ServiceError {
  const violations = toViolations(input, issues)
  const missing = violations.find(({ description }) => description.startsWith(required))
  const shown = missing ?? violations[0]
  return new ServiceError('invalid_argument', `${shown?.field ?? 'body'} ${shown?.description ?? 'is invalid'}`, {
    reason: missing === undefined ? 'FIELD_INVALID' : 'FIELD_REQUIRED',
    violations,
  })
}

const required = 'is required'
/** Characters of a member's name that is not ours. */
const NAME_SHOWN = 60

/** One sentence for each member that zod's issues name, in their order. */
export function toViolations(input: unknown, issues: readonly z.core.$ZodIssue[]): FieldViolation[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? unknownMembers(issue) : toViolation(input, issue),
  )
}

function unknownMembers({ path, keys }: z.core.$ZodIssueUnrecognizedKeys): FieldViolation[] {
  return keys.map((key) => ({
    field: [...path.map(String), cut(key, NAME_SHOWN)].join('.'),
    description: 'is not known',
  }))
}

function toViolation(input: unknown, issue: z.core.$ZodIssue): FieldViolation {
  const field = issue.path.map(String).join('.')
  const allowed = allowedValues(issue)
  if (valueAt(input, issue.path) === undefined) {
    return { field, description: allowed.length === 0 ? required : `${required}: one of ${allowed.join(', ')}` }
  }
  return { field, description: allowed.length === 0 ? describe(issue) : `must be one of ${allowed.join(', ')}` }
}

/** Values of an enum, including one inside a union such as "empty or a status". */
function allowedValues(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String).filter((value) => value !== '')
  if (issue.code === 'invalid_union') return issue.errors.flat().flatMap(allowedValues)
  return []
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be ${article(issue.expected)}`
  if (issue.code === 'too_small') {
    const holds = issue.origin === 'string' || issue.origin === 'array'
    if (holds && Number(issue.minimum) === 1) return 'must not be empty'
    return `must ${bound(issue.origin, 'at least', issue.minimum)}`
  }
  if (issue.code === 'too_big') return `must ${bound(issue.origin, 'at most', issue.maximum)}`
  const isTime = issue.code === 'invalid_format' && issue.format === 'datetime'
  return isTime ? 'must be a time such as 2026-01-31T12:00:00.000Z' : `is invalid: ${issue.message}`
}

function article(type: string): string {
  const names: Readonly<Record<string, string>> = {
    int: 'a whole number',
    array: 'a list',
    object: 'an object',
    record: 'an object',
  }
  return names[type] ?? `a ${type}`
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${relation} ${limit} characters`
  if (origin === 'array') return `have ${relation} ${limit} members`
  return `be ${relation} ${limit}`
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}
