/** One interpretation of a text, such as its decoded form, with the position of each character in the original. */
export interface Reading {
  text: string
  /** The place in the original of the character at `index`. */
  start: (index: number) => number
  /** The place in the original behind the character before `index`. */
  end: (index: number) => number
}

/** Escapes of JSON and programs, percent-encoding and character references, each also when it was escaped again. */
const ESCAPE =
  /\\+(?:u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2}|0(?:33|\d\d)?|["'`/ntre])|%(?:25){0,3}[0-7][\da-f]|(?:%(?:25){0,3}[89a-f][\da-f])+|&(?:amp;){0,3}(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi

/** Colours and other sequences of terminals, whole or without their first character, and characters that nobody sees. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
  /(?:\u001b\[|\u009b|\^\[\[|\u241b\[)[0-?]{0,40}[ -\/]{0,4}[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c\u009d]{0,400}(?:\u0007|\u001b\\|\u009c)|\[\d{1,3}(?:;\d{1,3}){0,4}m|[[\p{Cc}\p{Surrogate}\p{Default_Ignorable_Code_Point}\p{Co}\u2028\u2029\u2800\ufff9-\ufffd]--[\n\t]]+/gv

/** What a text has that UNSEEN may match: any other text is searched faster for this. */
const MAY_BE_UNSEEN = /[^\n\t -~]|\^\[\[|\[\d/

/** Escapes inside escapes that are looked for: a URL in JSON in a URL. */
const DEPTH = 3

/**
 * The text itself; decoded, with a space for what nobody sees; and decoded without it. Two rules would otherwise be
 * undone by a character before, after or inside of a secret. Readings that say the same are left out.
 */
export function readings(text: string): Reading[] {
  const own: Reading = { text, start: (index) => index, end: (index) => index }
  const decoded = decode(own)
  // A form writes a space as `+`.
  const spaced = /%[\da-f]{2}/i.test(text) ? rewrite(decoded, /\+/g, () => ' ') : decoded
  const hides = MAY_BE_UNSEEN.test(decoded.text)
  const apart = hides ? rewrite(spaced, UNSEEN, () => ' ') : spaced
  const joined = hides ? rewrite(decoded, UNSEEN, () => '') : decoded
  return [...new Map([own, apart, joined].map((reading) => [reading.text, reading])).values()]
}

function decode(reading: Reading): Reading {
  if (!/[\\%&]/.test(reading.text)) return reading
  let decoded = reading
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const next = rewrite(decoded, ESCAPE, unescaped)
    if (next === decoded) break
    decoded = next
  }
  return decoded
}

const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', e: '\u001b' }
const REFERENCES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  colon: ':',
  comma: ',',
  commat: '@',
  dollar: '$',
  equals: '=',
  gt: '>',
  hyphen: '-',
  lowbar: '_',
  lt: '<',
  nbsp: ' ',
  newline: '\n',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quot: '"',
  semi: ';',
  sol: '/',
  tab: '\t',
}

/** The character that the escape stands for; the escape itself when it is none. */
function unescaped(escape: string): string {
  if (escape.startsWith('%')) return Buffer.from(escape.replaceAll(/%(?:25)*(?=..)/g, ''), 'hex').toString('utf8')
  if (escape.startsWith('&')) return reference(escape.replace(/^&(?:amp;)*|;$/gi, '')) ?? escape
  const body = escape.replace(/^\\+/, '')
  if (/^[ux]/i.test(body)) return characters(body.replaceAll(/^.|[{}]/g, ''), 16) ?? escape
  return body.startsWith('0') ? (characters(body, 8) ?? escape) : (LETTERS[body.toLowerCase()] ?? body)
}

function reference(name: string): string | undefined {
  if (!name.startsWith('#')) return REFERENCES[name.toLowerCase()]
  return /^#x/i.test(name) ? characters(name.slice(2), 16) : characters(name.slice(1), 10)
}

function characters(digits: string, base: number): string | undefined {
  const point = Number.parseInt(digits, base)
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined
}

/** The reading with the matches replaced; the reading itself when that changes nothing. */
function rewrite(before: Reading, pattern: RegExp, replace: (match: string) => string): Reading {
  // Of each replaced piece: start and end here, start and end there.
  const pieces: number[] = []
  let text = ''
  let done = 0
  before.text.replaceAll(pattern, (whole: string, ...rest: unknown[]) => {
    const replacement = replace(whole)
    if (replacement === whole) return whole
    // The pattern has no groups: what follows the match is its place.
    const at = rest[0] as number
    text += before.text.slice(done, at)
    done = at + whole.length
    pieces.push(text.length, text.length + replacement.length, at, done)
    text += replacement
    return whole
  })
  if (pieces.length === 0) return before
  return {
    text: text + before.text.slice(done),
    start: (index) => before.start(locate(pieces, index, false)),
    end: (index) => before.end(index === 0 ? 0 : locate(pieces, index - 1, true)),
  }
}

/** The place before the rewriting of the character at `index`: where it begins, or behind it. */
function locate(pieces: readonly number[], index: number, behind: boolean): number {
  let [low, high] = [0, pieces.length / 4]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pieces[middle * 4] ?? 0) <= index) low = middle + 1
    else high = middle
  }
  const at = (low - 1) * 4
  const [, end = 0, from = 0, to = 0] = low === 0 ? [] : pieces.slice(at, at + 4)
  if (low > 0 && index < end) return behind ? to : from
  return to + index - end + (behind ? 1 : 0)
}
