import type * as z from 'zod'
import { shapeOf, TeachingError } from './teach.ts'

/**
 * The arguments as the tool's schema reads them, or one error that says what came and what is valid. Every call passes
 * here, so this is also where arguments are repaired before the strict schema sees them.
 */
export function readArguments(
  schema: z.ZodObject,
  raw: unknown,
): { args: Readonly<Record<string, unknown>>; adjusted: readonly string[] } {
  const result = schema.safeParse(raw ?? {})
  if (result.success) return { args: result.data, adjusted: [] }
  const [first, second] = result.error.issues
  throw new TeachingError('invalid_argument', `the arguments do not fit: ${subject(first)}`, {
    ...(first !== undefined && { sent: sent(first, raw) }),
    expected: [first, second].flatMap((issue) => (issue === undefined ? [] : [expectation(issue, schema)])).join('; '),
  })
}

type Issue = z.core.$ZodIssue

function subject(issue: Issue | undefined): string {
  if (issue === undefined) return 'no reason'
  if (issue.code === 'unrecognized_keys') return `unknown parameter ${issue.keys.map(parameterName).join(', ')}`
  return pathOf(issue) || 'the whole object'
}

function sent(issue: Issue, raw: unknown): string {
  const value = issue.path.reduce<unknown>((at, key) => member(at, key), raw)
  if (issue.code === 'unrecognized_keys') return issue.keys.map(parameterName).join(', ')
  return `${pathOf(issue) || 'arguments'} = ${shapeOf(value)}`
}

function expectation(issue: Issue, schema: z.ZodObject): string {
  const name = pathOf(issue)
  if (issue.code === 'unrecognized_keys') return `one of ${Object.keys(schema.shape).join(', ')}`
  if (issue.code === 'invalid_value') return `${name}: ${issue.values.map(String).join(' | ')}`
  if (issue.code === 'invalid_type') {
    return `${name || 'arguments'}: ${issue.expected === 'int' ? 'a whole number' : issue.expected}`
  }
  if (issue.code === 'too_big') return `${name}: at most ${String(issue.maximum)}${unit(issue.origin)}`
  if (issue.code === 'too_small') return `${name}: at least ${String(issue.minimum)}${unit(issue.origin)}`
  return `${name}: as its description says`
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' items' : ''
}

function pathOf(issue: Issue): string {
  return issue.path
    .map((key) => (typeof key === 'number' ? `[${String(key)}]` : `.${parameterName(String(key))}`))
    .join('')
    .slice(1)
}

/** A key is shown only when it looks like a name: anything else could be a pasted text. */
function parameterName(key: string): string {
  return /^[\w-]{1,40}$/.test(key) ? key : 'a key that is no name'
}

function member(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Object.getOwnPropertyDescriptor(value, key)?.value
}
