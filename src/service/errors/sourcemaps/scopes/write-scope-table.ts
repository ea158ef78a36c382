import { writePieces } from '../table/pieces.ts'
import { MinifiedDefect } from './defect.ts'
import { findFunctions, type FoundFunction } from './find-functions.ts'
import type { FoundToken } from './name-tokens.ts'
import { findLineStarts, toPosition, type Position } from './positions.ts'
import { SCOPE_FORMAT, type FunctionRange, type NameToken, type ScopeBlock, type ScopeIndex } from './scope-table.ts'

const MAX_LENGTH = 32 * 1024 * 1024
/** Changes in a block: what a lookup decompresses and parses. */
const BLOCK_CHANGES = 64

/**
 * Writes the table of the functions of a minified file. Throws MinifiedDefect when the text is not JavaScript, nests too
 * deeply or is longer than 32 Mi characters.
 */
export function writeScopeTable(minified: string, file: string): void {
  if (minified.length > MAX_LENGTH) {
    throw new MinifiedDefect(`The file has ${minified.length} characters; functions are read of ${MAX_LENGTH} at most.`)
  }
  const functions = findFunctions(minified)
  const lineStarts = findLineStarts(minified)
  writePieces(file, SCOPE_FORMAT, (add): ScopeIndex => {
    const index: ScopeIndex = { lines: [], columns: [] }
    for (const changes of inBlocks(findChanges(functions))) {
      const block = toBlock(changes, lineStarts)
      add(Buffer.from(JSON.stringify(block)))
      index.lines.push(block.lines[0] ?? 0)
      index.columns.push(block.columns[0] ?? 0)
    }
    return index
  })
}

/** Where another function becomes the innermost; of several at one offset the last counts. */
interface ScopeChange {
  offset: number
  innermost: FoundFunction | undefined
}

function* findChanges(functions: readonly FoundFunction[]): Generator<ScopeChange> {
  const around: FoundFunction[] = []
  function* leaveUntil(offset: number): Generator<ScopeChange> {
    for (let last = around.at(-1); last !== undefined && last.end <= offset; last = around.at(-1)) {
      around.pop()
      yield { offset: last.end, innermost: around.at(-1) }
    }
  }
  for (const found of functions) {
    yield* leaveUntil(found.start)
    around.push(found)
    yield { offset: found.start, innermost: found }
  }
  yield* leaveUntil(Infinity)
}

function* inBlocks(changes: Iterable<ScopeChange>): Generator<ScopeChange[]> {
  let block: ScopeChange[] = []
  for (const change of changes) {
    block.push(change)
    if (block.length < BLOCK_CHANGES) continue
    yield block
    block = []
  }
  if (block.length > 0) yield block
}

function toBlock(changes: readonly ScopeChange[], lineStarts: readonly number[]): ScopeBlock {
  const positions = changes.map(({ offset }) => toPosition(lineStarts, offset))
  const functions = [...new Set(changes.map(({ innermost }) => innermost))].filter((found) => found !== undefined)
  const numbers = new Map(functions.map((found, number) => [found, number]))
  return {
    lines: positions.map(({ line }) => line),
    columns: positions.map(({ column }) => column),
    innermost: changes.map(({ innermost }) => (innermost && numbers.get(innermost)) ?? -1),
    functions: functions.map((found) => toRange(found, (offset) => toPosition(lineStarts, offset))),
  }
}

function toRange(found: FoundFunction, position: (offset: number) => Position): FunctionRange {
  const path = (tokens: readonly FoundToken[]): NameToken[] =>
    tokens.map(({ offset, ...token }) => ({ ...position(offset), ...token }))
  const { start, end, owner, kind, isStatic, isAsync } = found
  return {
    start: position(start),
    end: position(end),
    kind,
    isStatic,
    isAsync,
    path: path(found.path),
    ...(owner && { owner: { ...position(owner.start), path: path(owner.path), isClass: owner.isClass } }),
  }
}
