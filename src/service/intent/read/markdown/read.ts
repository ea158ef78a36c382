import MarkdownIt, { type Token } from 'markdown-it'
import type { Block } from '../parts/blocks.ts'
import { PARSED_AT_ONCE } from '../parts/limits.ts'
import { blocksBy } from './blocks.ts'

/** A list that has a single item is parsed as a whole up to this length, a block of code at any. */
const LONGEST_ITEM = 32 * PARSED_AT_ONCE

const parser = new MarkdownIt('default', { html: true })
// Inline text is parsed passage by passage, and only where it has markup.
parser.core.ruler.enableOnly(['normalize', 'block'])

/** The blocks of Markdown in pieces of about 16 KB, so that others get their turn; no block is cut but a huge paragraph. */
export function* readMarkdown(lines: readonly string[]): Generator<Iterable<Block>> {
  let start = frontMatterLines(lines)
  if (start > 0) yield [{ kind: 'skipped', lineStart: 1, lineEnd: start, reason: 'FRONT_MATTER' }]
  while (start < lines.length) {
    const { tokens, count } = parsePiece(lines, start)
    yield blocksBy(tokens, start)
    start += count
  }
}

/** Lines of YAML between `---` lines at the start; 0 without them. */
function frontMatterLines(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line))
  return end > 0 && /^[\w-]+\s*:/.test(lines[1] ?? '') ? end + 1 : 0
}

interface Piece {
  tokens: Token[]
  /** How many lines they cover. */
  count: number
}

/** The next blocks. The last one that was parsed may go on, so the piece ends before it. */
function parsePiece(lines: readonly string[], start: number): Piece {
  for (let size = PARSED_AT_ONCE; ; size *= 2) {
    const count = linesWithin(lines, start, size)
    const tokens = parser.parse(lines.slice(start, start + count).join('\n'), {})
    if (start + count >= lines.length) return { tokens, count }
    const piece = beforeLast(tokens, 0) ?? beforeLast(tokens, 1) ?? only(lines, start, { tokens, count }, size)
    if (piece !== undefined) return piece
  }
}

function linesWithin(lines: readonly string[], start: number, size: number): number {
  let end = start
  for (let length = 0; end < lines.length && length < size; end += 1) length += (lines[end]?.length ?? 0) + 1
  return end - start
}

/** The piece before the last block of that level; undefined when there is no other. */
function beforeLast(tokens: readonly Token[], level: number): Piece | undefined {
  if (level === 1 && !isList(tokens[0])) return undefined
  const last = tokens.findLastIndex((token) => token.level === level && token.nesting >= 0 && token.map !== null)
  const count = tokens[last]?.map?.[0] ?? 0
  return count > 0 ? { tokens: tokens.slice(0, last), count } : undefined
}

/** A piece that is one block: undefined when more of it has to be parsed. */
function only(lines: readonly string[], start: number, piece: Piece, size: number): Piece | undefined {
  const type = piece.tokens[0]?.type
  if (type === 'fence' || type === 'html_block') return undefined
  if (isList(piece.tokens[0]) && size < LONGEST_ITEM) return undefined
  if (type !== 'table_open' && type !== 'blockquote_open') return piece
  const blank = lines.findIndex((line, index) => index >= start + piece.count && line.trim() === '')
  const count = (blank === -1 ? lines.length : blank) - start
  const tokens = piece.tokens.slice(0, 1)
  if (tokens[0] !== undefined) tokens[0].map = [0, count]
  return { tokens, count }
}

function isList(token: Token | undefined): boolean {
  return token?.type === 'bullet_list_open' || token?.type === 'ordered_list_open'
}
