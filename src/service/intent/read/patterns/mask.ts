/** Code and quoted text, in which a keyword demands nothing. */
const QUOTED = /`[^`]*`|"[^"]*"|“[^”]*”|«[^»]*»/g

/** The sentence with a placeholder of the same length for code and quoted text. */
export function maskQuotes(sentence: string): string {
  return sentence.replace(QUOTED, (quoted) => '¤'.repeat(quoted.length))
}
