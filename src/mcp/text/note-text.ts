import { clean, cutTo } from './clean.ts'
import { redact } from './redact.ts'

/**
 * What members wrote, with its lines, for the trusted part: cleaned, redacted and cut. The renderer indents the lines, and
 * no bracket of it can look like the marker of outsiders' text.
 */
export function noteText(text: string | undefined, characters: number): string | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const safe = redact(clean(text).text).text.replaceAll(/<(?=\/?\s*untrusted)/gi, '‹')
  return cutTo(safe.trim(), characters)
}

/** Can the text be said again exactly as it is, for instance in a call that restores it? */
export function isRepeatable(text: string): boolean {
  return clean(text).text === text && redact(text).text === text
}
