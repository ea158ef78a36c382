import { crc32 } from 'node:zlib'
import type { FunctionKind } from './find-functions.ts'
import type { TokenKind } from './name-tokens.ts'

/*
 * A table of functions, little-endian, numbers of 32 bits unless said otherwise:
 *
 *   header     magic, functions, then the offsets in the file of owners, names and index, its size, and the checksum of
 *              these and of the index
 *   functions  by start, outer before inner: start line, start column, end line, end column, number of the function
 *              around it (−1 none), number of its owner (−1 none), offset of its name, bytes of its name (16 bits),
 *              kind (8 bits), flags (8 bits: 1 static, 2 async)
 *   owners     line, column, offset of the name, bytes of the name (16 bits), 1 for a class (16 bits), checksum of these
 *   names      of each name its checksum, then its parts: line, column, kind (8 bits), bytes of the text (16 bits), UTF-8
 *   index      start line and column of the first function of each block, and the checksum of the block
 */

export const MAGIC = 0x32_46_47_54
/** Of the header, without the checksum at its end. */
export const CHECKED_BYTES = 24
export const CHECKSUM_BYTES = 4
export const HEADER_BYTES = CHECKED_BYTES + CHECKSUM_BYTES
export const FUNCTION_BYTES = 32
export const OWNER_BYTES = 20
export const INDEX_BYTES = 12
/** Functions read together. */
export const BLOCK = 64

export const FUNCTION_KINDS: readonly FunctionKind[] = [
  'function',
  'arrow',
  'method',
  'getter',
  'setter',
  'constructor',
  'fields',
  'static fields',
]

export const TOKEN_KINDS: readonly TokenKind[] = ['identifier', 'key', 'literal', 'symbol']

/** What stands in the table beside each piece that is read by itself. */
export function checksum(...parts: Uint8Array[]): number {
  return parts.reduce((sum, part) => crc32(part, sum), 0)
}
