import type { BlockContent } from '../../../src/mcp/text/untrusted.ts'
import { describeValues, hasValues } from '../../../src/mcp/variation/index.ts'
import type { Kept } from '../cuts.ts'
import type { Event } from './events.ts'

interface ReadValues {
  content: { [name: string]: BlockContent }
  own: Record<string, Kept>
}

/** The values at the crash of an occurrence, for the untrusted block. */
export function readValues(event: Event | undefined): ReadValues {
  if (event === undefined) return { content: {}, own: {} }
  const { shown, total, ...content } = describeValues(event)
  return { content: { values: { ...content } }, own: { values: { shown, total } } }
}

/** Whether the occurrence of a fix context has values to ask for; its frames come without their variables. */
export function mayHaveValues(event: Event | null | undefined, signals: readonly string[] = []): boolean {
  const wereCleared = signals.some((signal) => signal.startsWith('frames.vars:'))
  return wereCleared || (event !== null && event !== undefined && hasValues(event))
}
