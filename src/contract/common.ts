import * as z from 'zod'
import { team } from './text.ts'

/** Enum whose values carry the gateway's prefix: `prefixed('PRIORITY', ['HIGH'])` has the value `PRIORITY_HIGH` (CONTRACT §0.1). */
export function prefixed<const P extends string, const V extends readonly string[]>(prefix: P, values: V) {
  type Value = `${P}_${V[number]}`
  return z.enum(values.map((value) => `${prefix}_${value}`) as [Value, ...Value[]])
}

/** The enum as requests may write it: any case, with or without its prefix (CONTRACT §0.1). */
export function accept<E extends z.ZodEnum>(schema: E): z.ZodType<z.output<E>, z.output<E>> {
  const byFold = new Map<string, string>()
  for (const option of schema.options.map(String)) byFold.set(option.toLowerCase(), option)
  const shared = commonPrefix(schema.options.map(String))
  for (const option of schema.options.map(String)) byFold.set(option.slice(shared.length).toLowerCase(), option)
  const fold = (value: unknown) => (typeof value === 'string' ? (byFold.get(value.toLowerCase()) ?? value) : value)
  // preprocess types its input as unknown; callers of ours still write the enum's own values.
  return z.preprocess(fold, schema) as z.ZodType<z.output<E>, z.output<E>>
}

/** `NAME_` of values such as `PRIORITY_HIGH`; empty for the lower-case enums of the specification. */
function commonPrefix(options: readonly string[]): string {
  const first = options[0] ?? ''
  for (let end = first.lastIndexOf('_') + 1; end > 0; end = first.lastIndexOf('_', end - 2) + 1) {
    const prefix = first.slice(0, end)
    if (/^[A-Z_]+$/.test(prefix) && options.every((option) => option.startsWith(prefix))) return prefix
  }
  return ''
}

/** RFC 3339 UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ offset: true })
/** Product ids are decimal, because Sentry SDKs cut or refuse others (ERRORS §1.1). */
export const ProductId = z.string().regex(/^[1-9]\d{0,15}$/, 'a product id is a decimal number such as 1')
/** Every other id is opaque to clients. */
export const Id = z.string().min(1).max(128)
export const Etag = z.string()
export const RequestId = z.string().min(1).max(64).describe('Idempotency key: the same key and body within 24 h get the stored response.')
export const ValidateOnly = z.boolean().describe('Full validation and response, nothing written.')

export const CoverageState = z.enum(['verified', 'not_run', 'no_test'])
export const IssueStatus = z.enum(['unresolved', 'resolved', 'ignored'])
export const Level = z.enum(['fatal', 'error', 'warning', 'info', 'debug'])
export const Period = z.enum(['3m', '1h', '12h', '1d', '7d', '30d'])
export const Priority = prefixed('PRIORITY', ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'])
export const RiskLevel = prefixed('RISK_LEVEL', ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'])
export const ResultStatus = prefixed('RESULT_STATUS', ['PASSED', 'FAILED', 'SKIPPED', 'ERROR', 'FLAKY', 'BLOCKED'])

export const Ref = z.object({ id: z.string(), key: z.string(), title: team(z.string()) })
export const Labels = z.record(z.string(), team(z.string()))

export const Actor = z.object({
  type: prefixed('ACTOR_TYPE', ['USER', 'API_TOKEN', 'AGENT', 'SYSTEM']),
  id: z.string(),
  display_name: team(z.string()),
  /** The person behind a token: four-eyes compares it. */
  user_id: z.string(),
})

export const CodeRef = z.object({
  path: team(z.string()),
  symbol: team(z.string()),
  start_line: z.int(),
  end_line: z.int(),
  source: prefixed('CODE_REF_SOURCE', ['DECLARED', 'MARKER', 'COVERAGE', 'INFERRED']),
  confidence: z.number(),
})

export const Coverage = z.object({
  state: CoverageState,
  failing: z.boolean(),
  suspect: z.boolean(),
  flaky: z.boolean(),
  linked_test_count: z.int(),
  passed_count: z.int(),
  failed_count: z.int(),
  not_run_count: z.int(),
  last_verified_at: Timestamp.nullable(),
  last_verified_release: team(z.string()),
  uncovered_criterion_ids: z.array(z.string()),
})
