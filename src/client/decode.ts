import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { ServiceError } from '../errors.ts'
import { collectBytes } from '../lib/bytes.ts'
import { errorCode } from './network-failure.ts'

type Decode = (bytes: Uint8Array, maxBytes: number) => Promise<Uint8Array>

const gunzip = promisify(zlib.gunzip)
const inflate = promisify(zlib.inflate)
const inflateRaw = promisify(zlib.inflateRaw)
const brotli = promisify(zlib.brotliDecompress)
const zstd = promisify(zlib.zstdDecompress)

/** Encodings by their name in `Content-Encoding` (RFC 9110 §8.4.1). */
const decoders: Readonly<Record<string, Decode>> = {
  identity: (bytes) => Promise.resolve(bytes),
  gzip: (bytes, maxOutputLength) => gunzip(bytes, { maxOutputLength }),
  'x-gzip': (bytes, maxOutputLength) => gunzip(bytes, { maxOutputLength }),
  // Many servers leave out the header of zlib.
  deflate: (bytes, maxOutputLength) => (hasZlibHeader(bytes) ? inflate : inflateRaw)(bytes, { maxOutputLength }),
  br: (bytes, maxOutputLength) => brotli(bytes, { maxOutputLength }),
  zstd: (bytes, maxOutputLength) => zstd(bytes, { maxOutputLength }),
}

/** The `Accept-Encoding` of what `decoded` reads. */
export const acceptedEncodings = 'gzip, deflate, br, zstd'

const MOST_ENCODINGS = 3

/**
 * The body without its encodings; the last one that was applied is named last. Throws `upstream_shape_unknown` for an
 * unknown encoding, for bytes that are not encoded so, and for more than `maxBytes` at any stage. An end that is missing is
 * a network error.
 */
export async function* decoded(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string | undefined,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const names = (contentEncoding ?? '').toLowerCase().split(',')
  const encodings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  if (encodings.length === 0) return yield* body
  const steps = encodings.toReversed().map((name) => decoders[name])
  if (steps.length > MOST_ENCODINGS || steps.includes(undefined)) {
    throw new ServiceError('upstream_shape_unknown', 'the response has an encoding that was not asked for')
  }
  let bytes: Uint8Array = await collectBytes(body)
  for (const decode of steps) {
    // oxlint-disable-next-line no-await-in-loop -- each step needs the one before
    if (bytes.byteLength > 0 && decode !== undefined) bytes = await decode(bytes, maxBytes).catch(refuse)
  }
  yield bytes
}

function refuse(cause: unknown): never {
  const code = errorCode(cause)
  // Cut off: a network error.
  if (code === 'Z_BUF_ERROR') throw cause
  const why = code === 'ERR_BUFFER_TOO_LARGE' ? 'is too large when unpacked' : 'is not compressed as it says'
  throw new ServiceError('upstream_shape_unknown', `the response ${why}`, { cause })
}

/** RFC 1950 §2.2: the method is 8, and the two bytes are a multiple of 31. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}
