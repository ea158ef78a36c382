import { ServiceError } from '../../../errors.ts'
import { inflate } from './decode.ts'
import { holdBytes } from '../../shared/read-body.ts'
import type { ReadingCosts } from './body.ts'

/**
 * The event's JSON text from the body of `/store/`: JSON as it is, base64 of JSON, or base64 of zlib JSON as old SDKs
 * send it. Throws `invalid_argument` for anything else.
 */
export async function storeText(body: Buffer, { limits, hold, charge }: ReadingCosts): Promise<Buffer> {
  if (looksLikeJson(body)) return body
  const text = body.toString('latin1').trim()
  if (text === '' || !/^[A-Za-z\d+/_\s-]+={0,2}$/.test(text))
    throw new ServiceError('invalid_argument', 'the body is neither JSON nor base64')
  const bytes = Buffer.from(text, 'base64')
  if (looksLikeJson(bytes)) return bytes
  const chunks: Buffer[] = []
  for await (const chunk of inflate(bytes, limits.decodedBytes)) {
    charge(chunk.length)
    holdBytes(hold, chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function looksLikeJson(bytes: Buffer): boolean {
  return bytes.subarray(0, 64).toString('latin1').trimStart().startsWith('{')
}
