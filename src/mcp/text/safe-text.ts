import { clean } from '../../lib/outside-text/clean.ts'
import { redact, type RedactOptions } from './redact/index.ts'

/** A text that may be shown to an agent. */
export interface SafeText {
  text: string
  /** How many of each kind of secret were replaced. */
  counts: Record<string, number>
}

/**
 * The text without secrets and invisible characters. Secrets first: an invisible character before a secret says where it
 * begins. Without those characters two halves may have become one, so a text that had some is read again.
 */
export function safeText(raw: string, options: RedactOptions = {}): SafeText {
  const first = redact(raw, options)
  const text = clean(first.text)
  if (text === first.text) return first
  const second = redact(text, options)
  const counts = { ...first.counts }
  for (const [kind, count] of Object.entries(second.counts)) counts[kind] = (counts[kind] ?? 0) + count
  return { text: second.text, counts }
}

/**
 * How many characters are read of a text of which `max` are shown: a replaced secret is shorter than it was, so some more
 * than that.
 */
export function longestRead(max: number): number {
  return 2 * max + 1024
}
