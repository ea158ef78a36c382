import { ServiceError } from '../../../errors.ts'
import type { WireRequest } from '../../../contract/base/wire.ts'

export interface Dsn {
  publicKey: string
  productId: string
}

/**
 * The DSN key that a request carries outside its body: query, `X-Svc-Auth`, `X-Sentry-Auth`, `Authorization`
 * (contract §12). Undefined when there is none; throws `unauthenticated` when two of them differ.
 */
export function requestKey({ headers }: WireRequest, query: URLSearchParams): string | undefined {
  return oneKey([
    ...query.getAll('svc_key'),
    ...query.getAll('sentry_key'),
    ...headerKeys(headers['x-svc-auth']),
    ...headerKeys(headers['x-sentry-auth']),
    ...authorizationKeys(headers.authorization),
  ])
}

/** The one key among the candidates, ignoring empty ones; throws `unauthenticated` when two differ. */
export function oneKey(candidates: (string | undefined)[]): string | undefined {
  let key: string | undefined
  for (const candidate of candidates) {
    if (!candidate) continue
    if (key !== undefined && candidate !== key)
      throw new ServiceError('unauthenticated', 'the request carries two different keys')
    key = candidate
  }
  return key
}

/** `Sentry sentry_key=…, sentry_version=7`: names in any case, separated by commas or spaces; the scheme is not needed. */
function headerKeys(header: string | undefined): string[] {
  if (!header) return []
  return [...header.matchAll(/(?:^|[\s,])(?:svc|sentry)_key=\s*"?([^\s,"]*)/gi)].map((match) => match[1] ?? '')
}

function authorizationKeys(header: string | undefined): string[] {
  const basic = /^\s*basic\s+([a-z\d+/=_-]+)/i.exec(header ?? '')?.[1]
  if (basic) return [Buffer.from(basic, 'base64').toString('utf8').split(':', 1)[0] ?? '']
  return /^\s*(?:svc|sentry)\s/i.test(header ?? '') ? headerKeys(header) : []
}

/** `name/version` of the SDK, from the query or the auth header. */
export function requestClient({ headers }: WireRequest, query: URLSearchParams): string | undefined {
  const header = headers['x-sentry-auth'] ?? headers['x-svc-auth'] ?? headers.authorization ?? ''
  const named = /(?:^|[\s,])(?:svc|sentry)_client=\s*"?([^\s,"]+)/i.exec(header)?.[1]
  return query.get('sentry_client') ?? query.get('svc_client') ?? named
}

/** The DSN of an envelope header; undefined when it is not one, because invalid header members are dropped. */
export function readDsn(value: unknown): Dsn | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const productId = url?.pathname.split('/').findLast((segment) => segment !== '')
  return url?.username && productId ? { publicKey: url.username, productId } : undefined
}
