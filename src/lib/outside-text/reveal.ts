import { cutTo } from './clean.ts'

/** Colours and styles of terminals: harmless, and in most messages of test runners. */
const COLOURS =
  // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
  /(?:\u001b\[|\u009b)[\d;:]{0,40}m/g

/**
 * What cannot be seen: controls except newline and tab, halves of surrogate pairs, Unicode's default-ignorable code points
 * (zero-width and bidi controls, tag characters, variation selectors), private and unassigned ones, and every space but the
 * usual one. An emoji and a keycap keep their own selector, and text of East Asia its wide space.
 */
const UNSEEN =
  /[[\p{Cc}\p{Surrogate}\p{Default_Ignorable_Code_Point}\p{Z}\p{Co}\p{Noncharacter_Code_Point}\u2800\ufff9-\ufffb]--[\ufe0f\n\t \u3000]]|(?<!\p{Extended_Pictographic})\ufe0f(?!\u20e3)|(?<![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3001-\u3029\u3030-\u303f\uff00-\uffef])\u3000(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3001-\u3029\u3030-\u303f\uff00-\uffef])/gv

/** Visible characters that look like another one where they stand. */
const ALIKE: readonly RegExp[] = [
  // Digits of other scripts, wide letters, the wide space, and signs that are one with a letter or mark of ASCII or Greek.
  /[[\p{Nd}\uff21-\uff3a\uff41-\uff5a\u3000\u037e\u1fef\u2126\u212a\u212b]--[0-9]]/gv,
  // Dashes and minus signs that touch a word or a number.
  /(?<=[\da-z])[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]|[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d](?=[\da-z.,])/gi,
  // Quotes that touch what only code has.
  /(?<=[\d=[\]{}<>/+*&|$#@^~_\\`"'])[\u2018-\u201f\u2032\u2033\u00b4\u02bc\uff02\uff07]|[\u2018-\u201f\u2032\u2033\u00b4\u02bc\uff02\uff07](?=[\d=[\]{}<>/+*&|$#@^~_\\`"'])/g,
  // Signs between digits.
  /(?<=\d)[\u00b7\u066b\u066c\u2024\u2027\u2044\u2215\u2219\u2236\uff0b\uff0c\uff0e\uff0f\uff1a](?=\d)/g,
  // Letters of another script inside of a word.
  /(?<=[a-z])[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}]|[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}](?=[a-z])/gv,
]

/** A letter with its marks, or the parts of a Korean syllable: Unicode has another spelling of most of them. */
const CLUSTER = /\P{M}\p{M}+|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?/gv

/** Text of these characters has nothing to show and nothing to name. */
const PLAIN = /^[\n\t -~]*$/

export interface Revealed {
  text: string
  /** Code points that are written as escapes, each as often as it occurs: `U+200D`. */
  escaped: readonly string[]
  /** Code points that are shown as they are and look like others. */
  alike: readonly string[]
  /** How many colours of terminals were left out. */
  colours: number
}

/**
 * The text as evidence (mcp §6.2): what nobody can see is written as an escape, `\u200d` or `\u{e0041}`, and nothing is
 * normalised. Line ends become newlines and colours of terminals are left out.
 */
export function reveal(raw: string): Revealed {
  if (PLAIN.test(raw)) return { text: raw, escaped: [], alike: [], colours: 0 }
  const escaped: string[] = []
  let colours = 0
  const uncoloured = raw.replaceAll('\r\n', '\n').replaceAll(COLOURS, () => {
    colours += 1
    return ''
  })
  const text = uncoloured.replaceAll(UNSEEN, (character) => {
    escaped.push(codePoint(character))
    return escape(character)
  })
  const alike = lookAlikes(uncoloured).filter((point) => !escaped.includes(point))
  return { text, escaped, alike, colours }
}

/** The controls and halves of pairs in a text, which JSON writes as escapes by itself. */
export function controlsIn(text: string): string[] {
  return (text.match(/[[\p{Cc}\p{Surrogate}]--[\n\r\t]]/gv) ?? []).map(codePoint)
}

/** Cuts a revealed text as `cutTo` does, but no escape in two. */
export function cutRevealed(text: string, max: number, more = 0): string {
  const points = Array.from(text)
  const kept = points.length > max ? points.slice(0, max).join('') : ''
  const torn = /\\(?:u(?:[\da-f]{0,3}|\{[\da-f]{0,5}))?$/.exec(kept)?.[0].length ?? 0
  return cutTo(text, max - torn, more)
}

function lookAlikes(text: string): string[] {
  const found = ALIKE.flatMap((pattern) => text.match(pattern) ?? [])
  if (text === text.normalize('NFC')) return found.map(codePoint)
  const spelled = (text.match(CLUSTER) ?? []).filter((cluster) => cluster !== cluster.normalize('NFC'))
  return [...found, ...spelled.flatMap((cluster) => Array.from(cluster).slice(1))].map(codePoint)
}

function codePoint(character: string): string {
  return `U+${hex(character).toUpperCase().padStart(4, '0')}`
}

function escape(character: string): string {
  const digits = hex(character)
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16)
}
