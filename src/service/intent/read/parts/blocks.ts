/** Consecutive source text of one paragraph, list item or heading. */
export interface Passage {
  /** The line of its first character, counted from 1. */
  line: number
  /** The source, with a line feed for every line break. */
  raw: string
  /** The source without inline markup. Line breaks stay. */
  text: string
  /** The index in `raw` of each character of `text`; absent when they are the same. */
  at: readonly number[] | undefined
}

/** A piece of a document, in the order of its lines. The numbers of lines count from 1 and include both ends. */
export type Block =
  | { kind: 'heading'; level: number; passage: Passage; lineEnd: number }
  | ProseBlock
  | { kind: 'skipped'; lineStart: number; lineEnd: number; reason: string }
  /** Lines that only hold others together, such as the marker of an empty list item. */
  | { kind: 'frame'; lineStart: number; lineEnd: number }
  /** A fenced block: its content starts in the line after `lineStart`. */
  | { kind: 'gherkin'; lineStart: number; lineEnd: number; content: string }

export interface ProseBlock {
  /** An item is the first paragraph of a list item. */
  kind: 'paragraph' | 'item'
  /** The number of lists around it. */
  depth: number
  passage: Passage
  /** Whether the whole passage is emphasised, as titles often are. */
  strong: boolean
}

/** The passage of text without inline markup. */
export function bare(raw: string, line: number): Passage {
  return { line, raw, text: raw, at: undefined }
}

/** The index in `raw` of the character of `text` at `index`. */
export function rawIndex(passage: Passage, index: number): number {
  return passage.at?.[index] ?? index
}

/** Returns the line of the character of `raw` at an index. Call it with ascending indices. */
export function lineCounter(passage: Passage): (index: number) => number {
  let line = passage.line
  let next = passage.raw.indexOf('\n')
  return (index) => {
    while (next !== -1 && next < index) {
      line += 1
      next = passage.raw.indexOf('\n', next + 1)
    }
    return line
  }
}
