import type { Endpoint } from '../contract/base/endpoint.ts'
import {
  ENDPOINT_MISSING,
  failures,
  NOT_FROM_SERVICE,
  NOT_SENT,
  ServiceError,
  type FailureCode,
  type FailureDetails,
} from '../errors.ts'
import type { Budget } from './budget.ts'
import { parseErrorBody, type ErrorBody } from './error-body.ts'

/** Longest `Retry-After` that is passed on; a longer one means that the deployment is down for now. */
const longestRetrySeconds = 3600

export interface ErrorReply {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
}

/**
 * The failure that an error reply means. Only facts of a validated form are taken from the body: the code, the reason, ids
 * in the metadata and field names. Its sentences never are, not even descriptions of field violations: they may quote an
 * event (mcp §5).
 */
export function failureFromReply(
  endpoint: Pick<Endpoint, 'method' | 'path' | 'retry' | 'fails'>,
  reply: ErrorReply,
  now: number,
): ServiceError {
  const body = parseErrorBody(reply.text)
  const code = failureCode(endpoint, reply.status, body)
  const retryAfterSeconds = retryAfter(reply.headers['retry-after'], sentAt(reply.headers, now))
  const details: FailureDetails = {
    metadata: body.metadata,
    violations: body.fields.map((field) => ({ field, description: '' })),
  }
  const reason =
    code === 'unimplemented' ? ENDPOINT_MISSING : isOthersRefusal(code, body) ? NOT_FROM_SERVICE : body.reason
  if (reason !== undefined) details.reason = reason
  if (retryAfterSeconds !== undefined && retryAfterSeconds > 0) details.retryAfterSeconds = retryAfterSeconds
  return new ServiceError(code, sentence(endpoint, reply.status, code, body, retryAfterSeconds), details)
}

/** Refusals that say what to change in the call or its token; in a page they do not say it. */
const lessons: ReadonlySet<FailureCode> = new Set([
  'invalid_argument',
  'unauthenticated',
  'permission_denied',
  'failed_precondition',
  'already_exists',
  'aborted',
])

function isOthersRefusal(code: FailureCode, { isPage }: ErrorBody): boolean {
  return isPage && lessons.has(code)
}

/** The failure of a request that the time of its tool call ran out on. */
export function overdue(endpoint: Pick<Endpoint, 'method' | 'path' | 'retry'>, { words }: Budget): ServiceError {
  const what = `no answer from ${endpoint.method} ${endpoint.path} within the ${words} of this call`
  if (endpoint.retry !== 'never') return new ServiceError('unavailable', what)
  return new ServiceError('outcome_unknown', `${what}: it may or may not have taken effect`)
}

/** The failure of a request that was due after the time of its tool call. */
export function neverSent({ method, path }: Pick<Endpoint, 'method' | 'path'>, { words }: Budget): ServiceError {
  const message = `the ${words} of this call were over before ${method} ${path} was sent`
  return new ServiceError('unavailable', message, { reason: NOT_SENT })
}

/** The time when a reply was sent, by the sender's clock if it says so: the clock of this machine may be wrong. */
export function sentAt({ date = '' }: Readonly<Record<string, string>>, now: number): number {
  const time = Date.parse(date)
  return Number.isNaN(time) ? now : time
}

/** Whole seconds of a `Retry-After` given in seconds or as a date, at most an hour; undefined if it is missing or invalid. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const date = /\d:\d\d/.test(value) ? (Date.parse(value) - now) / 1000 : Number.NaN
  const wait = /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : date
  return Number.isFinite(wait) ? Math.max(0, Math.min(Math.ceil(wait), longestRetrySeconds)) : undefined
}

/** Refusals by their gRPC code, for gateways that answer 500 to all of them. */
const refusals: ReadonlyMap<number, FailureCode> = new Map(
  (
    [
      'invalid_argument',
      'not_found',
      'already_exists',
      'permission_denied',
      'resource_exhausted',
      'failed_precondition',
      'aborted',
      'unauthenticated',
    ] as const
  ).map((code) => [failures[code].grpc, code]),
)

function failureCode(
  { retry, fails }: Pick<Endpoint, 'retry' | 'fails'>,
  status: number,
  body: ErrorBody,
): FailureCode {
  if (status < 400) return 'upstream_shape_unknown'
  if (isMissingEndpoint(status, body)) return 'unimplemented'
  const refusal = status === 500 ? refusals.get(body.grpc ?? 0) : undefined
  if (refusal !== undefined) return refusal
  if (status === 425) return 'unavailable'
  if (status >= 500) return retry === 'never' ? 'outcome_unknown' : 'unavailable'
  switch (status) {
    case 401:
      return 'unauthenticated'
    case 403:
      return body.reason === 'WEB_SESSION_REQUIRED' ? 'web_only' : 'permission_denied'
    case 404:
    case 410:
      return 'not_found'
    case 408:
      return retry === 'never' ? 'outcome_unknown' : 'unavailable'
    case 409:
      if (body.grpc === failures.already_exists.grpc) return 'already_exists'
      if (body.grpc === failures.aborted.grpc) return 'aborted'
      return fails.includes('already_exists') && !fails.includes('aborted') ? 'already_exists' : 'aborted'
    case 412:
      return 'failed_precondition'
    case 413:
      return 'payload_too_large'
    case 429:
      return 'resource_exhausted'
    default:
      return body.grpc === failures.failed_precondition.grpc ? 'failed_precondition' : 'invalid_argument'
  }
}

/**
 * A 404 of the service names a missing thing. One in any other form is from a server that does not know the path, or from
 * a proxy before it.
 */
function isMissingEndpoint(status: number, { fromService, grpc }: ErrorBody): boolean {
  if (status === 501 || status === 405 || grpc === failures.unimplemented.grpc) return true
  return (status === 404 || status === 410) && !fromService
}

function sentence(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  status: number,
  code: FailureCode,
  body: ErrorBody,
  wait: number | undefined,
): string {
  const answer = `${method} ${path} returned ${String(status)}${body.reason === undefined ? '' : ` ${body.reason}`}`
  if (status >= 300 && status < 400)
    return `${answer}: redirects are not followed; set TRACEGATE_BASE_URL to the final address`
  if (code === 'outcome_unknown') return `${answer}: it may or may not have taken effect`
  if (code === 'unimplemented') {
    const other = body.fromService ? '' : ', or the base address is wrong'
    return `${answer}: this deployment does not offer it${other}`
  }
  if (body.isPage) return `${answer} with an HTML page, which is not from the service: a proxy may have replied`
  if (body.fields.length > 0) return `${answer}: ${body.fields.join(', ')}`
  return wait === undefined || wait === 0 ? answer : `${answer}: retry in ${String(wait)} s`
}
