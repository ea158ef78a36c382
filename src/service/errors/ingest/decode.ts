import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { ServiceError } from '../../../errors.ts'

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

// The one-shot decoders work chunk by chunk on the thread pool and stop at `maxOutputLength`.
const inflateZlib: Decoder = promisify(zlib.inflate)
const inflateRaw: Decoder = promisify(zlib.inflateRaw)
const gunzip: Decoder = promisify(zlib.gunzip)

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
  deflate: inflateEither,
}

// Sent by older Ruby and Android SDKs; they name no compression (errors §1.3).
const ignored = new Set(['', 'identity', 'utf-8', 'utf8'])

/** Bodies decoded concurrently: it bounds the memory that decompression bombs can take to a few times the limit. */
const AT_ONCE = 4
let running = 0
const waiting: (() => void)[] = []

/**
 * The body decoded from its `Content-Encoding` (gzip, br, deflate as zlib or raw, zstd). Throws `invalid_argument` for
 * an unknown or stacked encoding and for broken data, `payload_too_large` beyond `limit` bytes.
 */
export async function decodeBody(body: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  const names = (encoding ?? '').toLowerCase().split(',')
  const real = names.map((name) => name.trim()).filter((name) => !ignored.has(name))
  const [name] = real
  if (name === undefined) return body
  if (real.length > 1) throw new ServiceError('invalid_argument', 'stacked content encodings are not supported')
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined
  if (!decoder) throw new ServiceError('invalid_argument', 'content encoding must be gzip, br, deflate or zstd')
  return await decode(decoder, body, limit)
}

/** Inflates zlib data, as in base64 bodies of old SDKs; throws as `decodeBody` does. */
export async function inflate(bytes: Buffer, limit: number): Promise<Buffer> {
  return await decode(inflateEither, bytes, limit)
}

async function decode(decoder: Decoder, bytes: Buffer, limit: number): Promise<Buffer> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await decoder(bytes, { maxOutputLength: limit })
  } catch (error) {
    if (isTooLarge(error))
      throw new ServiceError('payload_too_large', `the body is larger than ${limit} bytes once decompressed`)
    throw new ServiceError('invalid_argument', 'the body cannot be decompressed', { cause: error })
  } finally {
    // Hand the slot to the next in line, or free it.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** "deflate" means zlib data (RFC 9110), but some clients send the bare stream. */
async function inflateEither(bytes: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  try {
    return await inflateZlib(bytes, options)
  } catch (error) {
    if (isTooLarge(error)) throw error
    return await inflateRaw(bytes, options)
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}
