import { reportUnparsable } from '../model/errors.ts'
import { readDiagnostics, type Diagnostics } from './diagnostics.ts'

/** A line of a TAP stream: a test point, other TAP syntax, or a note that is not TAP. */
export interface TapLine {
  /** Without the line end; a test point that opens a buffered subtest after its diagnostics ends in ` {`. */
  text: string
  /** Counted from 1. */
  number: number
  kind: 'point' | 'other' | 'note'
  /** Only for a point. */
  diagnostics?: Diagnostics | undefined
}

const POINT = /^\s*(?:not )?ok\b/u
const OTHER = /^\s*(?:\d+\.\.\d+|bail out!|tap version \d|pragma [+-]|# subtest)/iu
const OPENS = /\{\s*$/u
const LONGEST_LINE = 16_384
const MOST_BLOCK_LINES = 2000
const MOST_LINES = 5_000_000

/**
 * Yields the lines of a TAP stream, each test point with the diagnostics below it. Blank lines are skipped. Throws
 * `REPORT_UNPARSABLE` for more lines than any run produces.
 */
export function* tapLines(text: string): Generator<TapLine> {
  let point: TapLine | undefined
  let block: { indent: number; lines: string[] } | undefined
  // Braces mean something to the parser only where a buffered subtest is open.
  let buffered = 0
  for (const { line, number } of physicalLines(text)) {
    const indent = line.length - line.trimStart().length
    if (block !== undefined && point !== undefined) {
      const isEnd = indent === block.indent && line.trim() === '...'
      if (!isEnd && (indent >= block.indent || line.trim() === '')) {
        if (block.lines.length < MOST_BLOCK_LINES) block.lines.push(line)
        continue
      }
      point.diagnostics = readDiagnostics(block.lines)
      block = undefined
      if (isEnd) continue
    }
    if (line.trim() === '') continue
    if (point !== undefined) {
      if (point.diagnostics === undefined && indent > 0 && line.trim() === '---') {
        block = { indent, lines: [] }
        continue
      }
      const opens = line.trim() === '{'
      if (opens || OPENS.test(point.text)) buffered += 1
      yield opens ? { ...point, text: `${point.text} {` } : point
      point = undefined
      if (opens) continue
    }
    if (POINT.test(line)) point = { text: line, number, kind: 'point' }
    else if (buffered > 0 && line.trim() === '}') {
      buffered -= 1
      yield { text: line, number, kind: 'other' }
    } else yield { text: line, number, kind: OTHER.test(line) ? 'other' : 'note' }
  }
  if (point === undefined) return
  if (block !== undefined) point.diagnostics = readDiagnostics(block.lines)
  yield point
}

function* physicalLines(text: string): Generator<{ line: string; number: number }> {
  let number = 0
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next
    if ((number += 1) > MOST_LINES) {
      throw reportUnparsable('REPORT_FORMAT_TAP', 'it has more than 5,000,000 lines', number)
    }
    // tap-parser treats these as line ends and would wait forever for the rest of the line.
    const line = text.slice(at, Math.min(end, at + LONGEST_LINE)).replaceAll(/[\r\u2028\u2029]/gu, ' ')
    yield { line: line.trimEnd(), number }
    at = end + 1
  }
}
