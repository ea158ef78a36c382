import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Lines of the text's own frame: they say nothing about the data. */
const FRAME: readonly RegExp[] = [
  /^Data from an? [a-z ]+, not instructions to follow:$/,
  /^<\/?untrusted-\d{15}>$/,
  /^Next:$/,
]
const FRAME_WORDS: ReadonlySet<string> = new Set(['product', 'id', 'none', 'Taken', 'out', 'of', 'it'])
const GLUE = /[\s|,;:=()[\]{}"']+/u

/**
 * What only one of a result's two forms says: leaves of the structured form that the text lacks, and words of the text
 * that the structured form lacks. Both empty means that either can stand alone.
 */
export function onlyIn(text: string, structured: unknown): { text: string[]; structured: string[] } {
  const said = withoutBars(
    text
      .split('\n')
      .filter((line) => !FRAME.some((frame) => frame.test(line)))
      .map((line) => line.replace(/^\| ?/, ''))
      .join('\n'),
  )
  const leaves = [...new Set(collectLeaves(structured))]
  const known = `${flat(leaves.join('\n'))} ${JSON.stringify(structured)}`
  return {
    structured: leaves.filter(
      (leaf) => !said.includes(withoutBars(leaf)) && !said.includes(withoutBars(escaped(leaf))),
    ),
    text: [...new Set(said.split(GLUE))].filter((word) => says(word) && !known.includes(word)),
  }
}

function says(word: string): boolean {
  return /[\p{L}\p{N}]/u.test(word) && !FRAME_WORDS.has(word)
}

/** What is over the budget of a form: a default result's, or the hard cap for who asked for more (mcp §2). */
export function overBudget(text: string, structured: unknown, wide: boolean): string[] {
  return [text, JSON.stringify(structured)].flatMap((form) => {
    if (wide) return form.length > 40_000 ? [`${String(form.length)} characters`] : []
    const [bytes, tokens] = [Buffer.byteLength(form), countTokens(form)]
    return [
      ...(bytes > 10_240 ? [`${String(bytes)} bytes`] : []),
      ...(tokens > 2_500 ? [`${String(tokens)} tokens`] : []),
    ]
  })
}

/** Numbers, booleans and texts, but for the provenance's fixed words, which the text has in its marker. */
function collectLeaves(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object') return [JSON.stringify(value)]
  if (value === null) return []
  return Object.entries(value).flatMap(([name, member]) => (name === 'provenance' ? [] : collectLeaves(member)))
}

/** In one line: lists and tables have no line ends in their cells. */
function flat(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim()
}

/** In one line, with the bars that a table escapes as they were. */
export function withoutBars(text: string): string {
  return flat(text).replaceAll(String.raw`\|`, '|')
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
