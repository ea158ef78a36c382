import { ServiceError } from '../errors.ts'
import { untilAborted } from './exchange.ts'
import { errorCode, misconfiguredAddress, neverSentWith, proxyWords } from './network-failure.ts'
import { openOutgoing, type OutgoingOptions } from './outgoing.ts'

/** A member of the event in Sentry's protocol; `event_id` has 32 hex digits. */
export interface OutgoingEvent extends Readonly<Record<string, unknown>> {
  event_id: string
}

/**
 * Sends one event to the ingest that a DSN names, once, without a token and without following redirects (mcp §8.2).
 * Rejects with `ServiceError`: `outcome_unknown` where the event may have arrived.
 */
export type SendEvent = (dsn: string, event: OutgoingEvent, options: { signal: AbortSignal }) => Promise<void>

/** The `SendEvent` of one deployment: over the network to vetted addresses, or straight into the embedded service. */
export function createSendEvent(options: OutgoingOptions): SendEvent {
  return async (dsn, event, { signal }) => {
    const { url, key } = readDsn(dsn)
    const connection = await openOutgoing(url, 'DSN', options)
    const headers = {
      'content-type': 'application/x-svc-envelope',
      'x-svc-auth': `Svc svc_key=${key}, svc_client=tracegate.test/1`,
    }
    const request = { method: 'POST', url: url.href, headers, body: envelope(event), signal }
    try {
      const { status } = await untilAborted(connection.send(request), signal).catch((error: unknown) => {
        throw unanswered(error)
      })
      judge(status)
    } finally {
      await connection.close()
    }
  }
}

/** The envelope address of `https://KEY@host/path/PRODUCT`, and its key. */
function readDsn(dsn: string): { url: URL; key: string } {
  const url = URL.parse(dsn)
  const [, path = '', product] = /^(.*)\/([^/]+)\/*$/.exec(url?.pathname ?? '') ?? []
  const key = url?.username ?? ''
  if (url === null || product === undefined || !/^[\w-]{1,200}$/.test(key)) {
    throw new ServiceError('upstream_shape_unknown', 'the deployment states an invalid DSN')
  }
  return { url: new URL(`${url.protocol}//${url.host}${path}/api/${product}/envelope/`), key }
}

/** Without the time when it was sent: the clock of this machine may be wrong. */
function envelope(event: OutgoingEvent): Uint8Array {
  const payload = Buffer.from(JSON.stringify(event))
  const header = JSON.stringify({ event_id: event.event_id })
  const item = JSON.stringify({ type: 'event', length: payload.length })
  return Buffer.concat([Buffer.from(`${header}\n${item}\n`), payload, Buffer.from('\n')])
}

/** The failure of an event without an answer: it is never repeated. */
function unanswered(cause: unknown): ServiceError {
  const misconfigured = misconfiguredAddress('ingest', cause)
  if (misconfigured !== undefined) return misconfigured
  const code = errorCode(cause)
  const why = `(${code ?? 'no answer'})`
  if (neverSentWith(code)) {
    return new ServiceError('unavailable', `the ingest cannot be reached ${why}${proxyWords(code)}`, { cause })
  }
  return new ServiceError('outcome_unknown', `no answer to the event ${why}: it may or may not be stored`, { cause })
}

/** Throws what a status other than 2xx means. */
function judge(status: number): void {
  if (status >= 200 && status < 300) return
  const answer = `the ingest answered the event with status ${String(status)}`
  if (status >= 500) throw new ServiceError('outcome_unknown', `${answer}: it may or may not have been stored`)
  if (status === 429) throw new ServiceError('resource_exhausted', `${answer}: too many events`)
  if (status >= 400) throw new ServiceError('failed_precondition', `${answer}: it was refused`)
  throw new ServiceError('upstream_shape_unknown', `${answer}: a redirect, which is not followed`)
}
