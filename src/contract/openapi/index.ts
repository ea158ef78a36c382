import * as z from 'zod'
import { failures } from '../../errors.ts'
import { pathParameters, type Endpoint } from '../base/endpoint.ts'
import { contract } from '../index.ts'
import { ingestPaths, ingestSecurity } from './ingest.ts'
import { componentRegistry, toJsonSchemas, endpointTag, type JsonSchema } from './schemas.ts'

/**
 * The contract as an OpenAPI 3.1 document: every endpoint of the table under its name as `operationId`, the shared
 * schemas as components. `x-text` says who wrote a member's text; `x-scope` and `x-retry` are those of the
 * endpoint; `x-reasons` lists the reasons that its errors may have.
 */
export function openApi() {
  const operations = Object.entries(contract).map(([name, endpoint]) => toOperation(name, endpoint))
  const registry = componentRegistry()
  for (const { name, parameters, body, endpoint } of operations) {
    registry.add(parameters, { id: `${name}.parameters` })
    registry.add(body, { id: `${name}.request` })
    registry.add(endpoint.returns, { id: `${name}.response` })
  }
  const { components, inline } = toJsonSchemas(registry)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const methods = (paths[operation.endpoint.path] ??= {})
    methods[operation.endpoint.method.toLowerCase()] = describe(operation, inline)
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set([...operations.map(({ endpoint }) => endpointTag(endpoint)), 'ingest'])].map((name) => ({
      name,
    })),
    paths: { ...paths, ...ingestPaths },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, ...ingestSecurity },
      parameters: sharedParameters,
      responses: errorResponses(),
      schemas: components,
    },
  }
}

const info = {
  title: 'Quality and Error-Tracking Service',
  version: 'v1',
  description:
    'Every member of a response is present. Requests may write enum values in any case and without their common ' +
    'prefix. Unknown members of a body are ignored; unknown query parameters are refused.',
}

interface Operation {
  name: string
  endpoint: Endpoint
  inPath: ReadonlySet<string>
  /** Path and query parameters as one object. */
  parameters: z.ZodObject
  body: z.ZodObject
}

/** Splits the input of an endpoint as the router does: path parameters first, the rest is query (GET, DELETE) or body. */
function toOperation(name: string, endpoint: Endpoint): Operation {
  const inPath = new Set(pathParameters(endpoint.path))
  const inQuery = !hasBody(endpoint)
  const pick = (wanted: (member: string) => boolean) =>
    z.object(Object.fromEntries(Object.entries(endpoint.input.shape).filter(([member]) => wanted(member))))
  return {
    name,
    endpoint,
    inPath,
    parameters: pick((member) => inPath.has(member) || (inQuery && !(member in pagingNames))).extend(
      rawParameters(endpoint),
    ),
    body: pick((member) => !inQuery && !inPath.has(member)),
  }
}

/** What is passed in the query next to a bare body, as in `run.environment`. */
function rawParameters({ input, rawBody }: Endpoint): z.ZodRawShape {
  const members = (rawBody?.query ?? []).flatMap((object) => {
    const schema = input.shape[object]
    const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema
    return inner instanceof z.ZodObject
      ? Object.entries(inner.partial().shape).map(([name, member]) => [`${object}.${name}`, member] as const)
      : []
  })
  return Object.fromEntries(members)
}

function hasBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PUT'
}

function describe(operation: Operation, inline: Readonly<Record<string, JsonSchema>>) {
  const { name, endpoint } = operation
  const parameters = [...toParameters(operation, inline[`${name}.parameters`] ?? {}), ...sharedParameterRefs(endpoint)]
  return {
    operationId: name,
    tags: [endpointTag(endpoint)],
    summary: endpoint.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(endpoint) && { requestBody: requestBody(inline[`${name}.request`] ?? {}, endpoint) }),
    responses: {
      200: success(endpoint, inline[`${name}.response`] ?? {}),
      ...(endpoint.stream && { 204: { description: 'The reader has seen the last item: nothing follows.' } }),
      ...errorResponseRefs(endpoint),
    },
    'x-scope': endpoint.scope,
    'x-retry': endpoint.retry,
    ...(endpoint.reasons.length > 0 && { 'x-reasons': endpoint.reasons }),
    ...(hasBody(endpoint) && { 'x-body-limit-bytes': endpoint.bodyLimitBytes }),
  }
}

function toParameters({ inPath }: Operation, { properties = {}, required = [] }: JsonSchema) {
  const members = Object.entries(properties).filter(
    (member): member is [string, JsonSchema] => typeof member[1] === 'object',
  )
  const ordered = [...members.filter(([name]) => inPath.has(name)), ...members.filter(([name]) => !inPath.has(name))]
  return ordered.map(([name, { description, ...schema }]) => ({
    name,
    in: inPath.has(name) ? 'path' : 'query',
    required: inPath.has(name) || required.includes(name),
    ...(description !== undefined && { description }),
    // A list is passed by repeating the parameter: `levels=error&levels=fatal`.
    ...(schema.type === 'array' && { style: 'form', explode: true }),
    schema: { ...schema, ...defaultIn(description, schema) },
  }))
}

/** The default that the last words of a description name: `Default 7d.` */
function defaultIn(description: string | undefined, { type }: JsonSchema): { default?: unknown } {
  const word = /\bDefault ([\w.]+)\.$/.exec(description ?? '')?.[1]
  if (word === undefined) return {}
  if (type === 'array') return { default: [word] }
  return { default: type === 'integer' || type === 'number' ? Number(word) : word }
}

