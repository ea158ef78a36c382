import MarkdownIt, { type Token } from 'markdown-it'
import { bare, type Passage } from '../parts/blocks.ts'

/** Longer passages, and those with more marks, keep their markup: an inline parser may take quadratic time. */
const LONGEST_PARSED = 4_000
const MOST_MARKS = 200
const MARKUP = /[*_`[\]<&\\~!]/g

const parser = new MarkdownIt('default', { html: true, linkify: false, typographer: false })

/** The passage of Markdown text: without emphasis, links and HTML, with code between its back-ticks, without struck text. */
export function markdownPassage(raw: string, line: number): Passage {
  if (raw.length > LONGEST_PARSED) return bare(raw, line)
  const marks = raw.match(MARKUP)?.length ?? 0
  if (marks === 0 || marks > MOST_MARKS) return bare(raw, line)
  const tokens: Token[] = []
  // Without the core rules, which would merge the pieces of text and lose where escapes are.
  parser.inline.parse(raw, parser, {}, tokens)
  const found = new Alignment(raw)
  let struck = 0
  for (const token of tokens) {
    if (token.type === 's_open') struck += 1
    if (token.type === 's_close') struck -= 1
    found.take(token, struck > 0)
  }
  return { line, raw, text: found.text, at: found.at }
}

/** Finds each token in the source, in order, so that every character of the text has its place there. */
class Alignment {
  text = ''
  readonly at: number[] = []
  readonly #raw: string
  #cursor = 0

  constructor(raw: string) {
    this.#raw = raw
  }

  take(token: Token, struck: boolean): void {
    if (token.type === 'text') this.#copy(token.content, struck)
    else if (token.type === 'text_special') this.#replace(token.markup, token.content, struck)
    else if (token.type === 'softbreak' || token.type === 'hardbreak') this.#copy('\n', false)
    else if (token.type === 'code_inline') this.#copy(this.#code(token.markup), struck)
    else if (token.type === 'html_inline' || token.type === 'image') this.#pass(token.content)
    else if (token.type === 'link_close') this.#passLink()
  }

  #copy(content: string, struck: boolean): void {
    this.#replace(content, content, struck)
  }

  #replace(source: string, content: string, struck: boolean): void {
    const start = this.#raw.indexOf(source, this.#cursor)
    if (start === -1) return
    this.#cursor = start + source.length
    if (struck) return
    for (let index = 0; index < content.length; index += 1) this.at.push(Math.min(start + index, this.#cursor - 1))
    this.text += content
  }

  #code(markup: string): string {
    const start = this.#raw.indexOf(markup, this.#cursor)
    const end = this.#raw.indexOf(markup, start + markup.length)
    return this.#raw.slice(start, end + markup.length)
  }

  #pass(content: string): void {
    const start = this.#raw.indexOf(content, this.#cursor)
    if (start !== -1) this.#cursor = start + content.length
  }

  /** Behind the address of a link, so that its words are not found instead of the text that follows. */
  #passLink(): void {
    if (!this.#raw.startsWith('](', this.#cursor)) return
    const end = this.#raw.indexOf(')', this.#cursor)
    if (end !== -1) this.#cursor = end + 1
  }
}
