import * as z from 'zod'
import { ServiceError } from '../../errors.ts'
import type { Effect } from '../define/define.ts'
import { keysShown, repair, type Repaired } from './repair/index.ts'
import { findParameter } from './repair/keys.ts'
import { nameShown, type RepairKind } from './repair/notes.ts'
import { inputPlan } from './repair/plan.ts'
import { unwrap } from '../result/output.ts'
import { describeValue, TeachingError } from '../result/teach.ts'

export interface ReadArguments {
  args: Readonly<Record<string, unknown>>
  /** The repairs, one short note each. */
  adjusted: readonly string[]
  kinds: readonly RepairKind[]
  /** Names of parameters that the tool does not have, which are not applied. */
  ignored: string | undefined
}

/**
 * Reads the arguments of every call with the tool's schema, after repairing the usual mistakes of models. Throws a
 * `TeachingError` that says what was sent and what is valid.
 */
export function readArguments(
  tool: { input: z.ZodObject; effect: Effect; pinned: boolean; product?: string | undefined },
  raw: unknown,
): ReadArguments {
  const { pinned, product } = tool
  const repaired = repair(tool.input, raw ?? {}, { writes: tool.effect !== 'read', pinned, product })
  const result = tool.input.safeParse(repaired.args)
  if (result.success) {
    const { notes: adjusted, kinds, ignored } = repaired
    return { args: result.data, adjusted, kinds, ignored }
  }
  const [first, second] = result.error.issues
  throw new TeachingError('invalid_argument', `invalid arguments: ${subject(first)}`, {
    ...(first !== undefined && { sent: sent(first, repaired.args) }),
    expected: [first, second]
      .flatMap((issue) => (issue === undefined ? [] : [expectation(issue, tool.input, repaired.hints)]))
      .join('; '),
  })
}

/**
 * Translates the service's refusal of a field (`page_token`, `id`) into the tool's parameter (`cursor`, `issue`). Returns
 * any other error unchanged.
 */
export function inToolWords(error: unknown, input: z.ZodObject, args: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof ServiceError) || error instanceof TeachingError || error.code !== 'invalid_argument') {
    return error
  }
  const plan = inputPlan(input)
  const name = error.violations
    .map(({ field }) => findParameter(plan, field)?.name)
    .find((parameter) => parameter !== undefined && args[parameter] !== undefined)
  if (name === undefined) return error
  const { violations, reason, metadata } = error
  const lesson = {
    sent: `${name} = ${describeValue(args[name])}`,
    expected: `${name}: ${z.globalRegistry.get(input.shape[name] ?? input)?.description ?? 'as its description says'}`,
  }
  const details = { violations, reason, metadata, cause: error }
  return new TeachingError('invalid_argument', `the service does not accept this ${name}`, lesson, details)
}

type Issue = z.core.$ZodIssue

function subject(issue: Issue | undefined): string {
  if (issue === undefined) return 'no reason'
  if (issue.code === 'unrecognized_keys') return `unknown parameter ${keysShown(issue.keys)}`
  return issuePath(issue) || 'the whole object'
}

function sent(issue: Issue, raw: unknown): string {
  const value = issue.path.reduce<unknown>((at, key) => member(at, key), raw)
  if (issue.code === 'unrecognized_keys') return keysShown(issue.keys)
  return `${issuePath(issue) || 'arguments'} = ${describeValue(value)}`
}

function expectation(issue: Issue, schema: z.ZodObject, hints: Repaired['hints']): string {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0])]
  const hint = keys.flatMap((key) => hints.get(key) ?? []).slice(0, 3)
  return [...hint, valid(issue, schema)].join('; ')
}

function valid(issue: Issue, schema: z.ZodObject): string {
  const name = issuePath(issue)
  if (issue.code === 'unrecognized_keys') return `one of ${memberNames(schema, issue.path).join(', ')}`
  if (issue.code === 'invalid_value') return `${name}: ${issue.values.map(String).join(' | ')}`
  if (issue.code === 'invalid_type') {
    return `${name || 'arguments'}: ${issue.expected === 'int' ? 'a whole number' : issue.expected}`
  }
  if (issue.code === 'too_big') return `${name}: at most ${String(issue.maximum)}${unit(issue.origin)}`
  if (issue.code === 'too_small') return `${name}: at least ${String(issue.minimum)}${unit(issue.origin)}`
  return `${name}: as its description says`
}

/** The members that the object at the path may have. */
function memberNames(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodArray) return memberNames(inner.element, path.slice(1))
  if (!(inner instanceof z.ZodObject)) return []
  const [first, ...rest] = path
  const member = first === undefined ? undefined : (inner.shape as z.ZodRawShape)[String(first)]
  return member === undefined ? Object.keys(inner.shape) : memberNames(member, rest)
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' items' : ''
}

function issuePath(issue: Issue): string {
  return issue.path
    .map((key) => (typeof key === 'number' ? `[${String(key)}]` : `.${nameShown(String(key))}`))
    .join('')
    .slice(1)
}

function member(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Object.getOwnPropertyDescriptor(value, key)?.value
}
