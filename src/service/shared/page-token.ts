import { createHash, hash } from 'node:crypto'
import { parse, stringify } from 'uuid'

/** The last row of the previous page: its sort value and id, and when the first page was read where that matters. */
export interface Cursor {
  readonly sortValue: string | number | TextDigest
  readonly id: string
  readonly asOf?: number
}

/** What a token keeps of a text that is too long for it: enough to recognise the text in its row. */
export interface TextDigest {
  readonly digest: string
}

/** The most bytes of a token, 60 characters in base64url: agents pay for every page's token. */
const mostBytes = 45
const sealBytes = 6
/** The first byte after the seal says what follows. */
const flag = { text: 1, digest: 2, asOf: 4, uuid: 8 } as const
const canonicalUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The cursor as a token of at most 60 characters, for ids that are UUIDs or up to 20 bytes long. `query` is what the
 * token is bound to. Layout: a hash of the query and of all that follows, flags, `as_of`, id, sort value.
 */
export function writeToken(cursor: Cursor, query: string): string {
  const packed = pack(cursor)
  return Buffer.concat([seal(packed, query), packed]).toString('base64url')
}

/** The cursor of a token that `writeToken` made for the same query; undefined for any other text. */
export function readToken(token: string, query: string): Cursor | undefined {
  const bytes = Buffer.from(token, 'base64url')
  const packed = bytes.subarray(sealBytes)
  if (packed.length === 0 || bytes.toString('base64url') !== token) return undefined
  if (!seal(packed, query).equals(bytes.subarray(0, sealBytes))) return undefined
  try {
    return unpack(packed)
  } catch {
    return undefined
  }
}

/** The digest that stands for a text in a token. */
export function digestText(text: string): TextDigest {
  return { digest: hash('sha256', text, 'hex').slice(0, 16) }
}

function seal(packed: Buffer, query: string): Buffer {
  return createHash('sha256').update(query).update('\0').update(packed).digest().subarray(0, sealBytes)
}

function pack({ sortValue, id, asOf }: Cursor): Buffer {
  const isUuid = canonicalUuid.test(id)
  const idBytes = isUuid ? parse(id) : Buffer.from(id)
  const before = [
    ...(asOf === undefined ? [] : [double(asOf)]),
    ...(isUuid ? [] : [Buffer.of(idBytes.length)]),
    idBytes,
  ]
  const flags = (asOf === undefined ? 0 : flag.asOf) | (isUuid ? flag.uuid : 0)
  if (typeof sortValue === 'number') return Buffer.concat([Buffer.of(flags), ...before, double(sortValue)])
  if (typeof sortValue !== 'string') {
    return Buffer.concat([Buffer.of(flags | flag.digest), ...before, Buffer.from(sortValue.digest, 'hex')])
  }
  const whole = Buffer.concat([Buffer.of(flags | flag.text), ...before, Buffer.from(sortValue)])
  if (sealBytes + whole.length <= mostBytes) return whole
  return pack({ sortValue: digestText(sortValue), id, ...(asOf !== undefined && { asOf }) })
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

function unpack(packed: Buffer): Cursor {
  const has = (bit: number) => (packed.readUInt8(0) & bit) !== 0
  let at = 1
  const take = (length: number) => packed.subarray(at, (at += length))
  const asOf = has(flag.asOf) ? take(8).readDoubleBE() : undefined
  const id = has(flag.uuid) ? stringify(take(16)) : take(take(1).readUInt8()).toString()
  const rest = packed.subarray(at)
  return { sortValue: readSortValue(rest, has), id, ...(asOf !== undefined && { asOf }) }
}

function readSortValue(bytes: Buffer, has: (bit: number) => boolean): Cursor['sortValue'] {
  if (has(flag.text)) return bytes.toString()
  return has(flag.digest) ? { digest: bytes.toString('hex') } : bytes.readDoubleBE()
}
