import { SourceMapDefect, type DefectRule } from './defect.ts'
import { unordered, visitInOrder } from './unordered-line.ts'
import type { VisitMapping } from './visit-mapping.ts'

/** Lines and columns beyond this are refused: it is the largest number that a VLQ of the standard can express. */
export const LAST_POSITION = 2 ** 31 - 1

const COMMA = 44
const SEMICOLON = 59

/** The value of each ASCII character as a base64 digit, −1 for other characters. */
const digits = new Int8Array(128).fill(-1)
for (let value = 0; value < 64; value++) {
  digits['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.charCodeAt(value)] = value
}

/** The state of reading; the numbers are the last values of each field, which the next segment is relative to. */
interface Cursor {
  readonly text: string
  readonly member: string
  readonly sources: number
  readonly names: number
  at: number
  generatedLine: number
  generatedColumn: number
  source: number
  line: number
  column: number
  name: number
}

/**
 * Calls back for each segment of a `mappings` text, ordered by generated line and column. Segments of one line that are
 * not in order in the text are accepted, as the standard's decoding does, and visited in order (those of equal columns
 * as written). `member` is the name of the text in messages; `sources` and `names` are the lengths of those lists.
 * Throws SourceMapDefect at the first segment that breaks a rule (ECMA-426 "Mappings structure", "base64 VLQ").
 */
export function decodeMappings(
  text: string,
  { member, sources, names }: { member: string; sources: number; names: number },
  visit: VisitMapping,
): void {
  const cursor: Cursor = {
    text,
    member,
    sources,
    names,
    at: 0,
    generatedLine: 0,
    generatedColumn: 0,
    source: 0,
    line: 0,
    column: 0,
    name: 0,
  }
  while (cursor.at < text.length) {
    if (text.charCodeAt(cursor.at) !== SEMICOLON) {
      if (inOrder(cursor)) readLine(cursor, visit)
      else visitInOrder(readWhole(cursor), visit)
    }
    cursor.at++
    cursor.generatedLine++
    cursor.generatedColumn = 0
  }
}

/** Whether no segment of the line steps back: the sign is the lowest bit of a segment's first digit. */
function inOrder({ text, at }: Cursor): boolean {
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === SEMICOLON) return true
    if (code === COMMA && (digitAt(text, at + 1) & 1) === 1) return false
  }
  return true
}

function readWhole(cursor: Cursor) {
  const line = unordered(cursor.generatedLine)
  readLine(cursor, (_generatedLine, generatedColumn, source, originalLine, originalColumn, name) => {
    if (line.add(generatedColumn, source, originalLine, originalColumn, name)) return
    throw defect(cursor, 'unordered-line', 'exceeds the limit for a line whose segments are not in order')
  })
  return line
}

function readLine(cursor: Cursor, visit: VisitMapping): void {
  for (;;) {
    const fields = readSegment(cursor)
    if (fields === 1) visit(cursor.generatedLine, cursor.generatedColumn, -1, 0, 0, -1)
    else {
      const name = fields === 5 ? cursor.name : -1
      visit(cursor.generatedLine, cursor.generatedColumn, cursor.source, cursor.line, cursor.column, name)
    }
    if (cursor.text.charCodeAt(cursor.at) !== COMMA) return
    cursor.at++
  }
}

/** Moves the cursor over one segment; returns how many fields it has: 1, 4 or 5. */
function readSegment(cursor: Cursor): number {
  if (segmentEnds(cursor)) throw defect(cursor, 'segment-length', 'is empty; a segment has 1, 4 or 5 fields')
  cursor.generatedColumn = position(cursor, 'generated-column', cursor.generatedColumn + readVlq(cursor))
  if (segmentEnds(cursor)) return 1
  const source = cursor.source + readVlq(cursor)
  if (segmentEnds(cursor)) throw wrongLength(cursor, '2')
  const line = cursor.line + readVlq(cursor)
  if (segmentEnds(cursor)) throw wrongLength(cursor, '3')
  cursor.source = index(cursor, 'source-index', source)
  cursor.line = position(cursor, 'original-line', line)
  cursor.column = position(cursor, 'original-column', cursor.column + readVlq(cursor))
  if (segmentEnds(cursor)) return 4
  cursor.name = index(cursor, 'name-index', cursor.name + readVlq(cursor))
  if (segmentEnds(cursor)) return 5
  throw wrongLength(cursor, 'more than 5')
}

function segmentEnds({ text, at }: Cursor): boolean {
  if (at >= text.length) return true
  const code = text.charCodeAt(at)
  return code === COMMA || code === SEMICOLON
}

/** The number written at the cursor: at most 32 bits including the sign, which is the lowest bit. */
function readVlq(cursor: Cursor): number {
  let bits = 0
  for (let shift = 0; ; shift += 5) {
    const digit = digitAt(cursor.text, cursor.at)
    if (digit < 0) throw noDigit(cursor)
    cursor.at++
    const value = digit & 31
    if (shift < 30) bits |= value << shift
    else if (shift === 30 && value < 4) bits = (bits | (value << 30)) >>> 0
    // Any number of zero digits may follow.
    else if (value > 0) throw defect(cursor, 'vlq-range', 'holds a number of more than 32 bits')
    if (digit < 32) break
  }
  const size = bits >>> 1
  if ((bits & 1) === 0) return size
  // "Minus zero" represents −2^31, which has no positive counterpart.
  return size === 0 ? -(2 ** 31) : -size
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 128 ? (digits[code] ?? -1) : -1
}

function noDigit(cursor: Cursor): SourceMapDefect {
  if (segmentEnds(cursor)) return defect(cursor, 'vlq-continuation', 'ends in the middle of a number')
  const code = cursor.text.codePointAt(cursor.at) ?? 0
  const character = code > 32 && code < 127 ? ` ${String.fromCodePoint(code)}` : ''
  const hex = code.toString(16).toUpperCase().padStart(4, '0')
  return defect(cursor, 'vlq-character', `holds the character U+${hex}${character}, which is not a base64 digit`)
}

const named = {
  'generated-column': 'generated column',
  'source-index': 'source index',
  'original-line': 'original line',
  'original-column': 'original column',
  'name-index': 'name index',
} satisfies Partial<Record<DefectRule, string>>

function position(cursor: Cursor, field: keyof typeof named, value: number): number {
  if (value < 0) throw defect(cursor, field, `has the negative ${named[field]} ${value}`)
  if (value > LAST_POSITION) throw defect(cursor, 'position-range', `has the ${named[field]} ${value}, past 2^31 - 1`)
  return value
}

function index(cursor: Cursor, field: 'source-index' | 'name-index', value: number): number {
  if (value < 0) throw defect(cursor, field, `has the negative ${named[field]} ${value}`)
  const length = field === 'source-index' ? cursor.sources : cursor.names
  if (value >= length) throw defect(cursor, field, `has the ${named[field]} ${value}, but the list has ${length}`)
  return value
}

function wrongLength(cursor: Cursor, fields: string): SourceMapDefect {
  return defect(cursor, 'segment-length', `has ${fields} fields instead of 1, 4 or 5`)
}

function defect({ text, member, at, generatedLine }: Cursor, rule: DefectRule, what: string): SourceMapDefect {
  let segment = 1
  // When the cursor is at the end of its segment, that comma or semicolon is not before it.
  for (let back = at - 1; back >= 0 && text.charCodeAt(back) !== SEMICOLON; back--) {
    if (text.charCodeAt(back) === COMMA) segment++
  }
  return new SourceMapDefect(rule, `Segment ${segment} of line ${generatedLine + 1} in ${member} ${what}.`)
}
