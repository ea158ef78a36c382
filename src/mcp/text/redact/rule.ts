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
  /**
   * Most texts have no match, and a quick look says so: one of these, in small letters, is in every match; or this pattern,
   * which begins with a rare character, matches every text that has a match.
   */
  hints?: readonly string[] | RegExp
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

/** The secrets that the rules find in the text. */
export function findByRules(text: string, rules: readonly Rule[]): Span[] {
  const small = text.toLowerCase()
  const spans: Span[] = []
  for (const rule of rules) {
    if (mayMatch(small, rule)) findByRule(text, rule, spans)
  }
  return spans
}

function mayMatch(small: string, { hints }: Rule): boolean {
  if (hints === undefined) return true
  return hints instanceof RegExp ? hints.test(small) : hints.some((hint) => small.includes(hint))
}

function findByRule(text: string, { kind, pattern, holds, instead }: Rule, spans: Span[]): void {
  for (const match of matches(text, pattern)) {
    const groups: Groups = match.groups ?? {}
    const kept = groups['keep']?.length ?? 0
    const secret = match[0].slice(kept)
    if (secret === '' || (holds !== undefined && !holds(secret, groups))) continue
    const start = match.index + kept
    spans.push({ kind, start, end: start + secret.length, ...(instead !== undefined && { instead }) })
  }
}

/** As `matchAll`, which would make a copy of the pattern each time. */
export function* matches(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const next = pattern.lastIndex
    yield match
    pattern.lastIndex = next
  }
}
