import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { functionName } from '../../../../../src/service/errors/sourcemaps/scopes/function-name.ts'
import type { Position } from '../../../../../src/service/errors/sourcemaps/scopes/positions.ts'
import { openScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/scope-table.ts'
import { writeScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/write-scope-table.ts'
import { openMapTable, writeMapTable } from '../../../../../src/service/errors/sourcemaps/table/map-table.ts'
import type { RawFrame } from './crashes/main.mts'
import type { TrueFrame } from './true-names.ts'

/** A frame of a bundle as the tables resolve it. */
export interface Frame {
  file: string
  line: number
  function: string
}

type OpenedTables = Awaited<ReturnType<typeof openTables>>

/** Names the function at a generated position (0-based); `caller` is the position in the frame that called it. */
export type NameFunction = (position: Position, tables: OpenedTables, caller?: Position) => string

/** Resolves frames of bundles, each with its map next to it. */
export function symbolicator(nameFunction: NameFunction = functionName) {
  const open = new Map<string, OpenedTables>()
  async function resolve(raw: RawFrame, caller?: RawFrame): Promise<Frame> {
    const file = filePath(raw)
    const tables = open.get(file) ?? (await openTables(file))
    open.set(file, tables)
    const position = toPosition(raw)
    const from = caller && filePath(caller) === file ? toPosition(caller) : undefined
    const mapping = tables.map.find(position.line, position.column)
    const source = tables.map.sources[mapping?.source ?? -1]?.name ?? ''
    return {
      file: isRuntime(source) ? source : basename(source),
      line: (mapping?.line ?? -1) + 1,
      function: nameFunction(position, tables, from),
    }
  }
  function close(): void {
    for (const { map, scopes } of open.values()) {
      map.close()
      scopes.close()
    }
  }
  return { resolve, close }
}

async function openTables(file: string) {
  writeMapTable(readSourceMap(await readFile(`${file}.map`, 'utf8')), `${file}.map-table`)
  writeScopeTable(await readFile(file, 'utf8'), `${file}.scope-table`)
  return { map: openMapTable(`${file}.map-table`), scopes: openScopeTable(`${file}.scope-table`) }
}

function toPosition({ line, column }: RawFrame): Position {
  return { line: line - 1, column: column - 1 }
}

export function filePath(frame: RawFrame): string {
  return frame.file.startsWith('file:') ? fileURLToPath(frame.file) : frame.file
}

/** Not the module that runs the scenarios, nor what bundlers add. */
export function isInApp(frame: Frame): boolean {
  return frame.file !== 'main.mts' && !isRuntime(frame.file)
}

/** Code that the bundler wrote: of its own source or of none. */
function isRuntime(source: string): boolean {
  return source === '' || source.startsWith('webpack:///webpack/')
}

/** Frames that are not those of the original program, in its order: a minifier may have joined two functions to one. */
export function findMisses(frames: readonly Frame[], truth: readonly TrueFrame[]): string[] {
  const misses: string[] = []
  let next = 0
  for (const frame of frames) {
    const place = `${frame.file}:${frame.line}`
    const at = truth.findIndex((each, index) => index >= next && `${each.file}:${each.line}` === place)
    const names = truth[at]?.names
    if (names === undefined) misses.push(`no frame at ${place} (${frame.function})`)
    else if (!names.includes(frame.function)) misses.push(`${place} '${frame.function}' is '${names.join("' or '")}'`)
    if (at !== -1) next = at + 1
  }
  return misses
}
