import * as z from 'zod'
import { team, trusted, untrusted } from './text.ts'

const prefixes = new WeakMap<z.core.$ZodType, string>()

/** Enum whose values carry the gateway's prefix: `prefixed('PRIORITY', ['HIGH'])` has the value `PRIORITY_HIGH` (contract §0.1). */
export function prefixed<const P extends string, const V extends readonly string[]>(prefix: P, values: V) {
  type Value = `${P}_${V[number]}`
  const schema = z.enum(values.map((value) => `${prefix}_${value}`) as [Value, ...Value[]])
  prefixes.set(schema, `${prefix}_`)
  return schema
}

/** `PRIORITY_` of an enum made by `prefixed`; empty for the lower-case enums of the specification. */
export function enumPrefix(schema: z.core.$ZodType): string {
  return prefixes.get(schema) ?? ''
}

/** The enum as requests may write it: any case, with or without its prefix (contract §0.1). */
export function accept<E extends z.ZodEnum>(schema: E): z.ZodType<z.output<E>, z.output<E>> {
  const byFold = new Map<string, string>()
  const prefix = enumPrefix(schema)
  for (const option of schema.options.map(String)) {
    byFold.set(option.toLowerCase(), option)
    byFold.set(option.slice(prefix.length).toLowerCase(), option)
  }
  const fold = (value: unknown) => (typeof value === 'string' ? (byFold.get(value.toLowerCase()) ?? value) : value)
  // preprocess types its input as unknown; our own callers still pass the enum's values.
  return z.preprocess(fold, schema) as z.ZodType<z.output<E>, z.output<E>>
}

/** RFC 3339 UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ offset: true })
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')
/** A time in a request, with any offset; in UTC its year has four digits, as results write it. */
export const TimestampInput = z.iso
  .datetime({ offset: true, abort: true })
  .refine(
    (time) => Date.parse(time) >= FIRST_TIME && Date.parse(time) <= LAST_TIME,
    'not in the years 0001 to 9999 of UTC',
  )
/** Product ids are decimal, because Sentry SDKs truncate or reject others (errors §1.1). */
export const ProductId = trusted(z.string().regex(/^[1-9]\d{0,15}$/, 'a product id is a decimal number such as 1'))
/** Every other id is opaque to clients. */
export const Id = trusted(z.string().min(1).max(128))
/** Id of a related object in a result; empty if there is none. */
export const IdOrEmpty = trusted(z.string())
/** Human-readable key or other name that the service assigns: `REQ-12`, `SHOP-31`, a slug, a type id; empty if there is none. */
export const Key = trusted(z.string())
/** Digest in hex or base64url; empty if there is none. */
export const Hash = trusted(z.string())
/** A sentence written by the service; never contains text of events or reports. */
export const Sentence = trusted(z.string())
export const Etag = trusted(z.string())
export const RequestId = z
  .string()
  .min(1)
  .max(64)
  .describe('Idempotency key: the same key and body within 24 h return the stored response.')
export const ValidateOnly = z.boolean().describe('Validate fully and return the response, but write nothing.')

/** Of a sibling among its siblings, as requests set it; what the service places after others may get a larger one. */
export const Position = z.int().min(0).max(1_000_000_000)

export const CoverageState = z.enum(['verified', 'not_run', 'no_test'])
export const IssueStatus = z.enum(['unresolved', 'resolved', 'ignored'])
export const Level = z.enum(['fatal', 'error', 'warning', 'info', 'debug'])
export const Period = z.enum(['3m', '1h', '12h', '1d', '7d', '30d'])

/** `3m` is three minutes, because the specification's list is ascending (contract §10.2). */
export const trailingPeriod = Period.optional().describe('Trailing window; 3m = three minutes.')
export const Priority = prefixed('PRIORITY', ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'])
export const RiskLevel = prefixed('RISK_LEVEL', ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'])
export const ResultStatus = prefixed('RESULT_STATUS', ['PASSED', 'FAILED', 'SKIPPED', 'ERROR', 'FLAKY', 'BLOCKED'])

export const Ref = z.object({ id: IdOrEmpty, key: Key, title: team(z.string()) })
/**
 * An environment (title = its name), a release (title = its version) or a test in a result; `known` as in contract §6, of
 * a test as in contract §4.4.
 */
export const NamedRef = z.object({ id: IdOrEmpty, key: Key, title: untrusted(z.string()), known: z.boolean() })
export const Labels = z.record(team(z.string()), team(z.string()))
/** What was omitted from a result: `"<member>:<reason>:<kept>/<total>"`. */
export const TruncationSignals = z.array(Sentence)

export const ActorType = prefixed('ACTOR_TYPE', ['USER', 'API_TOKEN', 'AGENT', 'SYSTEM'])

export const Actor = z.object({
  type: ActorType,
  id: IdOrEmpty,
  display_name: team(z.string()),
  /** The person behind a token, which the four-eyes rule compares. */
  user_id: IdOrEmpty,
})

export const CodeRefSource = prefixed('CODE_REF_SOURCE', ['DECLARED', 'MARKER', 'COVERAGE', 'INFERRED'])

export const CodeRef = z.object({
  path: team(z.string()),
  symbol: team(z.string()),
  start_line: z.int(),
  end_line: z.int(),
  source: CodeRefSource,
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
  skipped_count: z.int().describe('Those of `not_run_count` that were skipped in their newest run.'),
  last_verified_at: Timestamp.nullable(),
  last_verified_release: untrusted(z.string()),
  last_verified_release_known: z.boolean(),
  uncovered_criterion_ids: z.array(Id).describe('Criteria that no link covers.'),
  covered_criterion_ids: z.array(Id).describe('Criteria that a link names and whose tests passed.'),
})

/** Requirements by coverage state. */
export const CoverageCounts = z.object({
  verified: z.int(),
  not_run: z.int(),
  no_test: z.int(),
  failing: z.int().describe('Those of `not_run` with a failing test.'),
  suspect: z.int().describe('Those of `not_run` without a failing test that changed since their tests were linked.'),
})
export const CoverageEffect = z.object({ before: CoverageCounts, after: CoverageCounts })

/** Why a change takes an item out of a condition of the gate (contract §7.2). */
export const ExclusionReason = z
  .string()
  .trim()
  .max(1000)
  .describe('Why; shown where the change excludes an item from the gate.')

/** Request members that several nouns share. */
export const Title = z.string().trim().min(1).max(200)
export const TagList = z.array(z.string().trim().min(1).max(60)).max(50)
export const LabelMap = z
  .record(z.string().min(1).max(60), z.string().max(500))
  .refine((labels) => Object.keys(labels).length <= 50, 'at most 50 labels')
export const IdList = z.array(Id).max(100)

/** The writable members of a create request: each may be left out. */
export function optional<S extends z.ZodRawShape>(shape: S) {
  return z.object(shape).partial().shape
}

/** The writable members of a PUT request: absent = unchanged, null = cleared (contract §3). */
export function clearable<S extends z.ZodRawShape>(shape: S) {
  const members = Object.entries(shape).map(([name, schema]) => [name, z.nullable(schema).optional()] as const)
  return Object.fromEntries(members) as { [K in keyof S]: z.ZodOptional<z.ZodNullable<S[K]>> }
}
