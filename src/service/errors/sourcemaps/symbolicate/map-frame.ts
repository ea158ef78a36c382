import type { NormalFrame } from '../../event/event.ts'
import { cut } from '../../../../lib/text.ts'
import { functionName } from '../scopes/function-name.ts'
import type { ScopeTable } from '../scopes/scope-table.ts'
import { isLibrarySource, sourcePath } from '../source-path.ts'
import type { MapTable, Mapping } from '../table/map-table.ts'
import { sourceFilePaths } from '../process/paths.ts'
import type { WantedSource } from './artifact-rows.ts'
import { Lru, scaled } from './lru.ts'
import type { MatchedArtifacts } from './match.ts'
import type { OpenTables } from './open-tables.ts'
import { problems, type Problem } from './problems.ts'
import { sourceLines, type SourceLines } from './source-lines.ts'

/** A position in a generated file, 0-based, and the content name of the map that applies to it. */
export interface GeneratedPosition {
  line: number
  column: number
  map: string
}

/** A mapped frame, and what is missing in it; without `frame` there is no mapping, and `problem` says why. */
export interface Mapped {
  frame?: NormalFrame
  place?: GeneratedPosition
  problem?: Problem | undefined
  /** The text that the map does not hold, which may have been uploaded beside it. */
  wanted?: WantedText | undefined
}

/** Lines of a source whose text is not in its map; 0-based. */
export interface WantedText extends WantedSource {
  line: number
  column: number
}

export interface FrameMapper {
  /**
   * The mapped frame, or why it could not be mapped. `caller` is the position of the calling frame; it helps to name
   * the function if it is in the same map. Never throws.
   */
  map(frame: NormalFrame, found: MatchedArtifacts, caller: GeneratedPosition | undefined): Mapped
  /** Call after tables were written again. */
  changed(): void
}

/** The result for a position of a generated file; the same for every event that has it. */
interface Located extends Pick<NormalFrame, 'filename' | 'abs_path' | 'module' | 'lineno' | 'colno'>, SourceLines {
  isLibrary: boolean
  /** Paths of the source's text, none when the map holds it. */
  textPaths: readonly string[]
  /** Undefined: the name that was sent is kept. */
  name: string | undefined
  problem: Problem | undefined
  /** Named without a table of functions that there should be. */
  lacksFunctions: boolean
}

/** The normaliser's limits for the members of a frame. */
const LONGEST = { function: 512, module: 256, abs_path: 2_048 }
/** V8's name for a function without a name. */
const NAMELESS = '<anonymous>'
/** Crashes repeat: most frames of an event were in an earlier one. */
const MOST_REMEMBERED = { weight: 16 * 1024 * 1024, entries: 20_000 }
const MOST_LACKING = { weight: 2 * 1024 * 1024, entries: 2_500 }
/** A table of functions that was not there may come, and a damaged one must not be opened for every frame. */
const LACKING_MS = 2_000

export interface FrameMapperOptions {
  tables: OpenTables
  /** Milliseconds of any monotonic clock. */
  now: () => number
  /** The part of the usual limits for results that are remembered. */
  share?: number | undefined
}

/** Maps frames with tables, and remembers the results. */
export function createFrameMapper({ tables, now, share = 1 }: FrameMapperOptions): FrameMapper {
  const known = new Lru<Located>(scaled(MOST_REMEMBERED, share))
  const lacking = new Lru<Located>(scaled(MOST_LACKING, share))
  let lackingSince = now()

  function find(key: string): Located | undefined {
    const time = now()
    if (time - lackingSince >= LACKING_MS) {
      lacking.clear()
      lackingSince = time
    }
    return known.get(key) ?? lacking.get(key)
  }

  function located(
    frame: NormalFrame,
    found: MatchedArtifacts,
    caller: GeneratedPosition | undefined,
  ): Located | Problem {
    const { map, minified } = found
    const from = caller === undefined ? '' : `${caller.line}:${caller.column}`
    const key = `${map.id} ${minified?.id ?? ''} ${frame.lineno}:${frame.colno} ${from}`
    const before = find(key)
    if (before !== undefined) return before
    const answer = locate(frame, { found, tables, caller })
    if ('filename' in answer) {
      const kept = answer.lacksFunctions ? lacking : known
      kept.set(key, answer, estimateBytes(answer))
      kept.trim()
    }
    return answer
  }

  return {
    map(frame, found, caller) {
      const { content } = found.map
      try {
        const answer = located(frame, found, caller?.map === content ? caller : undefined)
        if (!('filename' in answer)) return { problem: answer }
        const place = { line: frame.lineno - 1, column: Math.max(0, frame.colno - 1), map: content }
        const { textPaths: paths, lineno, colno, problem } = answer
        const wanted = paths.length === 0 ? undefined : { map: found.map, paths, line: lineno - 1, column: colno - 1 }
        return { frame: inSource(frame, found, answer), place, problem, wanted }
      } catch {
        return { problem: problems.damaged }
      }
    },
    changed: () => lacking.clear(),
  }
}

