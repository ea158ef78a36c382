import type { FunctionKind } from './find-functions.ts'
import type { TokenKind } from './name-tokens.ts'

/*
 * A table of functions, little-endian, numbers of 32 bits unless said otherwise:
 *
 *   header     magic, functions, then the offsets in the file of owners, names and index, and its size
 *   functions  by start, outer before inner: start line, start column, end line, end column, number of the function
 *              around it (−1 none), number of its owner (−1 none), offset of its name, bytes of its name (16 bits),
 *              kind (8 bits), flags (8 bits: 1 static, 2 async)
 *   owners     line, column, offset of the name, bytes of the name (16 bits), 1 for a class (16 bits)
 *   names      parts of a name one after the other: line, column, kind (8 bits), bytes of the text (16 bits), UTF-8
 *   index      start line and column of the first function of each block
 */

export const MAGIC = 0x31_46_47_54
export const HEADER_BYTES = 24
export const FUNCTION_BYTES = 32
export const OWNER_BYTES = 16
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
