/** A part of a text that is replaced. */
export interface Span {
  start: number
  end: number
  kind: string
  /** What stands in its place, if that is not the label of its kind. */
  instead?: string
}

export type Groups = Readonly<Record<string, string | undefined>>

/**
 * A format of secrets. Its pattern reads a text in linear time: whatever follows an unbounded repetition is optional, so a
 * match that has begun never fails, and all other repetitions are bounded.
 */
export interface Rule {
  kind: string
  /** Its group `keep` introduces the secret and stays. */
  pattern: RegExp
  /** Decides on what the pattern cannot: a checksum, a name. */
  holds?: (secret: string, groups: Groups) => boolean
  instead?: string
  /** A text of which exactly the part between « and » is replaced. */
  example: string
  /** A similar text that stays. */
  counterExample: string
}

/** What stands in place of a secret. */
export function label(kind: string): string {
  return `[redacted:${kind}]`
}

/** The secrets that the rule finds in the text. */
export function findByRule(text: string, { kind, pattern, holds, instead }: Rule): Span[] {
  const spans: Span[] = []
  for (const match of text.matchAll(pattern)) {
    const groups: Groups = match.groups ?? {}
    const kept = groups['keep']?.length ?? 0
    const secret = match[0].slice(kept)
    if (secret === '' || (holds !== undefined && !holds(secret, groups))) continue
    const start = match.index + kept
    spans.push({ kind, start, end: start + secret.length, ...(instead !== undefined && { instead }) })
  }
  return spans
}
