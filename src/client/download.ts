import { contract, type RequestOf } from '../contract/index.ts'
import { matrixFormats } from '../contract/traceability.ts'
import { replyText } from '../contract/base/wire.ts'
import type { ClientOptions } from './client.ts'
import { failureFromReply } from './failure.ts'
import { wireRequest } from './request.ts'

export type MatrixFormatName = keyof typeof matrixFormats

/**
 * The traceability matrix in one of its other formats, as the deployment writes it. Rejects with a `ServiceError`; a
 * deployment that answers with another type than the one asked for does not offer it.
 */
export async function downloadMatrix(
  request: RequestOf<'getTraceability'>,
  format: MatrixFormatName,
  { send, baseUrl, token, now = Date.now }: Pick<ClientOptions, 'send' | 'baseUrl' | 'token' | 'now'>,
): Promise<{ type: string; text: string }> {
  const type = matrixFormats[format]
  const endpoint = contract.getTraceability
  const headers = { accept: type, authorization: `Bearer ${token}` }
  const reply = await send(wireRequest(endpoint, { ...request, format }, { baseUrl, headers }))
  const text = await replyText(reply)
  const isOffered = reply.headers['content-type']?.split(';')[0]?.trim() === type
  if (reply.status < 300 && isOffered) return { type, text }
  const status = reply.status < 300 ? 501 : reply.status
  throw failureFromReply(endpoint, { status, headers: reply.headers, text: isOffered ? '' : text }, now())
}
