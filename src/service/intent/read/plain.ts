import { bare, type Block } from './parts/blocks.ts'
import { LONGEST_PASSAGE } from './parts/limits.ts'

const ITEM = /^(\s*)(?:[-*•·–]|o|\d{1,3}[.)]|\(?[a-z]\)|\(\d{1,3}\))\s+(?=\S)/
const UNDERLINE = /^\s*(?:={3,}|-{3,})\s*$/
const MAIL_HEADER = /^(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To):\s/
const NUMBERED_TITLE = /^\s*\d+(?:\.\d+)+\.?\s+\S/
const SHORT_TITLE = /^\p{Lu}[^.!?:;,]{2,70}$/u
const CAPITALS = /^[^\p{Ll}]{3,80}$/u
const MODAL = /\b(?:must|shall|should|may|will|can|cannot|required|needs?|has|have|is|are)\b/i
const LINES_AT_ONCE = 500

/** The blocks of plain text, such as a chat, an e-mail or the text of an RFC, in pieces of about 500 lines. */
export function* readPlain(lines: readonly string[]): Generator<Iterable<Block>> {
  const reader = new PlainReader(lines)
  for (let index = 0; index < lines.length;) {
    const found: Block[] = []
    for (const end = index + LINES_AT_ONCE; index < lines.length && index < end;) index = reader.next(index, found)
    yield found
  }
}

class PlainReader {
  readonly #lines: readonly string[]
  /** Indentations of the list items around the current line, outermost first. */
  #items: number[] = []

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  /** Adds the block at the line to `found`, and returns the index of the next line. */
  next(index: number, found: Block[]): number {
    const line = this.#line(index)
    if (line.trim() === '') return index + 1
    if (/^\s*(?:```|~~~)/.test(line)) return this.#fence(index, found)
    if (/^\s*>/.test(line)) return this.#skip(index, found, 'QUOTE', (next) => /^\s*>/.test(next))
    if (/^-- ?$/.test(line)) return this.#skip(index, found, 'SIGNATURE', () => true)
    if (UNDERLINE.test(line)) return this.#skip(index, found, 'RULE', () => false)
    if (MAIL_HEADER.test(line) && this.#isMailHead(index)) return this.#mailHeader(index, found)
    if (this.#isTitle(index)) return this.#title(index, found)
    return this.#prose(index, found)
  }

  #line(index: number): string {
    return this.#lines[index] ?? ''
  }

  #isBlank(index: number): boolean {
    return this.#line(index).trim() === ''
  }

  #skip(index: number, found: Block[], reason: string, goesOn: (line: string) => boolean): number {
    let end = index + 1
    while (end < this.#lines.length && goesOn(this.#line(end))) end += 1
    found.push({ kind: 'skipped', lineStart: index + 1, lineEnd: end, reason })
    return end
  }

  #fence(index: number, found: Block[]): number {
    const mark = this.#line(index).trim().slice(0, 3)
    let end = index + 1
    while (end < this.#lines.length && !this.#line(end).trim().startsWith(mark)) end += 1
    end = Math.min(end + 1, this.#lines.length)
    found.push({ kind: 'skipped', lineStart: index + 1, lineEnd: end, reason: 'CODE' })
    return end
  }

  /** Whether the line is at the start of the text, or follows another header, as in a forwarded mail. */
  #isMailHead(index: number): boolean {
    return MAIL_HEADER.test(this.#line(index + 1)) || (index > 0 && MAIL_HEADER.test(this.#line(index - 1)))
  }

  #mailHeader(index: number, found: Block[]): number {
    const subject = /^Subject:\s*(?:(?:re|fwd?|aw):\s*)*/i.exec(this.#line(index))
    if (subject === null) return this.#skip(index, found, 'MAIL_HEADER', () => false)
    const passage = bare(this.#line(index).slice(subject[0].length), index + 1)
    found.push({ kind: 'heading', level: 1, passage, lineEnd: index + 1 })
    return index + 1
  }

  #isTitle(index: number): boolean {
    const text = this.#line(index).trim()
    if (text.length > 80) return false
    if (UNDERLINE.test(this.#line(index + 1)) && !ITEM.test(text)) return true
    const isSeparate = index === 0 || this.#isBlank(index - 1)
    if (!isSeparate || MODAL.test(text)) return false
    if (NUMBERED_TITLE.test(text)) return this.#isBlank(index + 1) && !/[.!?:;]$/.test(text)
    if (!this.#isFollowed(index)) return false
    return !ITEM.test(text) && (SHORT_TITLE.test(text) || (CAPITALS.test(text) && /\p{Lu}{3}/u.test(text)))
  }

  /** Whether text follows after an empty line, or a list follows at once. */
  #isFollowed(index: number): boolean {
    const next = index + 1
    if (!this.#isBlank(next)) return ITEM.test(this.#line(next))
    return next + 1 < this.#lines.length && /^\S.{0,60}$/.test(this.#line(index).trim()) && !this.#isBlank(next + 1)
  }

  #title(index: number, found: Block[]): number {
    const underline = this.#line(index + 1)
    const lineEnd = index + (UNDERLINE.test(underline) ? 2 : 1)
    const level = /^\s*-/.test(underline) ? 2 : titleLevel(this.#line(index))
    this.#items = []
    found.push({ kind: 'heading', level, passage: bare(this.#line(index).trim(), index + 1), lineEnd })
    return lineEnd
  }

  #prose(index: number, found: Block[]): number {
    const marker = ITEM.exec(this.#line(index))
    const indent = marker?.[1]?.length ?? /^\s*/.exec(this.#line(index))?.[0].length ?? 0
    // A paragraph belongs to the items that it is indented below.
    while ((this.#items.at(-1) ?? -1) >= indent) this.#items.pop()
    if (marker !== null) this.#items.push(indent)
    const end = this.#paragraphEnd(index)
    const raw = this.#lines
      .slice(index, end)
      .map((line) => line.trim())
      .join('\n')
      .slice(marker === null ? 0 : marker[0].length - indent)
    const kind = marker === null ? 'paragraph' : 'item'
    found.push({ kind, depth: this.#items.length, passage: bare(raw, index + 1), strong: false })
    return end
  }

  #paragraphEnd(index: number): number {
    let length = this.#line(index).length
    let end = index + 1
    for (; end < this.#lines.length && length < LONGEST_PASSAGE; end += 1) {
      const line = this.#line(end)
      if (line.trim() === '' || ITEM.test(line) || /^\s*(?:>|```|~~~)|^-- ?$/.test(line)) break
      length += line.length
    }
    return end
  }
}

function titleLevel(line: string): number {
  const number = /^\s*(\d+(?:\.\d+)*)/.exec(line)?.[1]
  return number === undefined ? 1 : 1 + number.split('.').length
}
