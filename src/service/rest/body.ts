import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { WireRequest } from '../../contract/base/wire.ts'
import { ServiceError } from '../../errors.ts'
import type { Hold } from '../../lib/intake.ts'
import { isObject } from '../../lib/objects.ts'
import { decodeDocument } from '../../lib/text.ts'
import { holdBytes, readBody } from '../shared/read-body.ts'

const unzip = promisify(gunzip)

const DEEPEST = 500
const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]

export interface BodyLimits {
  limitBytes: number
  /** The memory of the request. */
  hold: Hold
}

/**
 * The JSON object in the body, `{}` without one. Never holds more than `limitBytes`, neither as sent nor unpacked.
 * Throws `payload_too_large`, `invalid_argument` for anything that is not a JSON object or ends early, and what
 * `readBody` throws for bodies that arrive too slowly or at the same time as too many others.
 */
export async function readJsonBody(request: WireRequest, limits: BodyLimits): Promise<Record<string, unknown>> {
  const text = await readTextBody(request, limits)
  return text === '' ? {} : jsonObject(text)
}

/**
 * The body as text, unpacked and without a byte order mark: UTF-8, or UTF-16 where the mark says so. The same limits and
 * failures.
 */
export async function readTextBody(request: WireRequest, limits: BodyLimits): Promise<string> {
  const { limitBytes, hold } = limits
  const sent = await readBody(request, limits, {
    tooLarge: () => tooLarge(limitBytes),
    incomplete: (cause) => invalidBody('the body ended early', cause),
  })
  if (sent.length === 0) return ''
  const unpacked = await decode(sent, request.headers['content-encoding'], limitBytes)
  if (unpacked !== sent) holdBytes(hold, unpacked.length)
  return decodeDocument(unpacked)
}

/**
 * Parses a text as a JSON object. Throws `invalid_argument` for any other text, and beyond 500 levels of nesting:
 * parsing does not recurse, but writing it again does.
 */
function jsonObject(text: string): Record<string, unknown> {
  requireShallow(text)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw invalidBody('the body is not valid JSON', cause)
  }
  if (!isObject(body)) throw invalidBody('the body must be a JSON object')
  return body
}

/** `jsonObject` of a text that may be something else: undefined where it is no JSON object. */
export function findJsonObject(text: string): Record<string, unknown> | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(body)) return undefined
  requireShallow(text)
  return body
}

function requireShallow(text: string): void {
  if (nestingDepth(text) > DEEPEST) throw invalidBody(`the body is nested deeper than ${String(DEEPEST)} levels`)
}

/** Nesting depth of the brackets of a JSON text, counted up to the limit. */
function nestingDepth(text: string): number {
  // Too short to be that deep.
  if (text.length < 2 * DEEPEST) return 0
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length && depth <= DEEPEST; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1
  }
  return depth
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
