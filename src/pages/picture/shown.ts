import { cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import { safeText } from '../../mcp/text/safe-text.ts'

const CHARACTERS = 500

/**
 * Text of the service or of members for people: one line without secrets and invisible characters, cut at 500 characters;
 * undefined if it says nothing. Whoever shows it escapes it.
 */
export function shown(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null || text === '') return undefined
  return cutTo(inOneLine(safeText(text.slice(0, 4 * CHARACTERS), { keepsExamples: true }).text), CHARACTERS)
}
