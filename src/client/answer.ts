import { replyText, type WireReply } from '../contract/base/wire.ts'
import { ServiceError } from '../errors.ts'
import { isPage } from './error-body.ts'
import { received, type Exchange } from './exchange.ts'
import { Transient } from './retry.ts'

/** Statuses whose meaning depends on the body (contract §0.9). */
const needsBody: ReadonlySet<number> = new Set([404, 410])

/** The body of a reply. A failure whose body is lost is judged by its status; a write that was done is not called failed. */
export async function bodyText(exchange: Exchange, reply: WireReply): Promise<string> {
  const { status, body } = reply
  if (typeof body === 'string') return body
  try {
    return await received(exchange, () => replyText(reply))
  } catch (error) {
    if (exchange.signal?.aborted === true && exchange.budget?.isOver() !== true) throw error
    if (status >= 400 && !needsBody.has(status)) return ''
    if (status >= 300 || !isWrite(exchange)) throw error
    const failure = unreadable(exchange, status, { why: 'it did not arrive whole', cause: error })
    throw error instanceof Transient ? new Transient(failure, error) : failure
  }
}

/**
 * Reads the body of a reply with a status of 2xx; `hasAnswered` says whether the deployment has answered like the service
 * before. Throws `upstream_shape_unknown` for a read, and for a write
 * `outcome_unknown` with the reason `ANSWER_UNREADABLE`: its status says that it was done.
 */
export function readable(
  exchange: Exchange,
  { status, text, hasAnswered }: { status: number; text: string; hasAnswered: boolean },
  read: (json: unknown) => Record<string, unknown>,
): Record<string, unknown> {
  const { method, path } = exchange.endpoint
  let why = text === '' ? 'has no body' : isPage(text) ? 'is an HTML page' : 'is not JSON, or was cut off'
  try {
    const json: unknown = text === '' && exchange.returnsNothing ? {} : JSON.parse(text)
    why = 'is not what the service sends'
    return read(json)
  } catch (cause) {
    if (isWrite(exchange)) throw unreadable(exchange, status, { why: `it ${why}`, cause })
    if (cause instanceof ServiceError) throw cause
    const next = hasAnswered ? 'a proxy may have replied in place of the service' : 'check TRACEGATE_BASE_URL'
    const message = `the ${String(status)} answer to ${method} ${path} ${why}: ${next}`
    throw new ServiceError('upstream_shape_unknown', message, { cause })
  }
}

function unreadable(
  { endpoint: { method, path } }: Exchange,
  status: number,
  { why, cause }: { why: string; cause: unknown },
): ServiceError {
  const answer = `${method} ${path} returned ${String(status)}, which says that it was done`
  const details = { reason: 'ANSWER_UNREADABLE', cause }
  return new ServiceError('outcome_unknown', `${answer}, but its answer cannot be read: ${why}`, details)
}

function isWrite({ endpoint }: Exchange): boolean {
  return endpoint.retry !== 'read'
}
