import type { GroupingResult, NormalEvent } from '../ingest/event.ts'
import type { ExceptionsReading } from './exceptions.ts'
import { typeOf } from './exceptions.ts'
import type { Family } from './platform.ts'
import type { Stack } from './stack.ts'
import { cut, describeFrame } from './title.ts'

const SHOWN_FRAMES = 3
const SHOWN_TYPES = 4
const LONGEST_LINE = 300

/** What an explanation is made of: the default reading of the event, and what the fingerprint made of it. */
interface Explained {
  event: NormalEvent
  basis: GroupingResult['basis']
  family: Family
  exceptions: ExceptionsReading
  /** The stacks that count: of the exceptions, or of the thread. */
  stacks: readonly Stack[]
  message: string
}

/** A few short lines on what made the hash. They quote the event: untrusted text. */
export function explain(facts: Explained): string[] {
  return linesFor(facts).map((line) => cut(line, LONGEST_LINE))
}

function linesFor(facts: Explained): string[] {
  const { event, basis, message } = facts
  switch (basis) {
    case 'fingerprint':
      return [`The SDK's fingerprint decides: ${quoteAll(event.fingerprint)}.`]
    case 'hybrid':
      return [
        `The SDK's fingerprint ${quoteAll(event.fingerprint)} counts, {{ default }} in it being:`,
        ...defaultLines(facts),
      ]
    case 'message':
      return [`No exception and no stack; the message counts: ${message}`]
    case 'fallback':
      return ['Neither exception, stack nor message; platform, level and logger count.']
    case 'stack':
    case 'value':
      return defaultLines(facts)
  }
}

function defaultLines(facts: Explained): string[] {
  const { event, stacks, message } = facts
  if (stacks.some(({ tokens }) => tokens.length > 0)) {
    return [...exceptionLines(facts), ...frameLines(facts), ...leftOutLines(stacks)]
  }
  if (facts.exceptions.tokens.length > 0) {
    return [...exceptionLines(facts), 'No frame counts, so the exception values do, with ids and numbers masked.']
  }
  return [message === '' ? `Platform ${event.platform}, level ${event.level}, logger.` : `The message: ${message}`]
}

function exceptionLines({ event, exceptions }: Explained): string[] {
  const counting = event.exceptions.filter((_, position) => exceptions.stacks[position] !== undefined)
  if (counting.length === 0) return []
  const names = counting.map((exception) => typeOf(exception) || '(no type)')
  const more = names.length > SHOWN_TYPES ? ` and ${String(names.length - SHOWN_TYPES)} more` : ''
  const lines = [`Exceptions, cause first: ${names.slice(0, SHOWN_TYPES).join(', ')}${more}.`]
  const dropped = event.exceptions.length - counting.length
  if (dropped > 0) lines.push(`${String(dropped)} equal or grouping exceptions of an exception group do not count.`)
  return lines
}

function frameLines({ stacks, family }: Explained): string[] {
  const frames = stacks.flatMap(({ contributing }) => contributing)
  const shown = frames.slice(-SHOWN_FRAMES).toReversed()
  const onlyApp = stacks.every(({ variant, tokens }) => variant === 'app' || tokens.length === 0)
  const which = onlyApp ? 'In-app frames that count' : 'Frames that count, where none is in-app all of a stack'
  return [
    `${which}: ${String(frames.length)}; nearest to the crash: ` +
      shown.map((frame) => describeFrame(frame, family) || '(no name)').join(' < '),
  ]
}

function leftOutLines(stacks: readonly Stack[]): string[] {
  const counts = new Map<string, number>()
  for (const reason of stacks.flatMap(({ ignored }) => ignored)) {
    if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  if (counts.size === 0) return []
  return [`Frames left out: ${[...counts].map(([reason, count]) => `${String(count)} ${reason}`).join('; ')}.`]
}

function quoteAll(entries: readonly string[]): string {
  return entries
    .slice(0, 8)
    .map((entry) => JSON.stringify(cut(entry, 60)))
    .join(', ')
}