/** Approximate size in memory, in bytes. */
function estimateBytes({
  context_line: line,
  pre_context: before,
  post_context: after,
  abs_path: path,
}: Located): number {
  return 1_000 + 2 * (path.length + [line, ...before, ...after].reduce((sum, text) => sum + text.length, 0))
}

interface Locating {
  found: MatchedArtifacts
  tables: OpenTables
  caller: GeneratedPosition | undefined
}

function locate({ lineno, colno }: NormalFrame, { found, tables, caller }: Locating): Located | Problem {
  const map = tables.map(found.map.content)
  const mapping = colno > 0 ? map.find(lineno - 1, colno - 1) : onlyMapping(map, lineno - 1)
  if (mapping === undefined) return colno > 0 || isBare(map, lineno - 1) ? problems.outside : problems.noColumn
  if (mapping.source < 0) return problems.noSource
  const source = map.sources[mapping.source]
  if (source === undefined) throw new Error('the map names a source that it does not have')
  const filename = sourcePath(source.name, found.map.path)
  const named = nameAt({ line: lineno - 1, column: Math.max(0, colno - 1) }, { map, found, tables, caller })
  const text = readSourceText(map, mapping)
  return {
    filename,
    abs_path: cut(source.name, LONGEST.abs_path),
    module: modulePath(filename),
    lineno: mapping.line + 1,
    colno: mapping.column + 1,
    ...text.lines,
    textPaths: text.problem === undefined ? [] : sourceFilePaths(source.name, found.map.path),
    isLibrary: source.ignored || isLibrarySource(source.name, filename),
    name: named.name,
    problem: named.problem ?? text.problem,
    lacksFunctions: named.lacksFunctions,
  }
}

function inSource(frame: NormalFrame, { map, minified }: MatchedArtifacts, located: Located): NormalFrame {
  const { isLibrary, name = frame.function, problem: _, textPaths: __, lacksFunctions: ___, ...source } = located
  return {
    ...frame,
    ...source,
    function: cut(name, LONGEST.function),
    raw_function: frame.function,
    in_app: frame.in_app && !isLibrary,
    symbolicated: true,
    original: {
      filename: frame.filename,
      abs_path: frame.abs_path,
      lineno: frame.lineno,
      colno: frame.colno,
      function: frame.function,
    },
    source_map_id: map.sourcemap_id,
    debug_id: map.debug_id || minified?.debug_id || frame.debug_id,
  }
}

/** Beyond every column. */
const END = Number.MAX_SAFE_INTEGER
/** Columns at which a line is probed when the frame names none. */
const PROBES = [0, ...Array.from({ length: 18 }, (_, power) => 2 ** power), END]

/**
 * The mapping of a whole generated line, if it comes from one line of one source: code that was bundled but not
 * minified.
 */
function onlyMapping(map: MapTable, line: number): Mapping | undefined {
  const seen = PROBES.map((column) => map.find(line, column)).filter((mapping) => mapping !== undefined)
  const [first] = seen
  const isOne = seen.every((mapping) => mapping.source === first?.source && mapping.line === first.line)
  return isOne && first !== undefined ? { ...first, column: -1 } : undefined
}

function isBare(map: MapTable, line: number): boolean {
  return map.find(line, END) === undefined
}

/** The path without its extension. */
function modulePath(path: string): string {
  const module = path.replace(/\.\w{1,8}$/, '')
  return module.length > LONGEST.module ? '' : module
}

/** How the function at a position is called. */
interface Named extends Pick<Located, 'lacksFunctions'> {
  /** Undefined when only the minified one is known. */
  name: string | undefined
  problem?: Problem | undefined
}

function nameAt(
  position: { line: number; column: number },
  { map, found, tables, caller }: Locating & { map: MapTable },
): Named {
  const { scopes, problem = problems.damagedFunctions } = openScopes(found, tables)
  if (scopes !== undefined) {
    try {
      return { name: functionName(position, { map, scopes }, caller) || NAMELESS, lacksFunctions: false }
    } catch {
      // The damaged file may be the map: then reading it below fails, too.
    }
  }
  const lacksFunctions = problem === problems.damagedFunctions
  const name = functionName(position, { map, scopes: undefined }, caller)
  return name === '' ? { name: undefined, problem, lacksFunctions } : { name, lacksFunctions }
}

/** The table, or why there is none; neither where it cannot be read. */
function openScopes(
  { minified }: MatchedArtifacts,
  tables: OpenTables,
): { scopes?: ScopeTable; problem?: Problem | undefined } {
  if (minified === undefined) return { problem: problems.noFunctions }
  if (minified.content === '') return { problem: problems.unreadFunctions }
  try {
    return { scopes: tables.scopes(minified.content) }
  } catch {
    return {}
  }
}

function readSourceText(map: MapTable, mapping: Mapping) {
  const none = { context_line: '', pre_context: [], post_context: [] }
  const lines = sourceLines(map, mapping)
  return lines === undefined ? { lines: none, problem: problems.noText } : { lines, problem: undefined }
}
