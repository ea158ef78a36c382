import { createHash } from 'node:crypto'

/** One value that counts for the hash, and what it is: `['function', 'pay']`. */
export type Token = readonly [kind: string, value: string]

/**
 * SHA-256 of the tokens, the first 32 hex digits. Every part carries its length, so no two different lists
 * write the same bytes: `['ab', 'c']` and `['a', 'bc']` stay apart.
 */
export function hashTokens(tokens: readonly Token[]): string {
  let text = 'tracegate-1'
  for (const [kind, value] of tokens) text += `\n${kind} ${value.length} ${value}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
