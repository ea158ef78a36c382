import { hash } from 'node:crypto'

/** One value that counts for the hash, with its kind: `['function', 'pay']`. */
export type Token = readonly [kind: string, value: string]

/**
 * SHA-256 of the tokens, the first 32 hex digits. Every part is prefixed with its length, so that no two different
 * lists produce the same bytes, as `['ab', 'c']` and `['a', 'bc']` would.
 */
export function hashTokens(tokens: readonly Token[]): string {
  let text = 'tracegate-1'
  for (const [kind, value] of tokens) text += `\n${kind} ${value.length} ${value}`
  return hash('sha256', text, 'hex').slice(0, 32)
}
