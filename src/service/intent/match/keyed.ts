import type { Candidate } from '../types.ts'
import type { Pool } from './pool.ts'

const reference =
  /\b(?:see|cf\.?|compare|as (?:in|of|defined in|described in|required by)|according to|depends on|like|similar to|related to|conforms? to|refines?|besides|in addition to) (REQ-\d+)/giu

/** The keys of the requirements that a candidate is about, without those that it only refers to. */
export function namedKeys({ keys, statement }: Candidate): string[] {
  const referred = new Set(Array.from(statement.matchAll(reference), ([, key]) => key!.toUpperCase()))
  return keys.filter((key) => !referred.has(key))
}

/** Why a key that the text names cannot be used, with the keys closest to it. */
export function unknownKey(given: string, pool: Pool): string {
  const key = /^[A-Z]{1,5}-\??\d{1,15}$/u.test(given) ? given : 'The key'
  const numbers = pool.keys().flatMap((one) => numberIn(one) ?? [])
  if (numbers.length === 0) return `${key} does not exist: there are no requirements yet.`
  const wanted = numberIn(key) ?? 0
  const below = Math.max(...numbers.filter((one) => one < wanted))
  const above = Math.min(...numbers.filter((one) => one > wanted))
  const nearest = [below, above].filter(Number.isFinite).map((one) => `REQ-${String(one)}`)
  return `${key} does not exist; the nearest ${nearest.length === 1 ? 'key is' : 'keys are'} ${nearest.join(' and ')}. Leave the key out to draft it as new.`
}

function numberIn(key: string): number | undefined {
  const digits = /^REQ-(\d+)$/u.exec(key)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Which of the keys that a retirement names no longer holds, and which replaces it; undefined where that is not said. */
export function retiredKey(
  statement: string,
  keys: readonly string[],
): { gone: string; replacement?: string } | undefined {
  const [first, second] = keys
  if (first === undefined) return undefined
  if (second === undefined) return { gone: first }
  if (keys.length > 2) return undefined
  if (/\bREQ-\d+\b.*\b(?:superseded|replaced|obsoleted) by\b.*\bREQ-\d+\b/iu.test(statement)) {
    return { gone: first, replacement: second }
  }
  const isReversed = /\bREQ-\d+\b.*\b(?:replaces|supersedes|obsoletes)\b.*\bREQ-\d+\b/iu.test(statement)
  return isReversed ? { gone: second, replacement: first } : undefined
}
