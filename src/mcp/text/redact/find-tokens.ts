import type { Span } from './rule.ts'
import { RESTS, tokens, type Token } from './tokens.ts'

interface Format extends Token {
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
      whole: new RegExp(`${rest}{${String(token.least)},}`, 'y'),
      begun: new RegExp(`${rest}{2,${String(token.least - 1)}}?${END}`, 'y'),
    }
    return token.prefixes.map((prefix): [string, Format] => [prefix, format])
  }),
)
const PREFIX = new RegExp([...formats.keys()].map((prefix) => prefix.replaceAll('.', String.raw`\.`)).join('|'), 'g')
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
    PREFIX.lastIndex = end
  }
  return spans
}

function findEnd(text: string, start: number, prefix: number, format: Format): number | undefined {
  if (format.atWord === true && /[A-Za-z\d-]/.test(text.charAt(start - 1))) return undefined
  const from = start + prefix
  const whole = match(format.whole, text, from)
  if (whole !== undefined && (format.atWord !== true || /\d/.test(whole))) return from + whole.length
  const begun = text.length - from > format.least + 40 ? undefined : match(format.begun, text, from)
  return begun !== undefined && isCut(text, begun, format) ? from + begun.length : undefined
}

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
  return atWord !== true && begun.length < 6 && (text.length >= CUT || /…|\.{3}/.test(text.slice(-24)))
}
