import { cut, replaceUnstorable } from '../../../../lib/text.ts'
import type { MapTable, Mapping } from '../table/map-table.ts'

/** Lines on each side (errors §3.1). */
const AROUND = 5
/** The same limit as for the lines of frames that SDKs send. */
const LONGEST_LINE = 1_024
/** Replaces the part of a line that was left out, as in lines from SDKs. */
const SNIP = '{snip}'
/** Characters kept before the column when a line is cut. */
const BEFORE_COLUMN = 256

export interface SourceLines {
  context_line: string
  pre_context: string[]
  post_context: string[]
}

/**
 * The lines around a position of a source (0-based), each without its line end; undefined when the map does not hold the
 * text, or the text has no such line.
 */
export function sourceLines(
  map: Pick<MapTable, 'lines'>,
  { source, line, column }: Pick<Mapping, 'source' | 'line' | 'column'>,
): SourceLines | undefined {
  const first = Math.max(0, line - AROUND)
  const lines = map.lines(source, first, line + AROUND + 1)
  const context = lines?.[line - first]
  if (lines === undefined || context === undefined) return undefined
  return {
    context_line: aroundColumn(context, column),
    pre_context: lines.slice(0, line - first).map(fromStart),
    post_context: lines.slice(line - first + 1).map(fromStart),
  }
}

/** Cut before it is looked through: a line may be a whole file. */
function fromStart(line: string): string {
  if (line.length <= LONGEST_LINE) return replaceUnstorable(line)
  return `${replaceUnstorable(cut(line, LONGEST_LINE - SNIP.length - 1))} ${SNIP}`
}

/** The part of a long line that holds the column. */
function aroundColumn(line: string, column: number): string {
  if (line.length <= LONGEST_LINE || column < LONGEST_LINE / 2) return fromStart(line)
  const start = Math.min(column, line.length) - BEFORE_COLUMN
  const room = LONGEST_LINE - SNIP.length - 1
  const rest = line.slice(start, start + room + 2).replace(/^[\uDC00-\uDFFF]/, '')
  const kept = rest.length <= room ? rest : `${cut(rest, room - SNIP.length - 1)} ${SNIP}`
  return `${SNIP} ${replaceUnstorable(kept)}`
}