/** The specification's names of the paging parameters, and the short names that are accepted as well (contract §0.3). */
const pagingNames: Readonly<Record<string, readonly string[]>> = {
  page_token: ['pagination.page_token', 'page_token'],
  page_size: ['pagination.page_size', 'page_size'],
}

const tokenSchema = { type: 'string' }
const sizeSchema = { type: 'integer', minimum: 1, default: 50 }
const tokenText = 'next_page_token of the previous page; bound to the other parameters.'
const sizeText = 'Rows per page, default 50, at most 200; larger values are clamped.'

const onlyOnce = 'Both with different values are refused with 400.'

const sharedParameters = {
  'pagination.page_token': query('pagination.page_token', tokenText, tokenSchema),
  page_token: query('page_token', `Short for pagination.page_token. ${onlyOnce}`, tokenSchema),
  'pagination.page_size': query('pagination.page_size', sizeText, sizeSchema),
  page_size: query('page_size', `Short for pagination.page_size. ${onlyOnce}`, sizeSchema),
  'If-Match': header('If-Match', 'The etag that the resource must still have, same as the member etag.'),
  'Idempotency-Key': header('Idempotency-Key', 'Same as the member request_id.'),
  'Last-Event-ID': header('Last-Event-ID', 'The number that the reader saw last; it wins over the query.'),
}

function query(name: string, description: string, schema: object) {
  return { name, in: 'query', required: false, description, schema }
}

function header(name: string, description: string) {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } }
}

function sharedParameterRefs({ input, stream }: Endpoint): { $ref: string }[] {
  const names: string[] = []
  for (const [member, aliases] of Object.entries(pagingNames)) if (member in input.shape) names.push(...aliases)
  if ('etag' in input.shape) names.push('If-Match')
  if ('request_id' in input.shape) names.push('Idempotency-Key')
  if (stream !== undefined) names.push('Last-Event-ID')
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

/** Documents a body that may be a bare value by its content types; JSON reports are recognized by their members. */
function requestBody(schema: JsonSchema, { rawBody }: Endpoint) {
  const required = (schema.required ?? []).length > 0
  const raw = (rawBody?.types ?? []).map((type) => [type, { schema: { type: 'string' } }])
  return { required, content: { 'application/json': { schema }, ...Object.fromEntries(raw) } }
}

function success({ summary, stream, formats }: Endpoint, schema: JsonSchema) {
  if (!stream) {
    const texts = Object.values(formats).map((type) => [type, { schema: { type: 'string' } }])
    return { description: summary, content: { 'application/json': { schema }, ...Object.fromEntries(texts) } }
  }
  const line = { type: 'object', properties: { result: schema }, required: ['result'] }
  return {
    description: 'One JSON object per line, or on request server-sent events with the event itself in each `data`.',
    content: { 'application/json': { schema: line }, 'text/event-stream': { schema: { type: 'string' } } },
  }
}

/** Statuses that every endpoint may return in addition to those of its own failures. */
const everywhere = ['401', '403', '429', '5XX'] as const

const errorNames: Readonly<Record<string, { name: string; description: string }>> = {
  400: {
    name: 'BadRequest',
    description: 'INVALID_ARGUMENT: a member is wrong. FAILED_PRECONDITION: the current state does not allow it.',
  },
  401: { name: 'Unauthenticated', description: 'No valid token.' },
  403: {
    name: 'PermissionDenied',
    description: 'The token lacks the required scope, or the call requires a web session.',
  },
  404: {
    name: 'NotFound',
    description: 'Unknown id, or the id of something in a workspace that the token cannot see.',
  },
  409: {
    name: 'Conflict',
    description: 'ALREADY_EXISTS: the name is taken. ABORTED: the state changed since it was read.',
  },
  413: { name: 'PayloadTooLarge', description: 'The body exceeds its limit.' },
  429: { name: 'RateLimited', description: 'Too many calls.' },
  '5XX': { name: 'ServerError', description: 'INTERNAL, UNIMPLEMENTED or UNAVAILABLE.' },
}

function errorResponseRefs(endpoint: Endpoint): Record<string, { $ref: string }> {
  const statuses = new Set<string>([...endpoint.fails.map((code) => String(failures[code].status)), ...everywhere])
  // A body can always be malformed or too large, and a query parameter unknown.
  statuses.add('400')
  if (hasBody(endpoint)) statuses.add('413')
  return Object.fromEntries(
    [...statuses].toSorted().map((status) => [status, { $ref: `#/components/responses/${errorName(status)}` }]),
  )
}

function errorName(status: string): string {
  const error = errorNames[status]
  if (error === undefined) throw new Error(`status ${status} has no error response in openapi/index.ts`)
  return error.name
}

function errorResponses() {
  const retryAfter = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } } }
  const headers: Readonly<Record<string, object>> = {
    401: { 'WWW-Authenticate': { schema: { type: 'string' } } },
    429: retryAfter,
    '5XX': retryAfter,
  }
  return Object.fromEntries(
    Object.entries(errorNames).map(([status, { name, description }]) => [
      name,
      {
        description,
        ...(headers[status] !== undefined && { headers: headers[status] }),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}
