/** Names in a statement that another statement must have too in order to say the same. */
export interface Identifiers {
  /** Quoted texts, code, file names, addresses, words with digits. */
  exact: readonly string[]
  /** Acronyms and names with a capital letter: a statement may leave them out, but not replace them. */
  names: readonly string[]
}

const requirementKey = /\b(?:REQ|TC)-\??\d+\b/giu
const quoted = /`([^`]+)`|"([^"\n]+)"|“([^”]+)”|«([^»]+)»|(?<![\p{L}\p{N}])['‘]([^'’\n]+)['’](?![\p{L}\p{N}])/gu
const coded =
  /https?:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.]+|(?<!\S)\/[\w{}:*.-]+(?:\/[\w{}:*.-]+)*|\b\p{Lu}+(?:_\p{Lu}+)+\b|\b\p{Ll}+\p{Lu}\p{L}*\b|\b[\w-]+\.(?:json|csv|pdf|xml|ya?ml|txt|html?|md|zip|png|jpe?g|svg|env)\b/gu
const withDigits = /(?<![\p{L}\p{N}.])(?=\p{L}*\d)(?=\d*\p{L})[\p{L}\p{N}]{2,}(?![\p{L}\p{N}])/gu
const capital = /(?<=[\p{Ll}\p{N},'"”)] |[\p{Ll}] \()\p{Lu}[\p{L}\p{N}]*/gu
const acronym = /(?<![\p{L}\p{N}])\p{Lu}{2,}s?(?![\p{L}\p{N}])/gu
const keywords = new Set(
  `MUST NOT SHALL SHOULD MAY REQUIRED RECOMMENDED OPTIONAL NO NEVER WHEN WHILE IF THEN WHERE AND OR GIVEN I API UI GUI ID
  IDs OK THE A AN ONLY ALL ANY`.split(/\s+/u),
)

/** The text without keys of requirements: they say which requirement it is about, not what it says. */
export function withoutKeys(text: string): string {
  return text.replace(requirementKey, ' ')
}

/** Finds the identifiers of a text; `isQuantity` tells words such as `30s` from words such as `sha256`. */
export function findIdentifiers(text: string, isQuantity: (word: string) => boolean): Identifiers {
  const joined = text.replace(/(?<![\p{L}\p{N}])(\p{L}{2,})-(\d+)(?![\p{L}\p{N}])/gu, '$1$2')
  const inQuotes = Array.from(joined.matchAll(quoted), (match) => match.slice(1).join(''))
  const plain = joined.replace(quoted, ' ')
  const words = [...all(plain, coded), ...all(plain, withDigits).filter((word) => !isQuantity(word.toLowerCase()))]
  const names = isTitleCase(plain) ? all(plain, acronym) : [...all(plain, acronym), ...all(plain, capital)]
  return {
    exact: [...new Set([...inQuotes, ...words].map((one) => one.trim()).filter((one) => one !== ''))],
    names: [...new Set(names)].filter((name) => !keywords.has(name)),
  }
}

function all(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([match]) => match)
}

/** Whether most words begin with a capital letter, as in a title or in upper case: then capitals say nothing. */
function isTitleCase(text: string): boolean {
  const words = all(text, /(?<![\p{L}\p{N}])\p{L}{3,}/gu)
  return words.filter((word) => /^\p{Lu}/u.test(word)).length > words.length / 2
}
