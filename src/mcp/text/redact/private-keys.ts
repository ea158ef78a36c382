import { label, type Span } from './rule.ts'

const BEGIN = /-----BEGIN[A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END[A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/** The largest keys in use take 13,000 characters. */
const LONGEST_KEY = 20_000
const WORD = /[^A-Za-z\d+/=]*(?<word>[A-Za-z\d+/=]+)/y
/** Words between two lines of a key: numbers of lines, quotes, headers such as `DEK-Info`. */
const SHORT_WORDS = 12

/** Private keys in PEM form, to their end or as far as the text looks like one. */
export function findPrivateKeys(text: string): Span[] {
  if (!text.includes('PRIVATE KEY')) return []
  const spans: Span[] = []
  const ends = Array.from(text.matchAll(END), (match) => match.index + match[0].length)
  let [done, next] = [0, 0]
  for (const match of text.matchAll(BEGIN)) {
    if (match.index < done) continue
    const from = match.index + match[0].length
    while ((ends[next] ?? Infinity) < from) next += 1
    const end = ends[next] ?? Infinity
    done = end - from <= LONGEST_KEY ? end : keyEnd(text, from)
    spans.push({ kind: 'pem', start: match.index, end: done })
  }
  return spans
}

/** Where a key that began before `from` ends, if nothing says so. */
function keyEnd(text: string, from: number): number {
  let end = from
  let short = 0
  WORD.lastIndex = from
  for (let match = WORD.exec(text); match !== null && short <= SHORT_WORDS; match = WORD.exec(text)) {
    const { word = '' } = match.groups ?? {}
    const behind = match.index + match[0].length
    const isLine = text.charAt(behind - word.length - 1) === '\n' && /^(?:\n|$)/.test(text.slice(behind, behind + 1))
    short = word.length >= 16 || word.endsWith('=') || isLine ? 0 : short + 1
    if (short === 0) end = behind
  }
  return /\S/.test(text.slice(end, end + 200)) ? end : text.length
}

/** A line that holds a part of a key and nothing else, but for its number, quotes and the like. */
const KEY_LINE =
  /^(?:\W{0,8}\d{1,6}[^A-Za-z\d+/])?[^A-Za-z\d+/]{0,12}(?<key>[A-Za-z\d+/]{8,}={0,2})(?:\\+[nr]){0,2}[^A-Za-z\d/]{0,8}$/
const LONGEST_LINE = 200
/** How wide the lines of keys are written. */
const WIDTHS: ReadonlySet<number> = new Set([64, 70, 76])
/** Other texts of the block that may stand between two lines of a key: the category of a breadcrumb, a time. */
const BETWEEN = 4

interface Line {
  text: string
  /** The part of a key that it may hold. */
  key: string | undefined
  isHidden: boolean
}

/**
 * Finds private keys that are spread over several texts: lines of code, console breadcrumbs, items of a list. Returns
 * what to show instead of each text that is part of a key. A key within a single text is left to `redact`.
 */
export function hideKeyLines(texts: readonly string[]): ReadonlyMap<string, string> {
  const split = texts.map((text) =>
    text.split('\n').map((line): Line => ({ text: line, key: keyIn(line), isHidden: false })),
  )
  const lines = split.flat()
  hideBetweenMarks(lines)
  hideWideLines(lines)
  return new Map(
    split.flatMap((own, index): [string, string][] =>
      own.some(({ isHidden }) => isHidden) ? [[texts[index] ?? '', own.map(shownLine).join('\n')]] : [],
    ),
  )
}

function keyIn(line: string): string | undefined {
  return line.length > LONGEST_LINE ? undefined : KEY_LINE.exec(line.trim())?.groups?.['key']
}

function shownLine({ text, key = '', isHidden }: Line): string {
  return isHidden ? text.replace(key, label('pem')) : text
}

/** After the first line of a key until its last one, and before a last line whose first one is not shown. */
function hideBetweenMarks(lines: readonly Line[]): void {
  let isWithin = false
  const last = lines.findLastIndex(({ text }) => text.search(END) !== -1)
  for (const [index, line] of lines.entries()) {
    const ends = line.text.search(END) > line.text.search(BEGIN)
    if (ends && !isWithin) hideBefore(lines, index)
    if (line.text.includes('-----')) isWithin = ends ? false : isWithin || line.text.search(BEGIN) !== -1
    // The last line of a key may be short. Without the mark that follows it, so short a text may be anything.
    if (isWithin && (line.key?.length ?? 0) >= (index < last ? 0 : 16)) line.isHidden = line.key !== undefined
  }
}

function hideBefore(lines: readonly Line[], end: number): void {
  let others = 0
  for (let index = end - 1; index >= 0 && others <= BETWEEN; index -= 1) {
    const line = lines[index]
    others = (line?.key?.length ?? 0) >= 16 ? 0 : others + 1
    if (line !== undefined && others === 0) line.isHidden = true
  }
}

/**
 * Hides the middle of a key whose BEGIN and END lines are not shown: two or more lines of a key's usual width, and the
 * shorter line that follows them.
 */
function hideWideLines(lines: readonly Line[]): void {
  const wide = lines.filter(
    ({ key = '' }) => WIDTHS.has(key.length) && /[a-z]/.test(key) && /[A-Z]/.test(key) && /\d/.test(key),
  )
  if (wide.length < 2) return
  for (const line of wide) line.isHidden = true
  let since = Infinity
  for (const line of lines) {
    const { key = '', text, isHidden } = line
    since = text.search(END) !== -1 ? Infinity : isHidden ? 0 : since + 1
    const isMixed = /[a-z]/.test(key) && /[A-Z]/.test(key)
    if (since > 0 && since <= BETWEEN && (isMixed || /[\d+=]/.test(key)) && !/^[\da-f]+$/i.test(key))
      line.isHidden = true
  }
}
