import type { Span } from './rule.ts'
import { RESTS, tokens, type Token } from './tokens.ts'

interface Format extends Token {
  /** What follows the prefix, as far as it decides whether this is a token, and as far as it goes. */
  enough: RegExp
  whole: RegExp
  /** The first part of a token at the end of the text, which may be cut there. */
  begun: RegExp
}

/** The end of a text, where an ellipsis or a closing quote may follow. */
const END = String.raw`(?=(?:…|\.{3})?["'\x60)\]}>\s]{0,4}(?:\(\+\d{1,9} characters\))?$)`

const formats: ReadonlyMap<string, Format> = new Map(
  tokens.flatMap((token) => {
    const rest = RESTS[token.rest]
    const format = {
      ...token,
      enough: new RegExp(`${rest}{${String(token.least)},${String(token.least + 60)}}`, 'y'),
      whole: new RegExp(`${rest}+`, 'y'),
      begun: new RegExp(`${rest}{2,${String(token.least - 1)}}?${END}`, 'y'),
    }
    return token.prefixes.map((prefix): [string, Format] => [prefix, format])
  }),
)
const PREFIX = new RegExp([...formats.keys()].map((prefix) => prefix.replaceAll('.', String.raw`\.`)).join('|'), 'g')
const LONGEST_PREFIX = Math.max(...Array.from(formats.keys(), (prefix) => prefix.length))
/** The shortest text that a service may have cut: shorter limits are not in use. */
const CUT = 60

/** Tokens of providers, by their first letters. */
export function findTokens(text: string): Span[] {
  const spans: Span[] = []
  PREFIX.lastIndex = 0
  for (let hit = PREFIX.exec(text); hit !== null; hit = PREFIX.exec(text)) {
    const format = formats.get(hit[0])
    const end = format && findEnd(text, hit.index, hit[0].length, format)
    if (format === undefined || end === undefined) continue
    spans.push({ kind: format.kind, start: hit.index, end })
    // The next token may begin in what looked like the rest of this one.
    PREFIX.lastIndex = Math.max(PREFIX.lastIndex, end - LONGEST_PREFIX)
  }
  return spans
}

function findEnd(text: string, start: number, prefix: number, format: Format): number | undefined {
  const from = start + prefix
  const enough = match(format.enough, text, from)
  const begins = format.atWord === undefined || !INSIDE_WORD.test(text.slice(Math.max(0, start - 2), start))
  if (enough !== undefined && (begins ? format.atWord === undefined || /\d/.test(enough) : isRandom(enough, format))) {
    return from + (match(format.whole, text, from)?.length ?? 0)
  }
  if (!begins || text.length - from > format.least + 40) return undefined
  const begun = match(format.begun, text, from)
  return begun !== undefined && isCut(text, begun, format) ? from + begun.length : undefined
}

/** A path that was made of an escape has `/n` before the token. */
const INSIDE_WORD = /(?<!\/)[A-Za-z\d-]$|\/[A-Za-mo-qsu-z\d-]$/

/** Whether what follows is so random that it does not matter what stands before. */
function isRandom(rest: string, { atWord }: Format): boolean {
  return atWord === 'or random' && rest.length >= 26 && /\d/.test(rest) && RANDOM.test(rest)
}

const RANDOM = /^[\da-f]{32}|^[A-Z\d-]+$|^(?=.*[a-z])(?=.*[A-Z]).{32}/

function match(pattern: RegExp, text: string, from: number): string | undefined {
  pattern.lastIndex = from
  return pattern.exec(text)?.[0]
}

/**
 * Whether the text ends within a token. Words of small letters (`npm_config`) are none, unless they are so short that
 * they may be its beginning.
 */
function isCut(text: string, begun: string, { atWord }: Format): boolean {
  if (/[\dA-Z]/.test(begun)) return true
  return atWord === undefined && begun.length < 6 && (text.length >= CUT || /…|\.{3}/.test(text.slice(-24)))
}
