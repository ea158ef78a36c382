import * as z from 'zod'
import { ServiceError } from '../../errors.ts'
import { counted } from '../../lib/counted.ts'
import type { Effect } from '../define/define.ts'
import { words } from '../define/parameters.ts'
import { refuseManyElements } from './argument-count.ts'
import { keysShown, repair, type Repaired } from './repair/index.ts'
import { findParameter } from './repair/keys.ts'
import { nameShown, type RepairKind } from './repair/notes.ts'
import { inputPlan } from './repair/plan.ts'
import { unwrap } from '../result/output.ts'
import { sentencesOffered } from '../surface/naming.ts'
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
  tool: { input: z.ZodObject; effect: Effect; pinned: boolean; product?: string | undefined; offers: Offers },
  raw: unknown,
): ReadArguments {
  refuseManyElements(raw)
  const { pinned, product, offers } = tool
  const repaired = repair(tool.input, raw ?? {}, { writes: tool.effect !== 'read', pinned, product })
  const result = tool.input.safeParse(repaired.args)
  if (result.success) {
    const { notes: adjusted, kinds, ignored } = repaired
    return { args: result.data, adjusted, kinds, ignored }
  }
  const [first, second] = result.error.issues
  const message =
    first !== undefined && isMissing(first, repaired.args)
      ? `${issuePath(first)} is required`
      : `invalid arguments: ${subject(first)}`
  throw new TeachingError('invalid_argument', message, {
    ...(first !== undefined && !isMissing(first, repaired.args) && { sent: sent(first, repaired.args) }),
    expected: [first, second]
      .flatMap((issue) => (issue === undefined ? [] : [expectation(issue, { schema: tool.input, repaired, offers })]))
      .join('; '),
  })
}

/**
 * Translates the service's refusal of a field (`page_token`, `id`) into the tool's parameter (`cursor`, `issue`). Returns
 * any other error unchanged.
 */
export function inToolWords(
  error: unknown,
  input: z.ZodObject,
  { args, offers }: { args: Readonly<Record<string, unknown>>; offers: Offers },
): unknown {
  if (!(error instanceof ServiceError) || error instanceof TeachingError || error.code !== 'invalid_argument') {
    return error
  }
  const plan = inputPlan(input)
  const name = error.violations
    .map(({ field }) => (findParameter(plan, field) ?? findParameter(plan, field.split('.')[0] ?? ''))?.name)
    .find((parameter) => parameter !== undefined && args[parameter] !== undefined)
  if (name === undefined) return error
  const { violations, reason, metadata } = error
  const lesson = {
    sent: `${name} = ${describeValue(args[name])}`,
    expected: `${name}: ${meaning(input, [name], offers)}`,
  }
  const details = { violations, reason, metadata, cause: error }
  return new TeachingError('invalid_argument', `the service does not accept this ${name}`, lesson, details)
}

type Issue = z.core.$ZodIssue
type Offers = (tool: string) => boolean

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

interface Reader {
  schema: z.ZodObject
  repaired: Pick<Repaired, 'args' | 'hints'>
  offers: Offers
}

function expectation(issue: Issue, by: Reader): string {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0])]
  const hint = keys.flatMap((key) => by.repaired.hints.get(key) ?? []).slice(0, 3)
  return [...hint, valid(issue, by)].join('; ')
}

function valid(issue: Issue, { schema, repaired, offers }: Reader): string {
  const name = issuePath(issue)
  if (issue.code === 'unrecognized_keys') return `one of ${memberNames(schema, issue.path).join(', ')}`
  if (issue.code === 'invalid_value') return `${name}: ${issue.values.map(String).join(' | ')}`
  if (isMissing(issue, repaired.args)) return `${name}: ${meaning(schema, issue.path, offers)}`
  if (issue.code === 'invalid_type') {
    return `${name || 'arguments'}: ${typeWords.get(issue.expected) ?? issue.expected}`
  }
  if (issue.code === 'too_big') return `${name}: at most ${amount(issue.maximum, issue.origin)}`
  if (issue.code === 'too_small') {
    const isEmpty = issue.origin === 'string' && issue.minimum === 1
    return isEmpty ? `${name}: must not be empty` : `${name}: at least ${amount(issue.minimum, issue.origin)}`
  }
  // The schema says in its own words what it matches, where the description says only what it is.
  if (issue.code === 'invalid_format' && !issue.message.startsWith('Invalid ')) return `${name}: ${issue.message}`
  return `${name}: ${meaning(schema, issue.path, offers)}`
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ['int', 'a whole number'],
  ['string', 'a text'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['boolean', 'true or false'],
])

/** Whether a required member was left out, or was empty and therefore read as left out. */
function isMissing({ code, path }: Issue, args: unknown): boolean {
  const value = path.reduce<unknown>((at, key) => member(at, key), args)
  return path.length > 0 && value === undefined && (code === 'invalid_type' || code === 'invalid_value')
}

/** What the schema's description says of the member at the path. */
function meaning(schema: z.ZodObject, path: readonly PropertyKey[], offers: Offers): string {
  if (path.length === 1 && path[0] === 'cursor') return 'next_cursor of the same call, or leave cursor out'
  const text = sentencesOffered(described(schema, path) ?? '', offers).replace(/\.$/, '')
  const example = examples.get(words.get(String(path[0]))?.thing ?? '')
  if (example !== undefined)
    return text.replace(
      /\b(keys?) or ids?\b/i,
      (found, key: string) => `${key} such as ${example}, ${found.slice(key.length + 1)}`,
    )
  return text === '' ? 'as the schema says' : text
}

const examples: ReadonlyMap<string, string> = new Map([
  ['issue', 'SHOP-31'],
  ['requirement', 'REQ-12'],
  ['test', 'TC-7'],
])

/** The description of the member, also when only the schema inside an optional one has it. */
function described(schema: z.core.$ZodType, path: readonly PropertyKey[]): string | undefined {
  const [first, ...rest] = path
  if (first === undefined) {
    const own = z.globalRegistry.get(schema)?.description
    const inner = unwrap(schema)
    return own ?? (inner === schema ? undefined : described(inner, path))
  }
  const inner = unwrap(schema)
  if (inner instanceof z.ZodArray) return described(inner.element, rest)
  const next = inner instanceof z.ZodObject ? (inner.shape as z.ZodRawShape)[String(first)] : undefined
  return next === undefined ? undefined : described(next, rest)
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

function amount(count: number | bigint, origin: string): string {
  if (origin === 'string') return counted(Number(count), 'character')
  return origin === 'array' ? counted(Number(count), 'item') : String(count)
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
