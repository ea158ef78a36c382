/** CSI and OSC sequences of terminals; an unterminated one only loses its control characters below. */
const TERMINAL =
  // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c\u009d]*(?:\u0007|\u001b\\|\u009c)/gu
/**
 * C0 and C1 except newline and tab, and invisible characters: Unicode's default-ignorable code points are the zero-width
 * and bidi controls, the tag characters and the variation selectors. An emoji keeps its own selector.
 */
const INVISIBLE =
  /[[\p{Cc}\p{Surrogate}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\ufe0f\n\t]]|(?<!\p{Extended_Pictographic})\ufe0f/gv

/** A text of these characters has nothing to remove or to normalise. */
const PLAIN = /^[\n\t -~]*$/

/**
 * Text without invisible characters (mcp §6.2): NFC, no control, escape, bidi, zero-width, tag or
 * variation-selector characters, no lone surrogates. Nothing is decoded. For names and for searching in a text; what
 * outsiders wrote is shown by `reveal`.
 */
export function clean(raw: string): string {
  if (PLAIN.test(raw)) return raw
  let text = raw.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n').normalize('NFC')
  // Removing a character can join the halves of a sequence, so there is a second pass.
  for (let pass = 0; pass < 2; pass += 1) text = text.replaceAll(TERMINAL, '').replaceAll(INVISIBLE, '')
  return text.normalize('NFC')
}

/** The text on one line. */
export function inOneLine(text: string): string {
  return text.replaceAll(/[\n\t]+/g, ' ').trim()
}

/**
 * Cuts the text to `max` code points and appends how many are missing. `more` is added to that number: characters that
 * were cut off before.
 */
export function cutTo(text: string, max: number, more = 0): string {
  if (text.length <= max && more === 0) return text
  const points = Array.from(text)
  const missing = Math.max(0, points.length - max) + more
  return missing === 0 ? text : `${points.slice(0, max).join('')}… (+${String(missing)} characters)`
}
