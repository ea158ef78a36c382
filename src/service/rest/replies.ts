import type { WireReply } from '../../contract/base/wire.ts'
import { failures, ServiceError } from '../../errors.ts'
import type { TextReply } from '../shared/text-reply.ts'

/** A JSON reply that carries the request's id. */
export function jsonReply(status: number, json: string, requestId: string): WireReply {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'cache-control': 'no-store',
  }
  return { status, headers, body: json }
}

/** A reply in another format, which no browser takes for a page of ours. */
export function textReply({ contentType, text }: TextReply, requestId: string): WireReply {
  const reply = jsonReply(200, text, requestId)
  const headers = {
    ...reply.headers,
    'content-type': `${contentType}; charset=utf-8`,
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
  }
  return { ...reply, headers }
}

/** The reply to a request that failed, in the form of contract §0.4. */
export function errorReply(failure: ServiceError, requestId: string): WireReply {
  const reply = jsonReply(failure.status, JSON.stringify(errorBody(failure, requestId)), requestId)
  if (failure.status === 401) reply.headers['www-authenticate'] = 'Bearer'
  if (failure.retryAfterSeconds !== undefined) reply.headers['retry-after'] = String(failure.retryAfterSeconds)
  return reply
}

/** Converts a thrown value: a `ServiceError` stays as it is; anything else is a bug, whose details stay hidden. */
export function toFailure(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  return new ServiceError('internal', 'something went wrong in the service; its log has the request id', {
    cause: thrown,
  })
}

/** What an error says (contract §0.4). */
export function errorBody(failure: ServiceError, requestId: string) {
  const metadata = failure.code === 'internal' ? { ...failure.metadata, request_id: requestId } : failure.metadata
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: failure.reason,
    domain: 'tracegate',
    metadata,
  }
  const violations = { '@type': 'type.googleapis.com/google.rpc.BadRequest', field_violations: failure.violations }
  return {
    code: failures[failure.code].grpc,
    message: failure.message,
    details: failure.violations.length === 0 ? [info] : [info, violations],
  }
}
