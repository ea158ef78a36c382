import { readSourceMap, SourceMapDefect, type ReadMap } from '../format/read.ts'
import { MinifiedDefect } from '../scopes/defect.ts'
import { writeScopeTable } from '../scopes/write-scope-table.ts'
import { writeMapTable } from '../table/map-table.ts'
import { writeSourceTable } from '../table/source-table.ts'
import { findDebugId, normalDebugId, sourceMappingUrl } from './comments.ts'
import { minifiedPath, resolveReference, sourceFilePaths } from './paths.ts'
import type { FileReport, ProcessedArtifact } from './processed.ts'
import type { SourcePaths } from './team-sources.ts'
import type { TableWriter } from './tables.ts'

/** The result for one file; without an artifact, frames cannot use it. */
export interface FoundFile {
  report: FileReport
  artifact?: ProcessedArtifact
  /** The rule of the format that a map breaks. */
  rule?: string
  /** Of a map: the paths that each source may have whose text it does not hold. */
  lacking?: string[][]
}

export interface FileFacts {
  /** Including the prefix. */
  path: string
  /** The debug id from the request or the manifest; '' if only the file itself can name one. */
  debugId: string
  /** Reference to the map of a minified file from the manifest; '' without one. */
  sourceMap: string
}

/** Receives what is read. */
export interface Sink {
  tables: TableWriter
  sources: SourcePaths
}

/** Reads one source map: checks all of it, and writes its table. A defect is part of the report. */
export function readMapFile(bytes: Uint8Array, { path, debugId }: FileFacts, { tables, sources }: Sink): FoundFile {
  const report = emptyReport(path, 'source_map')
  try {
    const map = readSourceMap(new TextDecoder().decode(bytes))
    const content = tables.add('map', bytes, (file) => writeMapTable(map, file))
    sources.add(map.sources, path)
    const own = normalDebugId(map.debugId)
    report.debug_id = debugId || own
    report.sources = map.sources.length
    report.has_sources_content = map.sourcesContent.some((text) => text !== null)
    report.sections = map.sections
    report.valid = true
    report.warnings = [...(map.sources.length === 0 ? ['It names no source.'] : []), ...differing(debugId, own)]
    const counterpart = minifiedPath(path, map.file)
    const artifact = { kind: 'map', content, debugId: report.debug_id, path, counterpart } as const
    return { report, artifact, lacking: lackingSources(map, path) }
  } catch (thrown) {
    if (!(thrown instanceof SourceMapDefect)) throw thrown
    report.warnings = [thrown.message]
    return { report, rule: thrown.rule }
  }
}

/**
 * Reads one minified file: the location of its map, its debug id, and its functions, for their names. A map inside the
 * file (`data:`) is treated like one next to it.
 */
export function readMinifiedFile(bytes: Uint8Array, facts: FileFacts, sink: Sink): FoundFile[] {
  if (isHermesBytecode(bytes)) return [bytecodeFile(facts)]
  const code = new TextDecoder().decode(bytes)
  const reference = facts.sourceMap || sourceMappingUrl(code)
  const inline = /^data:/i.test(reference)
  const own = findDebugId(code)
  const report = emptyReport(facts.path, 'minified_source')
  report.debug_id = facts.debugId || own
  const mapPath = inline ? `${facts.path}.map` : resolveReference(facts.path, reference)
  const content = addScopeTable(code, bytes, report, sink.tables)
  report.warnings.push(...differing(facts.debugId, own))
  const minified: FoundFile = { report }
  // Even the name of its map alone is useful.
  if (content !== '' || mapPath !== '') {
    minified.artifact = { kind: 'minified', content, debugId: report.debug_id, path: facts.path, counterpart: mapPath }
  }
  return inline ? [minified, readInlineMap(reference, { ...facts, path: mapPath }, sink)] : [minified]
}

/** The first bytes of a file that the Hermes compiler wrote. */
const HERMES_MAGIC = [0xc6, 0x1f, 0xbc, 0x03, 0xc1, 0x03, 0x19, 0x1f]

function isHermesBytecode(bytes: Uint8Array): boolean {
  return HERMES_MAGIC.every((byte, index) => bytes[index] === byte)
}

/** React Native gives bytecode the name of the script; the composed map beside it has all that frames need. */
function bytecodeFile({ path, debugId }: FileFacts): FoundFile {
  const report = emptyReport(path, 'minified_source')
  report.debug_id = debugId
  report.warnings = ['It is Hermes bytecode, which holds no text: only the composed source map beside it is used.']
  return { report }
}

/** The name of the table of functions, '' when none could be written; the report says why. */
function addScopeTable(code: string, bytes: Uint8Array, report: FileReport, tables: TableWriter): string {
  try {
    const content = tables.add('minified', bytes, (file) => writeScopeTable(code, file))
    report.valid = true
    return content
  } catch (thrown) {
    if (!(thrown instanceof MinifiedDefect)) throw thrown
    report.warnings.push(`Functions keep their minified names. ${thrown.message}`)
    return ''
  }
}

function readInlineMap(address: string, facts: FileFacts, sink: Sink): FoundFile {
  const comma = address.indexOf(',')
  const [type, data] = [address.slice(0, comma), address.slice(comma + 1)]
  const bytes = /;\s*base64$/i.test(type) ? Buffer.from(data, 'base64') : fromPercent(data)
  if (comma !== -1 && bytes !== undefined) return readMapFile(bytes, facts, sink)
  const report = emptyReport(facts.path, 'source_map')
  report.warnings = ['The data: address of the map inside the file cannot be decoded.']
  return { report }
}

function fromPercent(data: string): Buffer | undefined {
  try {
    return Buffer.from(decodeURIComponent(data))
  } catch {
    return undefined
  }
}

function lackingSources({ sources, sourcesContent }: ReadMap, mapPath: string): string[][] {
  return sources
    .filter((_, index) => sourcesContent[index] === null)
    .map((name) => (name === null ? [] : sourceFilePaths(name, mapPath)))
}

/** Reads a source that is uploaded beside a map without its text. */
export function readSourceFile(bytes: Uint8Array, { path, debugId }: FileFacts, { tables }: Sink): FoundFile {
  const report = emptyReport(path, 'source')
  report.debug_id = debugId
  if (bytes.includes(0)) return { report: { ...report, warnings: ['It is not a text.'] } }
  const content = tables.add('source', bytes, (file) => writeSourceTable(new TextDecoder().decode(bytes), file))
  report.valid = true
  return { report, artifact: { kind: 'source', content, debugId, path, counterpart: '' } }
}

function differing(given: string, own: string): string[] {
  return given === '' || own === '' || given === own ? [] : [`Its own debug id ${own} is not used: another was given.`]
}

/** The report of a file about which nothing is known yet. */
export function emptyReport(path: string, kind: FileReport['kind']): FileReport {
  return {
    path,
    kind,
    debug_id: '',
    sources: 0,
    has_sources_content: false,
    sections: 0,
    valid: false,
    warnings: [],
  }
}
