import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { FunctionKind } from './find-functions.ts'
import type { TokenKind } from './name-tokens.ts'
import { comparePositions, type Position } from './positions.ts'
import {
  BLOCK,
  CHECKED_BYTES,
  checksum,
  CHECKSUM_BYTES,
  FUNCTION_BYTES,
  FUNCTION_KINDS,
  HEADER_BYTES,
  INDEX_BYTES,
  MAGIC,
  OWNER_BYTES,
  TOKEN_KINDS,
} from './scope-format.ts'

/** Part of a name in the minified file: where it stands and how it reads there. */
export interface NameToken extends Position {
  text: string
  kind: TokenKind
}

/** A class, or a function called with `new`: where it begins, and the parts of its name. */
export interface Owner extends Position {
  path: NameToken[]
  isClass: boolean
}

/** A function of the minified file, `end` exclusive. */
export interface FunctionRange {
  start: Position
  end: Position
  kind: FunctionKind
  isStatic: boolean
  isAsync: boolean
  /** The parts of its name from the outer object to the function; empty when it has none. */
  path: NameToken[]
  /** Whose member it is. */
  owner: Owner | undefined
}

/** The functions of one minified file, read from disk by position. Throws an Error where it is damaged or closed. */
export interface ScopeTable {
  /** The functions around a position, innermost first. */
  around(line: number, column: number): FunctionRange[]
  /** Memory that it holds while open. */
  readonly bytes: number
  close(): void
}

const TOKEN_HEAD_BYTES = 11
const FIXED_BYTES = 512

/** Opens a table that writeScopeTable wrote; throws when the file is none. Close it when it is no longer used. */
export function openScopeTable(file: string): ScopeTable {
  const descriptor = openSync(file, 'r')
  try {
    return readTable(descriptor)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function readTable(descriptor: number): ScopeTable {
  const header = readAt(descriptor, 0, HEADER_BYTES)
  const [magic, count = 0, owners = 0, names = 0, index = 0, size = 0] = [0, 4, 8, 12, 16, 20].map((at) =>
    header.readUInt32LE(at),
  )
  if (magic !== MAGIC || size !== fstatSync(descriptor).size) throw new Error('the file is no table of functions')
  const starts = readAt(descriptor, index, size - index)
  check(header.readUInt32LE(CHECKED_BYTES), header.subarray(0, CHECKED_BYTES), starts)

  let open = true

  function blockAt(block: number): Buffer {
    const length = Math.min(BLOCK, count - block * BLOCK) * FUNCTION_BYTES
    const records = readAt(descriptor, HEADER_BYTES + block * BLOCK * FUNCTION_BYTES, length)
    check(starts.readUInt32LE(block * INDEX_BYTES + 8), records)
    return records
  }

  function pathAt(offset: number, bytes: number): NameToken[] {
    if (bytes === 0) return []
    const name = readAt(descriptor, names + offset, bytes)
    const parts = name.subarray(CHECKSUM_BYTES)
    check(name.readUInt32LE(0), parts)
    return decodePath(parts)
  }

  function ownerAt(number: number): Owner | undefined {
    if (number === -1) return undefined
    const record = readAt(descriptor, owners + number * OWNER_BYTES, OWNER_BYTES)
    const facts = record.subarray(0, -CHECKSUM_BYTES)
    check(record.readUInt32LE(facts.length), facts)
    const path = pathAt(record.readUInt32LE(8), record.readUInt16LE(12))
    return { ...positionAt(record, 0), path, isClass: record.readUInt16LE(14) === 1 }
  }

  function around(line: number, column: number): FunctionRange[] {
    // The number of a closed file soon means another one.
    if (!open) throw new Error('the table of functions is closed')
    const position = { line, column }
    const block = lastNotAfter(starts, INDEX_BYTES, position)
    if (block === -1) return []
    const blocks = new Map([[block, blockAt(block)]])
    const found: FunctionRange[] = []
    let number = block * BLOCK + lastNotAfter(blocks.get(block) ?? starts, FUNCTION_BYTES, position)
    while (number !== -1) {
      const home = Math.floor(number / BLOCK)
      const records = blocks.get(home) ?? blockAt(home)
      blocks.set(home, records)
      const at = (number % BLOCK) * FUNCTION_BYTES
      const end = positionAt(records, at + 8)
      if (comparePositions(position, end) < 0) {
        found.push({
          start: positionAt(records, at),
          end,
          kind: FUNCTION_KINDS[records.readUInt8(at + 30)] ?? 'function',
          isStatic: (records.readUInt8(at + 31) & 1) !== 0,
          isAsync: (records.readUInt8(at + 31) & 2) !== 0,
          path: pathAt(records.readUInt32LE(at + 24), records.readUInt16LE(at + 28)),
          owner: ownerAt(records.readInt32LE(at + 20)),
        })
      }
      number = records.readInt32LE(at + 16)
    }
    return found
  }

  function close(): void {
    if (open) closeSync(descriptor)
    open = false
  }

  return { around, bytes: starts.length + FIXED_BYTES, close }
}

/** Number of the last record whose first position is not after the given one, −1 when there is none. */
function lastNotAfter(records: Buffer, recordBytes: number, position: Position): number {
  let low = 0
  let high = records.length / recordBytes
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePositions(positionAt(records, middle * recordBytes), position) <= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

function positionAt(records: Buffer, at: number): Position {
  return { line: records.readUInt32LE(at), column: records.readUInt32LE(at + 4) }
}

function decodePath(names: Buffer): NameToken[] {
  const path: NameToken[] = []
  for (let at = 0; at < names.length;) {
    const textAt = at + TOKEN_HEAD_BYTES
    const next = textAt + names.readUInt16LE(at + 9)
    const kind = TOKEN_KINDS[names.readUInt8(at + 8)] ?? 'identifier'
    path.push({ ...positionAt(names, at), kind, text: names.toString('utf8', textAt, next) })
    at = next
  }
  return path
}

function check(expected: number, ...parts: Uint8Array[]): void {
  if (checksum(...parts) !== expected) throw new Error('the table of functions is damaged')
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  if (readSync(descriptor, buffer, 0, length, position) !== length) throw new Error('the table ends too early')
  return buffer
}
