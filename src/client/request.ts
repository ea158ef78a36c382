import { pathParameters, type Endpoint } from '../contract/base/endpoint.ts'
import type { WireRequest } from '../contract/base/wire.ts'
import { ServiceError } from '../errors.ts'

/** The specification's names for paging; a foreign gateway answers 400 to unknown query names (contract §0.3). */
const queryNames: Record<string, string> = {
  page_token: 'pagination.page_token',
  page_size: 'pagination.page_size',
}

/**
 * The request of one call: path values through the encoder, then the query (GET, DELETE) or a JSON body (POST, PUT) from
 * the members that the table lists; members that are undefined are left out. Throws `invalid_argument` for a path value
 * that could leave its path segment.
 */
export function wireRequest(
  endpoint: Endpoint,
  request: Readonly<Record<string, unknown>>,
  { baseUrl, headers }: { baseUrl: string; headers: Record<string, string> },
): WireRequest {
  const inPath = new Set(pathParameters(endpoint.path))
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodePathValue(name, request[name]))
  const rest = Object.keys(endpoint.input.shape).filter((name) => !inPath.has(name) && request[name] !== undefined)
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') {
    const query = queryString(rest.map((name) => [name, request[name]]))
    return { method: endpoint.method, url: baseUrl + path + query, headers }
  }
  const body = JSON.stringify(Object.fromEntries(rest.map((name) => [name, request[name]])))
  return {
    method: endpoint.method,
    url: baseUrl + path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: Buffer.from(body),
  }
}

/**
 * One path segment. Encoding alone does not stop `.` and `..`, which URL parsers resolve, nor `..%2F..`, which some
 * proxies decode first; so those are refused, as are empty values and control characters.
 */
function encodePathValue(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
  if (typeof text !== 'string' || text === '' || /[\u0000-\u001f\u007f-\u009f]/.test(text)) throw unfit(name)
  if (text.split(/[/\\]/).some((segment) => segment === '.' || segment === '..') || !text.isWellFormed()) {
    throw unfit(name)
  }
  return encodeURIComponent(text)
}

function unfit(name: string): ServiceError {
  return new ServiceError('invalid_argument', `${name} is not an id; use an id that the service returned`, {
    reason: 'FIELD_INVALID',
    metadata: { field: name },
    violations: [{ field: name, description: 'must be an id without dot segments or control characters' }],
  })
}

function queryString(members: readonly (readonly [string, unknown])[]): string {
  const query = new URLSearchParams()
  for (const [name, value] of members) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      query.append(queryNames[name] ?? name, scalar(name, item))
    }
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}

function scalar(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`the query parameter ${name} must be a string, a number or a boolean`)
}
