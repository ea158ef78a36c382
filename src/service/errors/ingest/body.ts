import type { WireRequest } from '../../../contract/base/wire.ts'
import { ServiceError } from '../../../errors.ts'

/** The body as sent, without a copy where it came in one piece. Throws `payload_too_large` once it exceeds `limit` bytes. */
export async function readBody({ body, headers }: WireRequest, limit: number): Promise<Buffer> {
  if (Number(headers['content-length']) > limit) throw tooLarge(limit)
  if (body === undefined) return Buffer.alloc(0)
  if (body instanceof Uint8Array) {
    if (body.byteLength > limit) throw tooLarge(limit)
    return view(body)
  }
  const chunks = await readChunks(body, limit)
  return chunks.length === 1 && chunks[0] ? view(chunks[0]) : Buffer.concat(chunks)
}

async function readChunks(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Not `for await`: leaving that early destroys a socket's stream, and the answer could not be sent.
  const iterator = body[Symbol.asyncIterator]()
  for (let next = await read(iterator); !next.done; next = await read(iterator)) {
    size += next.value.byteLength
    if (size > limit) throw tooLarge(limit)
    chunks.push(next.value)
  }
  return chunks
}

async function read(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, unknown>> {
  try {
    return await iterator.next()
  } catch (cause) {
    throw new ServiceError('invalid_argument', 'the request body ended early', { cause })
  }
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('payload_too_large', `the request body is larger than ${limit} bytes`)
}
