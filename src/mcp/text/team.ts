import { cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import { longestRead, safeText } from './safe-text.ts'

export interface TeamTextOptions {
  /** A longer text is cut, and says how much is missing. */
  characters?: number | undefined
  /** Line breaks stay; the renderer then indents the lines. */
  manyLines?: boolean | undefined
}

/** The longest title that the contract allows; longer texts declare their own limit. */
const CHARACTERS = 200

/** Members write examples, `user@example.com`; in the text of an event such an address may be a person's. */
const TEAM = { keepsExamples: true }

/**
 * What members of the workspace wrote, for the trusted part of a result: cleaned, redacted, on one line and cut. An agent
 * may have copied an error's text into it, so nothing in it may look like the marker of a block: one line has no `<` at
 * all. A text of many lines keeps every other `<`, because an agent edits it and saves it again (`Promise<Order>`).
 */
export function teamText(text: string, { characters = CHARACTERS, manyLines = false }: TeamTextOptions = {}): string {
  const read = text.slice(0, longestRead(characters))
  const safe = safeText(read, TEAM).text
  const shown = manyLines ? withoutOpeners(safe.trim()) : withoutMarkers(inOneLine(safe))
  return cutTo(shown, characters, text.length - read.length)
}

/** The text without any `<`, so that nothing in it can open or close a block. */
export function withoutMarkers(text: string): string {
  return text.replaceAll('<', '‹')
}

function withoutOpeners(text: string): string {
  return text.replaceAll(/<(?=\/?\s*untrusted)/gi, '‹')
}

/** Whether the text can be repeated exactly as it is, for instance in a call that restores it. */
export function isRepeatable(text: string): boolean {
  return safeText(text, TEAM).text === text
}
