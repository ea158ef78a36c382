import { expect } from 'vitest'
import type { Called } from '../clients.ts'

export interface SplitResult {
  /** Text before and after the block. */
  outside: string
  /** Lines of the block. */
  inside: string[]
  /** The structured result without its untrusted member, as JSON. */
  facts: string
  /** What the structured result warns of. */
  warning: string | undefined
}

/** Divides both forms of a result into what is in the block of outsiders' text and what is not. */
export function splitResult({ text, structured }: Pick<Called, 'text' | 'structured'>): SplitResult {
  const { untrusted: _, ...trusted } = (structured ?? {}) as { untrusted?: unknown; warning?: string }
  return { ...splitText(text), facts: JSON.stringify(trusted), warning: trusted.warning }
}

/** The text without its one block, and the lines of the block. */
export function splitText(text: string): Pick<SplitResult, 'outside' | 'inside'> {
  const lines = text.split('\n')
  const markers = lines.flatMap((line) => /^<(untrusted-\d{15})>$/.exec(line)?.[1] ?? [])
  expect(markers.length).toBeLessThanOrEqual(1)
  const [marker] = markers
  if (marker === undefined) return { outside: text, inside: [] }
  const [start, end] = [lines.findIndex((line) => line === `<${marker}>`), lines.indexOf(`</${marker}>`)]
  expect(end).toBeGreaterThan(start)
  const inside = lines.slice(start + 1, end)
  expect(inside.filter((line) => !line.startsWith('| '))).toEqual([])
  return { outside: [...lines.slice(0, start), ...lines.slice(end + 1)].join('\n'), inside }
}
