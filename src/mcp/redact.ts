/** What is replaced, in this order: the whole credential before its parts. Bounded repeats keep every pattern linear. */
const patterns: readonly (readonly [kind: string, pattern: RegExp, replacement: string])[] = [
  ['pem', /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, ''],
  ['cookie', /\b((?:set-)?cookie["']?\s{0,4}[:=]\s{0,4})[^\n]{1,4000}/gi, '$1'],
  ['bearer', /\b(bearer\s{1,4})[\w.~+/=-]{8,4000}/gi, '$1'],
  ['basic', /\b([Bb]asic\s{1,4})[A-Za-z0-9+/]{12,1000}={0,2}/g, '$1'],
  ['jwt', /\beyJ[\w-]{8,4000}\.[\w-]{4,4000}\.[\w-]{0,4000}/g, ''],
  ['tracegate_token', /\btg_[A-Za-z0-9]{20,64}\b/g, ''],
  ['url_credentials', /(:\/\/)[^\s/:@]{1,200}(?::[^\s/@]{0,200})?(?=@)/g, '$1'],
  ['email', /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24}\b/g, ''],
]

export interface Redacted {
  text: string
  /** How many of each kind were replaced; empty when none. */
  counts: Record<string, number>
}

/** Replaces credentials and addresses of people by `[redacted:kind]` and counts them (SAFETY §2). */
export function redact(raw: string): Redacted {
  const counts: Record<string, number> = {}
  let text = raw
  for (const [kind, pattern, kept] of patterns) {
    text = text.replaceAll(pattern, (...match) => {
      counts[kind] = (counts[kind] ?? 0) + 1
      return `${kept === '$1' ? String(match[1]) : ''}[redacted:${kind}]`
    })
  }
  return { text, counts }
}
