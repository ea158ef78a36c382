import { lastAtOrBefore } from '../table/blocks.ts'
import { cachePieces, openPieces } from '../table/pieces.ts'
import type { FunctionKind } from './find-functions.ts'
import type { TokenKind } from './name-tokens.ts'
import type { Position } from './positions.ts'

/** Raised whenever a reader of the old form would misread the new one. */
export const SCOPE_FORMAT = 'functions 3'

/** Part of a name in the minified file: its position and text there. */
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
  /** The class or constructor it is a member of. */
  owner?: Owner
}

/** Positions where another function becomes the innermost, in order: a piece of the table, as JSON. */
export interface ScopeBlock {
  lines: number[]
  columns: number[]
  /** For each position, the number of its function in `functions`; −1 outside of all functions. */
  innermost: number[]
  functions: FunctionRange[]
}

/** Index of a table: the first position of each block. */
export interface ScopeIndex {
  lines: number[]
  columns: number[]
}

/** The functions of one minified file, read from disk by position. Throws an Error where it is damaged or closed. */
export interface ScopeTable {
  /** The innermost function around a position, undefined outside of all functions. */
  innermost(line: number, column: number): FunctionRange | undefined
  /** Forgets what was read last, which it keeps because lookups come close together. */
  rest(): void
  /** Approximate bytes of memory at rest. */
  readonly bytes: number
  close(): void
}

/**
 * Opens a table that writeScopeTable wrote. Throws an Error that names the file when it is cut off, damaged, of another
 * format or not a table at all.
 */
export function openScopeTable(file: string): ScopeTable {
  const pieces = openPieces<ScopeIndex>(file, SCOPE_FORMAT)
  // The checksum of the piece says that it is as it was written.
  const blocks = cachePieces(pieces, (bytes) => JSON.parse(bytes.toString()) as ScopeBlock)
  return {
    innermost(line, column) {
      const number = lastAtOrBefore(pieces.contents, line, column)
      if (number < 0) return undefined
      const block = blocks.get(number)
      return block.functions[block.innermost[lastAtOrBefore(block, line, column)] ?? -1]
    },
    rest: () => blocks.clear(),
    bytes: pieces.bytes,
    close() {
      blocks.clear()
      pieces.close()
    },
  }
}
