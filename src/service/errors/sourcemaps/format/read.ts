import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import { SourceMapDefect } from './defect.ts'
import { decodeMappings, LAST_POSITION } from './mappings.ts'
import type { VisitMapping } from './visit-mapping.ts'
import { checkVersion, readRegularMap, readText } from './members.ts'
import { readSections, type SourceMapPart } from './sections.ts'

export { SourceMapDefect } from './defect.ts'

/** A source map whose members are checked. Its mappings are checked as they are read. */
export interface ReadMap {
  /** With `sourceRoot` prepended, otherwise as written; null if the map does not know the name. */
  sources: (string | null)[]
  /** As long as `sources`; null if the map does not contain the text. */
  sourcesContent: (string | null)[]
  /** Indices of the sources that are third party code. */
  ignored: ReadonlySet<number>
  names: string[]
  /** '' when the map does not name it. */
  file: string
  /** Lower-case, '' when absent or not a UUID. A proposal, not yet part of the standard. */
  debugId: string
  /** 0 for a regular map. */
  sections: number
  /**
   * Calls back for each segment, ordered by generated line and column. Throws SourceMapDefect at the first one that breaks
   * a rule, so that a map is known to be valid only after a full run.
   */
  eachMapping(visit: VisitMapping): void
}

/**
 * Reads a source map, regular or with sections, by ECMA-426; the sections' sources and names become one list each, in
 * their order. A byte order mark and a first line that begins with `)]}'` are skipped, as for maps that are fetched
 * over HTTP. Throws SourceMapDefect.
 */
export function readSourceMap(text: string): ReadMap {
  const json = parse(text)
  const isIndex = json['sections'] !== undefined
  if (isIndex) checkVersion(json, '')
  const parts = isIndex ? readSections(json) : [{ at: '', line: 0, column: 0, map: readRegularMap(json, '') }]
  return {
    ...merge(parts),
    file: readText(json, 'file', ''),
    debugId: readDebugId(json),
    sections: isIndex ? parts.length : 0,
    eachMapping: (visit) => eachMapping(parts, visit),
  }
}

function parse(text: string): JsonObject {
  let json: unknown
  try {
    json = JSON.parse(withoutPrefix(text))
  } catch (error) {
    // The engine's message quotes the text.
    const at = / at position (\d+)/.exec(String(error))?.[1]
    throw new SourceMapDefect(
      'json',
      at === undefined ? 'It is not valid JSON.' : `It is not valid JSON: character ${at} is wrong.`,
    )
  }
  if (isObject(json)) return json
  throw new SourceMapDefect('object', 'It is JSON, but not an object.')
}

function withoutPrefix(text: string): string {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (!body.startsWith(")]}'")) return body
  const end = body.search(/[\r\n]/)
  return end < 0 ? '' : body.slice(end)
}

function merge(parts: SourceMapPart[]): Pick<ReadMap, 'sources' | 'sourcesContent' | 'names' | 'ignored'> {
  const ignored = new Set<number>()
  let before = 0
  for (const { map } of parts) {
    for (const source of map.ignored) ignored.add(before + source)
    before += map.sources.length
  }
  return {
    ignored,
    sources: parts.flatMap(({ map }) => map.sources),
    sourcesContent: parts.flatMap(({ map }) => map.sourcesContent),
    names: parts.flatMap(({ map }) => map.names),
  }
}

const uuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

function readDebugId(json: JsonObject): string {
  for (const id of [json['debugId'], json['debug_id']]) {
    if (typeof id === 'string' && uuid.test(id)) return id.toLowerCase()
  }
  return ''
}

function eachMapping(parts: readonly SourceMapPart[], visit: VisitMapping): void {
  let sources = 0
  let names = 0
  let lastLine = -1
  let lastColumn = -1
  for (const [place, { at, map, ...offset }] of parts.entries()) {
    if (lastLine > offset.line || (lastLine === offset.line && lastColumn > offset.column)) {
      throw new SourceMapDefect(
        'section-overlap',
        `sections[${place - 1}] has mappings past the begin of the next one.`,
      )
    }
    const lists = { member: `${at}mappings`, sources: map.sources.length, names: map.names.length }
    decodeMappings(map.mappings, lists, (generatedLine, generatedColumn, source, line, column, name) => {
      lastLine = offset.line + generatedLine
      lastColumn = generatedLine === 0 ? offset.column + generatedColumn : generatedColumn
      if (lastLine > LAST_POSITION || lastColumn > LAST_POSITION) {
        throw new SourceMapDefect('position-range', `sections[${place}] has mappings past line or column 2^31 - 1.`)
      }
      visit(lastLine, lastColumn, source < 0 ? -1 : sources + source, line, column, name < 0 ? -1 : names + name)
    })
    sources += lists.sources
    names += lists.names
  }
}
