import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { ServiceError } from '../../../errors.ts'

const CHUNK_BYTES = 64 * 1024

type Decoder = (bytes: Buffer) => Transform

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: () => zlib.createGunzip({ chunkSize: CHUNK_BYTES }),
  'x-gzip': () => zlib.createGunzip({ chunkSize: CHUNK_BYTES }),
  br: () => zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
  zstd: () => zlib.createZstdDecompress({ chunkSize: CHUNK_BYTES }),
  deflate: inflateEither,
}

// Sent by older Ruby and Android SDKs; they name no compression (errors §1.3).
const ignored = new Set(['', 'identity', 'utf-8', 'utf8'])

/** Bodies unpacked concurrently: few, because they share the processor with everything else. */
const AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []

/**
 * The body unpacked from its `Content-Encoding` (gzip, br, deflate as zlib or raw, zstd), chunk by chunk on the thread
 * pool, so that a caller who stops early saves the rest; undefined for a body that is not packed. Throws
 * `invalid_argument` for an unknown or stacked encoding and for broken data, `payload_too_large` beyond `limit` bytes.
 */
export function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  limit: number,
): AsyncGenerator<Buffer> | undefined {
  const decoder = findDecoder(encoding)
  return decoder && decode(decoder, body, limit)
}

/** Inflates zlib data, as in base64 bodies of old SDKs; throws as `decodeBody` does. */
export function inflate(bytes: Buffer, limit: number): AsyncGenerator<Buffer> {
  return decode(inflateEither, bytes, limit)
}

function findDecoder(encoding = ''): Decoder | undefined {
  if (encoding === '') return undefined
  const names = encoding.toLowerCase().split(',')
  const real = names.map((name) => name.trim()).filter((name) => !ignored.has(name))
  const [name] = real
  if (name === undefined) return undefined
  if (real.length > 1) throw new ServiceError('invalid_argument', 'stacked content encodings are not supported')
  if (Object.hasOwn(decoders, name)) return decoders[name]
  throw new ServiceError('invalid_argument', 'content encoding must be gzip, br, deflate or zstd')
}

async function* decode(decoder: Decoder, body: Buffer, limit: number): AsyncGenerator<Buffer> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  const stream = decoder(body)
  let bytes = 0
  try {
    stream.end(body)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit)
        throw new ServiceError('payload_too_large', `the body is larger than ${limit} bytes once decompressed`)
      yield chunk
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('invalid_argument', 'the body cannot be decompressed', { cause: error })
  } finally {
    stream.destroy()
    // Hand the slot to the next in line, or free it.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** "deflate" means zlib data (RFC 9110), but some clients send the bare stream, which has no such header. */
function inflateEither(bytes: Buffer): Transform {
  const [method = 0, flags = 0] = bytes
  const isZlib = (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0
  return isZlib ? zlib.createInflate({ chunkSize: CHUNK_BYTES }) : zlib.createInflateRaw({ chunkSize: CHUNK_BYTES })
}
