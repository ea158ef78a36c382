import { closeSync, openSync, writeSync } from 'node:fs'
import { MinifiedDefect } from './defect.ts'
import { findFunctions, type FoundFunction, type FoundOwner } from './find-functions.ts'
import type { FoundToken } from './name-tokens.ts'
import { lineStarts, positionOf } from './positions.ts'
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

const MAX_LENGTH = 32 * 1024 * 1024

/**
 * Writes the table of the functions of a minified file. Throws MinifiedDefect when the text is no JavaScript, nests too
 * deeply or is longer than 32 Mi characters.
 */
export function writeScopeTable(minified: string, file: string): void {
  if (minified.length > MAX_LENGTH) {
    throw new MinifiedDefect(`The file has ${minified.length} characters; functions are read of ${MAX_LENGTH} at most.`)
  }
  const functions = findFunctions(minified)
  const starts = lineStarts(minified)
  const names = new Names(starts)
  const owners = new Owners(names, starts)
  const records = recordsOf(functions, starts, names, owners)
  writeFile(file, functions.length, records, [owners.toBuffer(), names.toBuffer(), indexOf(records)])
}

function recordsOf(
  functions: readonly FoundFunction[],
  starts: readonly number[],
  names: Names,
  owners: Owners,
): Buffer {
  const records = Buffer.alloc(functions.length * FUNCTION_BYTES)
  const around: number[] = []
  functions.forEach((found, number) => {
    while (around.length > 0 && (functions[around.at(-1) ?? 0]?.end ?? 0) <= found.start) around.pop()
    const at = number * FUNCTION_BYTES
    writePosition(records, at, starts, found.start)
    writePosition(records, at + 8, starts, found.end)
    records.writeInt32LE(around.at(-1) ?? -1, at + 16)
    records.writeInt32LE(owners.add(found.owner), at + 20)
    writeName(records, at + 24, names.add(found.path))
    records.writeUInt8(FUNCTION_KINDS.indexOf(found.kind), at + 30)
    records.writeUInt8((found.isStatic ? 1 : 0) | (found.isAsync ? 2 : 0), at + 31)
    around.push(number)
  })
  return records
}

class Owners {
  readonly #numbers = new Map<FoundOwner, number>()
  readonly #names: Names
  readonly #starts: readonly number[]

  constructor(names: Names, starts: readonly number[]) {
    this.#names = names
    this.#starts = starts
  }

  add(owner: FoundOwner | undefined): number {
    if (owner === undefined) return -1
    const number = this.#numbers.get(owner) ?? this.#numbers.size
    this.#numbers.set(owner, number)
    return number
  }

  toBuffer(): Buffer {
    const records = Buffer.alloc(this.#numbers.size * OWNER_BYTES)
    for (const [owner, number] of this.#numbers) {
      const record = records.subarray(number * OWNER_BYTES, (number + 1) * OWNER_BYTES)
      writePosition(record, 0, this.#starts, owner.start)
      writeName(record, 8, this.#names.add(owner.path))
      record.writeUInt16LE(owner.isClass ? 1 : 0, 14)
      record.writeUInt32LE(checksum(record.subarray(0, -CHECKSUM_BYTES)), OWNER_BYTES - CHECKSUM_BYTES)
    }
    return records
  }
}

interface WrittenName {
  offset: number
  bytes: number
}

class Names {
  readonly #parts: Buffer[] = []
  #length = 0
  readonly #starts: readonly number[]

  constructor(starts: readonly number[]) {
    this.#starts = starts
  }

  add(path: readonly FoundToken[]): WrittenName {
    const offset = this.#length
    if (path.length === 0) return { offset, bytes: 0 }
    const parts = Buffer.concat(path.flatMap((token) => this.#partOf(token)))
    const sum = Buffer.alloc(CHECKSUM_BYTES)
    sum.writeUInt32LE(checksum(parts))
    this.#parts.push(sum, parts)
    this.#length += sum.length + parts.length
    return { offset, bytes: this.#length - offset }
  }

  #partOf({ offset, text: name, kind }: FoundToken): Buffer[] {
    const text = Buffer.from(name)
    const head = Buffer.alloc(11)
    writePosition(head, 0, this.#starts, offset)
    head.writeUInt8(TOKEN_KINDS.indexOf(kind), 8)
    head.writeUInt16LE(text.length, 9)
    return [head, text]
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

function writeName(records: Buffer, at: number, name: WrittenName): void {
  records.writeUInt32LE(name.offset, at)
  records.writeUInt16LE(name.bytes, at + 4)
}

function writePosition(records: Buffer, at: number, starts: readonly number[], offset: number): void {
  const { line, column } = positionOf(starts, offset)
  records.writeUInt32LE(line, at)
  records.writeUInt32LE(column, at + 4)
}

function indexOf(records: Buffer): Buffer {
  const blocks: Buffer[] = []
  for (let at = 0; at < records.length; at += BLOCK * FUNCTION_BYTES) {
    const entry = Buffer.alloc(INDEX_BYTES)
    records.copy(entry, 0, at, at + 8)
    entry.writeUInt32LE(checksum(records.subarray(at, at + BLOCK * FUNCTION_BYTES)), 8)
    blocks.push(entry)
  }
  return Buffer.concat(blocks)
}

function writeFile(file: string, functions: number, records: Buffer, sections: readonly Buffer[]): void {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(MAGIC, 0)
  header.writeUInt32LE(functions, 4)
  let offset = HEADER_BYTES + records.length
  sections.forEach((section, number) => {
    header.writeUInt32LE(offset, 8 + 4 * number)
    offset += section.length
  })
  header.writeUInt32LE(offset, 20)
  header.writeUInt32LE(checksum(header.subarray(0, CHECKED_BYTES), ...sections.slice(-1)), CHECKED_BYTES)
  const descriptor = openSync(file, 'w')
  try {
    for (const part of [header, records, ...sections]) writeWhole(descriptor, part)
  } finally {
    closeSync(descriptor)
  }
}

/** A single write may take only a part. */
function writeWhole(descriptor: number, part: Buffer): void {
  for (let written = 0; written < part.length;) written += writeSync(descriptor, part, written)
}
