const requirementKey = /\b(?:REQ|TC)-\??\d+\b/giu
const quoted = /`([^`]+)`|"([^"\n]+)"|“([^”]+)”|«([^»]+)»|(?<![\p{L}\p{N}])['‘]([^'’\n]+)['’](?![\p{L}\p{N}])/gu
const coded =
  /https?:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.]+|(?<!\S)\/[\w{}:*.-]+(?:\/[\w{}:*.-]+)*|\b\p{Lu}+(?:_\p{Lu}+)+\b|\b\p{Ll}+\p{Lu}\p{L}*\b|\b[\w-]+\.(?:json|csv|pdf|xml|ya?ml|txt|html?|md|zip|png|jpe?g|svg|env)\b/gu
const withDigits = /(?<![\p{L}\p{N}.])(?=\p{L}*\d)(?=\d*\p{L})[\p{L}\p{N}]{2,}(?![\p{L}\p{N}])/gu

/** The text without keys of requirements. A key says which requirement is meant, not what it demands. */
export function withoutKeys(text: string): string {
  return text.replace(requirementKey, ' ')
}

/**
 * Finds what two statements must both name to say the same: quoted texts, code, file names, addresses, words with
 * digits. `isQuantity` tells words such as `30s` from words such as `sha256`.
 */
export function findIdentifiers(text: string, isQuantity: (word: string) => boolean): string[] {
  const joined = text.replace(/(?<![\p{L}\p{N}])(\p{L}{2,})-(\d+)(?![\p{L}\p{N}])/gu, '$1$2')
  const inQuotes = Array.from(joined.matchAll(quoted), (match) => match.slice(1).join('').trim())
  const plain = joined.replace(quoted, ' ')
  const words = all(plain, withDigits).filter((word) => !isQuantity(word.toLowerCase()))
  return [...new Set([...inQuotes, ...all(plain, coded), ...words])].filter((one) => one !== '')
}

function all(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([match]) => match)
}
