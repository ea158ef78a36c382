import type { Endpoint } from '../contract/base/endpoint.ts'
import { ServiceError, type FailureCode, type FailureDetails } from '../errors.ts'
import { isObject } from '../lib/objects.ts'

/** Longest `Retry-After` that is passed on; a longer one means that the deployment is down for now. */
const longestRetrySeconds = 3600

/**
 * The failure that an error reply means. Only facts of a validated form are taken from the body: the code, the reason, ids
 * in the metadata and field names. Its sentences never are, not even descriptions of field violations: they may quote an
 * event (mcp §5).
 */
export function failureFromReply(
  endpoint: Pick<Endpoint, 'method' | 'path' | 'retry' | 'fails'>,
  reply: { status: number; headers: Readonly<Record<string, string>>; text: string },
  now: number,
): ServiceError {
  const body = parseBody(reply.text)
  const code = failureCode(endpoint, reply.status, body)
  const retryAfterSeconds = retryAfter(reply.headers['retry-after'], now)
  const details: FailureDetails = {
    metadata: body.metadata,
    violations: body.fields.map((field) => ({ field, description: '' })),
  }
  if (body.reason !== undefined) details.reason = body.reason
  if (retryAfterSeconds !== undefined) details.retryAfterSeconds = retryAfterSeconds
  return new ServiceError(code, sentence(endpoint, reply.status, code, body, retryAfterSeconds), details)
}

/** The failure of a call whose reply did not arrive, or arrived incomplete. */
export function unreachable(
  endpoint: Pick<Endpoint, 'method' | 'path' | 'retry'>,
  cause: unknown,
  mayHaveArrived: boolean,
): ServiceError {
  const call = `${endpoint.method} ${endpoint.path}`
  const why = errorCode(cause)
  const reason = why === undefined ? 'network error' : why
  if (mayHaveArrived && endpoint.retry === 'never') {
    return new ServiceError(
      'outcome_unknown',
      `no response to ${call} (${reason}): it may or may not have taken effect`,
      {
        cause,
      },
    )
  }
  return new ServiceError('unavailable', `the service cannot be reached for ${call} (${reason})`, { cause })
}

/** `ECONNRESET`, `UND_ERR_HEADERS_TIMEOUT`, …: the code of a network error or of its cause. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code
  return error.cause === undefined ? undefined : errorCode(error.cause)
}

/** Whole seconds of a `Retry-After` given in seconds or as a date, at most an hour; undefined if it is missing or invalid. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const seconds = Number(value)
  const wait = Number.isNaN(seconds) ? (Date.parse(value) - now) / 1000 : seconds
  return Number.isFinite(wait) ? Math.max(0, Math.min(Math.ceil(wait), longestRetrySeconds)) : undefined
}

interface ErrorBody {
  /** False for plain text, HTML and unrelated JSON: the reply may not be from the service. */
  fromService: boolean
  grpc?: number
  reason?: string
  metadata: Record<string, string>
  fields: string[]
}

const grpcNames: Record<string, number> = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
}

/** Reads `{code,message,details}` and `{error:{…}}`; any other body yields no facts. */
function parseBody(text: string): ErrorBody {
  const nothing: ErrorBody = { fromService: false, metadata: {}, fields: [] }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return nothing
  }
  if (!isObject(json)) return nothing
  const error = isObject(json['error']) ? json['error'] : json
  const grpc = [error['code'], error['status']].map(grpcCode).find((code) => code !== undefined)
  const details = (Array.isArray(error['details']) ? (error['details'] as unknown[]) : []).filter(isObject)
  const info = details.find((detail) => 'reason' in detail)
  const reason = [info?.['reason'], error['reason']].find(isReason)
  return {
    fromService: grpc !== undefined || reason !== undefined,
    ...(grpc === undefined ? {} : { grpc }),
    ...(reason === undefined ? {} : { reason }),
    metadata: plainMetadata(info?.['metadata']),
    fields: details.flatMap(violatedFields),
  }
}

function grpcCode(value: unknown): number | undefined {
  if (typeof value === 'string') return grpcNames[value.toUpperCase()]
  return typeof value === 'number' && value > 0 && value <= 16 ? value : undefined
}

function isReason(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(value)
}

/** Ids and lists of allowed values: words without spaces, or several joined by commas. Anything else is dropped. */
function plainMetadata(value: unknown): Record<string, string> {
  if (!isObject(value)) return {}
  const plain = Object.entries(value).filter(
    (entry): entry is [string, string] =>
      /^\w{1,40}$/.test(entry[0]) &&
      typeof entry[1] === 'string' &&
      entry[1].length <= 300 &&
      /^[\w.:@-]{1,128}(?:, ?[\w.:@-]{1,128})*$/.test(entry[1]),
  )
  return Object.fromEntries(plain.slice(0, 10))
}

function violatedFields(detail: Record<string, unknown>): string[] {
  const violations = detail['field_violations'] ?? detail['fieldViolations']
  if (!Array.isArray(violations)) return []
  const fields = violations.filter(isObject).map((violation) => violation['field'])
  return fields.filter((field) => typeof field === 'string' && /^[\w.[\]]{1,100}$/.test(field)).slice(0, 20) as string[]
}

function failureCode(
  { retry, fails }: Pick<Endpoint, 'retry' | 'fails'>,
  status: number,
  body: ErrorBody,
): FailureCode {
  if (status < 400) return 'upstream_shape_unknown'
  if (status >= 500 && status !== 501) return retry === 'never' ? 'outcome_unknown' : 'unavailable'
  switch (status) {
    case 401:
      return 'unauthenticated'
    case 403:
      return body.reason === 'WEB_SESSION_REQUIRED' ? 'web_only' : 'permission_denied'
    case 404:
    case 410:
      return 'not_found'
    case 405:
    case 501:
      return 'unimplemented'
    case 408:
      return retry === 'never' ? 'outcome_unknown' : 'unavailable'
    case 409:
      if (body.grpc === 6) return 'already_exists'
      if (body.grpc === 10) return 'aborted'
      return fails.includes('already_exists') && !fails.includes('aborted') ? 'already_exists' : 'aborted'
    case 412:
      return 'failed_precondition'
    case 413:
      return 'payload_too_large'
    case 429:
      return 'resource_exhausted'
    default:
      return body.grpc === 9 ? 'failed_precondition' : 'invalid_argument'
  }
}

function sentence(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  status: number,
  code: FailureCode,
  body: ErrorBody,
  wait: number | undefined,
): string {
  const answer = `${method} ${path} returned ${String(status)}${body.reason === undefined ? '' : ` ${body.reason}`}`
  if (status >= 300 && status < 400) return `${answer}: redirects are not followed; configure the final address`
  if (code === 'outcome_unknown') return `${answer}: it may or may not have taken effect`
  if (status === 404 && !body.fromService) return `${answer}, but not from the service: check the base address`
  if (body.fields.length > 0) return `${answer}: ${body.fields.join(', ')}`
  return wait === undefined ? answer : `${answer}: retry in ${String(wait)} s`
}
