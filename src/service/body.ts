import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { WireRequest } from '../contract/wire.ts'
import { ServiceError } from '../errors.ts'

const unzip = promisify(gunzip)

/**
 * The JSON object in the body, `{}` without one. Never holds more than `limitBytes`, neither as sent nor unpacked.
 * Throws `payload_too_large`, or `invalid_argument` for what is no JSON object or ends early.
 */
export async function readJsonBody(request: WireRequest, limitBytes: number): Promise<Record<string, unknown>> {
  const sent = await collect(request, limitBytes)
  if (sent.length === 0) return {}
  const text = (await decode(sent, request.headers['content-encoding'], limitBytes)).toString('utf8')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw invalidBody('the body is not valid JSON', cause)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidBody('the body must be a JSON object')
  return body as Record<string, unknown>
}

async function collect({ body, headers }: WireRequest, limitBytes: number): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0)
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  if (body instanceof Uint8Array) {
    if (body.length > limitBytes) throw tooLarge(limitBytes)
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of untilCutOff(body)) {
    length += chunk.length
    if (length > limitBytes) throw tooLarge(limitBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A sender that hangs up is its own fault and no failure of the service. */
async function* untilCutOff(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw invalidBody('the body ended early', cause)
  }
}

async function decode(sent: Buffer, encoding: string | undefined, limitBytes: number): Promise<Buffer> {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return sent
  if (name !== 'gzip') throw invalidBody('content-encoding must be gzip or absent')
  try {
    return await unzip(sent, { maxOutputLength: limitBytes })
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(limitBytes)
    throw invalidBody('the body is not valid gzip', cause)
  }
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('payload_too_large', `the body is over the limit of ${limitBytes} bytes; send less`, {
    reason: 'PAYLOAD_TOO_LARGE',
    metadata: { limit_bytes: String(limitBytes) },
  })
}

function invalidBody(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_argument', message, {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'body', description: message }],
    cause,
  })
}
