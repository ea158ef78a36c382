import { writePieces } from '../table/pieces.ts'
import { MinifiedDefect } from './defect.ts'
import { findFunctions, type FoundFunction } from './find-functions.ts'
import type { FoundToken } from './name-tokens.ts'
import { findLineStarts, toPosition, type Position } from './positions.ts'
import { SCOPE_FORMAT, type FunctionRange, type NameToken, type ScopeBlock, type ScopeIndex } from './scope-table.ts'

const MAX_LENGTH = 32 * 1024 * 1024
/** Places in a block: what a lookup decompresses and parses. */
const BLOCK_PLACES = 64

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
    for (const places of inBlocks(findPlaces(functions))) {
      const block = toBlock(places, lineStarts)
      add(Buffer.from(JSON.stringify(block)))
      index.lines.push(block.lines[0] ?? 0)
      index.columns.push(block.columns[0] ?? 0)
    }
    return index
  })
}

/** Where the innermost function begins to be another one; of places at one offset the last counts. */
interface Place {
  offset: number
  innermost: FoundFunction | undefined
}

function* findPlaces(functions: readonly FoundFunction[]): Generator<Place> {
  const around: FoundFunction[] = []
  function* leaveUntil(offset: number): Generator<Place> {
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

function* inBlocks(places: Iterable<Place>): Generator<Place[]> {
  let block: Place[] = []
  for (const place of places) {
    block.push(place)
    if (block.length < BLOCK_PLACES) continue
    yield block
    block = []
  }
  if (block.length > 0) yield block
}

function toBlock(places: readonly Place[], lineStarts: readonly number[]): ScopeBlock {
  const positions = places.map(({ offset }) => toPosition(lineStarts, offset))
  const functions = [...new Set(places.map(({ innermost }) => innermost))].filter((found) => found !== undefined)
  const numbers = new Map(functions.map((found, number) => [found, number]))
  return {
    lines: positions.map(({ line }) => line),
    columns: positions.map(({ column }) => column),
    innermost: places.map(({ innermost }) => (innermost && numbers.get(innermost)) ?? -1),
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
