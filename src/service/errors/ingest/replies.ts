import type { WireReply } from '../../../contract/base/wire.ts'
import { ServiceError } from '../../../errors.ts'

const shared = {
  'content-type': 'application/json',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, x-svc-rate-limits, retry-after',
}

const UNAVAILABLE_RETRY_SECONDS = 5

/** Always JSON: an empty body makes the Elixir SDK retry forever (errors §1.1). */
export function answer(status: number, body: object, headers: Record<string, string> = {}): WireReply {
  return { status, headers: { ...shared, ...headers }, body: JSON.stringify(body) }
}

/** The answer to a browser's CORS preflight request. */
export function preflight(): WireReply {
  return answer(
    200,
    {},
    {
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers':
        'x-svc-auth, x-sentry-auth, content-type, content-encoding, authorization, sentry-trace, baggage, ' +
        'x-requested-with, transfer-encoding',
      'access-control-max-age': '3600',
    },
  )
}

/** The answer to a refused request (contract §12), or to a bug, about which it reveals nothing. */
export function refusal(error: unknown): WireReply {
  if (!(error instanceof ServiceError)) return answer(500, { detail: 'internal error' })
  const { status, message, retryAfterSeconds, metadata } = error
  if (status === 400) {
    const causes = error.violations.map(({ field, description }) => `${field}: ${description}`)
    return answer(400, { detail: message, causes }, { 'x-sentry-error': message })
  }
  if (status === 429) return answer(429, { detail: message }, rateLimitHeaders(retryAfterSeconds ?? 1, metadata))
  if (status === 503) return answer(503, { detail: message }, { 'retry-after': String(UNAVAILABLE_RETRY_SECONDS) })
  return answer(status, { detail: status === 500 ? 'internal error' : message })
}

/** Whole seconds only: the Python SDK parses them with `int()`. No categories are all of them. */
function rateLimitHeaders(seconds: number, { categories = '' }: ServiceError['metadata']): Record<string, string> {
  const limits = `${seconds}:${categories}:key:rate_limited`
  return { 'retry-after': String(seconds), 'x-sentry-rate-limits': limits, 'x-svc-rate-limits': limits }
}
