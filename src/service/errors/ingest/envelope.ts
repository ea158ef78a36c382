import { ServiceError } from '../../../errors.ts'
import { isObject, type JsonObject } from '../../../lib/objects.ts'

interface EnvelopeItem {
  type: string
  header: JsonObject
  /** A view into the body. */
  payload: Buffer
}

export interface Envelope {
  header: JsonObject
  items: EnvelopeItem[]
}

export interface EnvelopeLimits {
  headerBytes: number
  itemsPerEnvelope: number
}

const NEWLINE = 0x0a

/**
 * Reads the framing of an envelope (contract §12), not its payloads. Throws `invalid_argument` for a header that is not
 * a JSON object, an item without `type`, a payload that is shorter or longer than its `length`, and beyond the limits.
 */
export function parseEnvelope(body: Buffer, limits: EnvelopeLimits): Envelope {
  const first = readHeader(body, 0, limits, 'envelope header')
  const items: EnvelopeItem[] = []
  let position = skipBlank(body, first.next)
  while (position < body.length) {
    if (items.length === limits.itemsPerEnvelope)
      throw new ServiceError('invalid_argument', `the envelope has more than ${limits.itemsPerEnvelope} items`)
    const { header, next } = readHeader(body, position, limits, `header of item ${items.length + 1}`)
    if (typeof header.type !== 'string' || header.type === '')
      throw new ServiceError('invalid_argument', `item ${items.length + 1} has no type`)
    const end = payloadEnd(body, next, header.length, items.length + 1)
    items.push({ type: header.type, header, payload: body.subarray(next, end) })
    position = skipBlank(body, end)
  }
  return { header: first.header, items }
}

function readHeader(body: Buffer, start: number, { headerBytes }: EnvelopeLimits, what: string) {
  const end = lineEnd(body, start)
  if (end - start > headerBytes)
    throw new ServiceError('invalid_argument', `the ${what} is longer than ${headerBytes} bytes`)
  const header = parseHeader(body.toString('utf8', start, end))
  if (!header) throw new ServiceError('invalid_argument', `the ${what} is not a JSON object`)
  return { header, next: Math.min(end + 1, body.length) }
}

/** JSON allows the carriage return that some clients leave at the end of the line. */
function parseHeader(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function payloadEnd(body: Buffer, start: number, length: unknown, item: number): number {
  if (length === undefined || length === null) return lineEnd(body, start)
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0)
    throw new ServiceError('invalid_argument', `the length of item ${item} is not a number of bytes`)
  const end = start + length
  if (end > body.length) throw new ServiceError('invalid_argument', `item ${item} is shorter than its length`)
  if (end < body.length && body[end] !== NEWLINE)
    throw new ServiceError('invalid_argument', `item ${item} is longer than its length`)
  return end
}

function lineEnd(body: Buffer, start: number): number {
  const end = body.indexOf(NEWLINE, start)
  return end === -1 ? body.length : end
}

/**
 * The position of the next byte that is not white space: skips line ends after a payload, blank lines between items and
 * after the last one.
 */
function skipBlank(body: Buffer, start: number): number {
  let position = start
  for (; position < body.length; position += 1) {
    const byte = body[position]
    if (byte !== NEWLINE && byte !== 0x0d && byte !== 0x20 && byte !== 0x09) break
  }
  return position
}
