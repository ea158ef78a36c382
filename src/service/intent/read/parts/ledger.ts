import type { LineRange } from '../../types.ts'

type Mark = Pick<LineRange, 'use' | 'ordinal' | 'reason'>

const FRAME: Mark = { use: 'context', ordinal: 0, reason: '' }
const CONTEXT: Mark = { use: 'context', ordinal: 0, reason: '' }

/** Says what became of each line of a document. A line that is used in several ways has the most telling use. */
export class LineLedger {
  readonly #document: number
  readonly #marks: (Mark | undefined)[]
  readonly #lines: readonly string[]

  constructor(document: number, lines: readonly string[]) {
    this.#document = document
    this.#lines = lines
    this.#marks = Array.from<Mark | undefined>({ length: lines.length }).fill(undefined)
  }

  frame(lineStart: number, lineEnd: number): void {
    this.#mark(lineStart, lineEnd, FRAME)
  }

  context(lineStart: number, lineEnd: number): void {
    this.#mark(lineStart, lineEnd, CONTEXT)
  }

  skip(lineStart: number, lineEnd: number, reason: string): void {
    this.#mark(lineStart, lineEnd, { use: 'skipped', ordinal: 0, reason })
  }

  use(use: 'proposal' | 'criterion', lineStart: number, lineEnd: number, ordinal: number): void {
    this.#mark(lineStart, lineEnd, { use, ordinal, reason: '' })
  }

  /** Every line with text, in order and without overlaps; lines that nothing marked are skipped for `otherwise`. */
  ranges(otherwise: string): LineRange[] {
    const ranges: LineRange[] = []
    const unmarked: Mark = { use: 'skipped', ordinal: 0, reason: otherwise }
    for (const [index, text] of this.#lines.entries()) {
      if (text.trim() === '') continue
      const mark = this.#marks[index] ?? unmarked
      const line = index + 1
      const last = ranges.at(-1)
      if (last !== undefined && last.lineEnd === line - 1 && same(last, mark)) last.lineEnd = line
      else ranges.push({ document: this.#document, lineStart: line, lineEnd: line, ...mark })
    }
    return ranges
  }

  #mark(lineStart: number, lineEnd: number, mark: Mark): void {
    for (let index = lineStart - 1; index < lineEnd; index += 1) {
      const before = this.#marks[index]
      if (before === undefined || rank(mark) > rank(before)) this.#marks[index] = mark
    }
  }
}

/** What was left out of a line says more than what is around it. */
const ranks = { context: 1, skipped: 2, criterion: 3, proposal: 4 } as const

function rank(mark: Mark): number {
  return mark === FRAME ? 0 : ranks[mark.use]
}

function same(a: Mark, b: Mark): boolean {
  return a.use === b.use && a.ordinal === b.ordinal && a.reason === b.reason
}
