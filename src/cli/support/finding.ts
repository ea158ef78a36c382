import { clean } from '../../lib/outside-text/clean.ts'
import { replaceControls } from '../../lib/text.ts'

/** One check of doctor and its outcome. */
export interface Finding {
  what: string
  ok: boolean
  found: string
  /** How to fix it. */
  fix?: string
}

/**
 * Removes control characters, which a terminal would interpret, and invisible characters, some of which reverse the order
 * of the letters: names may have been written by somebody else.
 */
export function plain(text: string): string {
  return replaceControls(clean(text))
}

/** The same for a text of several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n')
}

/** A sentence about settings that a client passed on as `${…}`. */
export function unresolvedWords(names: readonly string[]): string {
  return `${names.join(', ')}: still a reference such as \${NAME}, which the client did not replace; counts as unset`
}
