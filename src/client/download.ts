import { contract, type RequestOf } from '../contract/index.ts'
import { matrixFormats } from '../contract/traceability.ts'
import { bodyText } from './answer.ts'
import type { CallOptions } from './api.ts'
import { repeatOptions, type ClientOptions } from './client.ts'
import { describeExchange, failedReply, received } from './exchange.ts'
import { wireRequest } from './request.ts'
import { repeat } from './retry.ts'

export type MatrixFormatName = keyof typeof matrixFormats

/**
 * The traceability matrix in one of its other formats, as the deployment writes it. Repeated like every read. Rejects with a
 * `ServiceError` or with the reason of the signal; a deployment that answers with another type than the one asked for does
 * not offer it.
 */
export async function downloadMatrix(
  request: RequestOf<'getTraceability'>,
  format: MatrixFormatName,
  options: Pick<ClientOptions, 'send' | 'baseUrl' | 'token' | 'now' | 'retries' | 'sleep'>,
  call: CallOptions = {},
): Promise<{ type: string; text: string }> {
  const { send, baseUrl, token, now = Date.now } = options
  const type = matrixFormats[format]
  const endpoint = contract.getTraceability
  const exchange = describeExchange(endpoint, request, call)
  const headers = { accept: type, authorization: `Bearer ${token}` }
  const wire = wireRequest(endpoint, { ...request, format }, { baseUrl, headers })
  const sent = call.signal === undefined ? wire : { ...wire, signal: call.signal }
  return repeat(
    async () => {
      const reply = await received(exchange, () => send(sent))
      const text = await bodyText(exchange, reply)
      const isOffered = reply.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === type
      if (reply.status < 300 && isOffered) return { type, text }
      const status = reply.status < 300 ? 501 : reply.status
      throw failedReply(endpoint, { status, headers: reply.headers, text: isOffered ? '' : text }, now())
    },
    repeatOptions(exchange, options),
  )
}
