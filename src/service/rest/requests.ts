import { createHash } from 'node:crypto'
import type { Endpoint } from '../../contract/base/endpoint.ts'
import { RequestId } from '../../contract/base/common.ts'
import type { WireRequest } from '../../contract/base/wire.ts'
import { ServiceError } from '../../errors.ts'
import type { Hold } from '../../lib/intake.ts'
import { isObject } from '../../lib/objects.ts'
import { findJsonObject, readJsonBody, readTextBody } from './body.ts'
import { compileQuery } from './query.ts'
import { invalidInput } from '../shared/violations.ts'

/** One parsed request of an endpoint. */
export interface ParsedRequest {
  input: unknown
  validateOnly: boolean
  /** `request_id` or `Idempotency-Key` of a POST; undefined without one. */
  requestKey: string | undefined
  /** The value of `format`, or what `Accept` asks for; '' where the endpoint has one format. */
  format: string
  /** Hash of the parsed input, equal for bodies with the same meaning; '' without a request key. */
  hash: string
}

/**
 * Compiles the reader of one endpoint's requests: path values, query and body in one object, checked by its schema
 * (contract §0.1, §0.6). The reader throws `invalid_argument` or `payload_too_large`.
 */
export function compileReader(endpoint: Endpoint) {
  const { method, input: schema } = endpoint
  const readQuery = compileQuery(endpoint)
  const hasEtag = 'etag' in schema.shape
  const hasDryRun = 'validate_only' in schema.shape

  return async function read(
    request: WireRequest,
    query: string,
    path: Record<string, string>,
    hold: Hold,
  ): Promise<ParsedRequest> {
    const fromQuery = { ...acceptedFormat(endpoint, request), ...readQuery(query), ...placeInStream(endpoint, request) }
    const body = method === 'GET' ? {} : await readBody(request, endpoint, hold)
    const ifMatch = hasEtag ? etagOfHeader(request.headers['if-match']) : {}
    const wish = readDryRunWish(request, body)
    if (wish !== false && method !== 'GET' && !hasDryRun) throw noDryRun()
    const raw = {
      ...body,
      ...ifMatch,
      ...nested(fromQuery, body),
      ...path,
      ...(wish !== false && hasDryRun && { validate_only: wish }),
    }
    const parsed = schema.safeParse(raw)
    if (!parsed.success) throw invalidInput(raw, parsed.error.issues)
    const requestKey = method === 'POST' ? readRequestKey(request, body) : undefined
    const hash = requestKey === undefined ? '' : hashRequest(endpoint, parsed.data)
    const format = typeof parsed.data['format'] === 'string' ? parsed.data['format'] : ''
    return { input: parsed.data, validateOnly: wish === true, requestKey, format, hash }
  }
}

/**
 * The members of the input that are in the body. Where the body may itself be one member's value, it is that value
 * unless it is a JSON object with a member of the endpoint (contract §4.1, raw bodies).
 */
async function readBody(
  request: WireRequest,
  { bodyLimitBytes: limitBytes, rawBody, input }: Endpoint,
  hold: Hold,
): Promise<Record<string, unknown>> {
  if (rawBody === undefined) return readJsonBody(request, { limitBytes, hold })
  const text = await readTextBody(request, { limitBytes, hold })
  const { object, member } = rawBody
  if (text.trim() === '') return {}
  // Lines of JSON begin like an object, as one does that was cut off.
  const body = /^\s*\{/.test(text) ? findJsonObject(text) : undefined
  if (body === undefined) return { [object]: { [member]: text } }
  const isOwn = Object.keys(body).length === 0 || Object.keys(body).some((name) => name in input.shape)
  return isOwn ? body : { [object]: { [member]: body } }
}

/** `run.environment` of a query as a member of the body's `run`. */
function nested(query: Record<string, unknown>, body: Record<string, unknown>): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    const [object = '', member] = name.split('.')
    const before = members[object] ?? body[object]
    members[object] = member === undefined ? value : { ...(isObject(before) && before), [member]: value }
  }
  return members
}

/** The first format that the `Accept` header names, as the query parameter would; JSON needs none. */
function acceptedFormat({ formats }: Endpoint, { headers }: WireRequest): { format?: string } {
  const asked = (headers['accept'] ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase())
  const format = Object.keys(formats).find((name) => asked.includes(formats[name]))
  return format === undefined || asked.includes('application/json') ? {} : { format }
}

/**
 * The place in a stream as `Last-Event-ID` says it. It wins over the query: a browser that connects again repeats the
 * address that it began with, and says in the header how far it came.
 */
function placeInStream({ stream }: Endpoint, { headers }: WireRequest): Record<string, unknown> {
  const said = headers['last-event-id']?.trim() ?? ''
  if (stream === undefined || said === '') return {}
  return { [stream.resume]: /^\d{1,15}$/.test(said) ? Number(said) : said }
}

function etagOfHeader(value: string | undefined): { etag?: string } {
  if (value === undefined || value.trim() === '*') return {}
  return { etag: value.trim().replace(/^W\//, '').replaceAll('"', '') }
}

/** Whether body or header ask for a dry run, or what one of them says that is neither yes nor no: nobody may read it as no. */
function readDryRunWish({ headers }: WireRequest, body: Record<string, unknown>): unknown {
  const header = headers['x-svc-validate-only']
  const isYesOrNo = header === undefined || /^(?:true|false)$/i.test(header)
  const said = [body['validate_only'], isYesOrNo ? header?.toLowerCase() === 'true' : header]
  const wishes = said.filter((wish) => wish !== undefined && wish !== false)
  const unclear = wishes.filter((wish) => wish !== true)
  return unclear.length > 0 ? unclear[0] : wishes.length > 0
}

/** A request for a dry run must not become a write. */
function noDryRun(): ServiceError {
  const description = 'is not offered by this endpoint; leave it out to make the change'
  return new ServiceError('invalid_argument', `validate_only ${description}`, {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'validate_only', description }],
  })
}

function readRequestKey({ headers }: WireRequest, body: Record<string, unknown>): string | undefined {
  const given = [body['request_id'], headers['idempotency-key']].filter((key) => key !== undefined && key !== '')
  if (given.length === 0) return undefined
  const key = RequestId.safeParse(given[0])
  if (key.success && given.every((other) => other === key.data)) return key.data
  const description = key.success ? 'differs from the Idempotency-Key header' : 'must have 1 to 64 characters'
  throw new ServiceError('invalid_argument', `request_id ${description}`, {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'request_id', description }],
  })
}

function hashRequest({ method, path }: Endpoint, input: Record<string, unknown>): string {
  const { request_id: _key, ...meaning } = input
  return createHash('sha256')
    .update(`${method} ${path}\n${JSON.stringify(meaning)}`)
    .digest('hex')
}
