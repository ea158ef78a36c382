import type { LooseHash, NormalEvent } from '../event/event.ts'
import { detectEngine } from './engines.ts'
import { typeTokens, exceptionValue, type ExceptionsReading } from './exceptions.ts'
import { isBeyondAwait } from './functions.ts'
import { hashTokens, type Token } from './hash.ts'
import { lenientTokens, namedTokens, shapeTokens, type Stack, type StackRules } from './stack.ts'

/** An event as it was read, with its own rules: the result is the same before and after a map is uploaded. */
export interface ReadEvent {
  event: NormalEvent
  rules: StackRules
  exceptions: ExceptionsReading
  /** The hash that decides. */
  hash: string
  /** Hashes tokens together with those of the event's fingerprint. */
  hashWithFingerprint(tokens: readonly Token[]): string
}

/**
 * One exception that counts. The frames from `from` on are known to every engine: callers beyond an `await` are left
 * out.
 */
interface ExceptionPart {
  frames: NormalEvent['exceptions'][number]['frames']
  stack: Stack
  from: number
  type: readonly Token[]
  value: string
}

/** Values that say nothing about a bug because they occur anywhere, without placeholders and punctuation. */
const GENERIC = new Set(
  (
    'error,script error,unknown error,unknown,unexpected error,internal error,something went wrong,failed,failure,' +
    'not found,fetch failed,failed to fetch,load failed,network error,request failed,timeout,timed out,aborted,cancelled,canceled,undefined,null,' +
    'true,false,object object,invalid,not a function,not a constructor,not iterable,not defined,' +
    'undefined has no property,null has no property'
  ).split(','),
)

/** With this many named functions, a stack is specific enough even if the value is not. */
const NAMED_ENOUGH = 2

/**
 * A call chain of this many functions with equal names, minified or not, is the same in two builds and not a
 * coincidence.
 */
const NO_ACCIDENT = 3

/**
 * The loose hashes of an event, the most specific first; `raw` is the event before symbolication, if a map changed it.
 */
export function looseHashes(read: ReadEvent, raw: ReadEvent | undefined): LooseHash[] {
  const found =
    raw === undefined
      ? [...acrossEngines(read, read), ...acrossBuilds(read)]
      : [
          ...acrossEngines(read, raw),
          ...[{ hash: raw.hash, unless: [], across: 'map' as const }, ...acrossEngines(raw, raw), ...acrossBuilds(raw)]
            // What another map led elsewhere is settled.
            .map((loose) => ({ ...loose, unless: [...loose.unless, claim(loose.hash, 'map')] })),
        ]
  const seen = new Set([read.hash])
  return found.filter(({ hash }) => !seen.has(hash) && seen.add(hash))
}

/** For the same functions as reported by another engine, or by a map without source lines. */
function acrossEngines(read: ReadEvent, asSent: ReadEvent): LooseHash[] {
  // Node has only one engine, which reports all it knows.
  if (read.rules.family !== 'javascript' || (read.event.platform === 'node' && !isMapped(read))) return []
  const parts = exceptionParts(read, asSent)
  const readings = parts.flatMap(({ stack, from }) => contributing(stack, from))
  if (readings.length === 0 || !isTelling(parts, readings)) return []
  const hash = read.hashWithFingerprint([
    ['across', 'engines'],
    ...parts.flatMap(({ stack, from, type, value }) => [...headTokens(type, value), ...lenientTokens(stack, from)]),
  ])
  const knowledge = readings.some(({ hasLine }) => hasLine) ? 'lines' : 'names'
  return [{ hash, unless: [claim(hash, `${detectEngine(asSent.event)} ${knowledge}`)], across: 'engine' }]
}

/**
 * For the same stack in another build: with the same names if there are enough of them to rule out coincidence, else
 * with any names that its minifier chose.
 */
function acrossBuilds(raw: ReadEvent): LooseHash[] {
  if (raw.rules.family !== 'javascript') return []
  const { positions, stacks } = raw.exceptions
  const readings = positions.flatMap((position) => contributing(stacks[position]!, 0))
  const builds = new Set<string>()
  for (const { minified } of readings) if (minified !== undefined) builds.add(minified.build)
  if (builds.size === 0) return []
  const parts = exceptionParts(raw, raw)
  const names = parts.flatMap(({ type, stack }) => [...headTokens(type, ''), ...namedTokens(stack)])
  const lists = readings.length >= NO_ACCIDENT ? [names] : []
  if (isTelling(parts, readings)) {
    lists.push(exceptionShapes(parts, raw.rules))
    const near = parts.some(({ stack, from }) => contributing(stack, from).length > 0)
    if (near) lists.push(exceptionShapes(parts, raw.rules, { known: true }))
  }
  const build = `build ${[...builds].toSorted().join(' ')}`
  return lists.map((tokens) => {
    const hash = raw.hashWithFingerprint([['across', 'builds'], ...tokens])
    return { hash, unless: [claim(hash, build)], across: 'build' }
  })
}

/** Whether a map changed a frame of an exception that counts. */
function isMapped({ event, exceptions }: ReadEvent): boolean {
  return exceptions.positions.some((position) =>
    event.exceptions[position]!.frames.some(({ symbolicated }) => symbolicated),
  )
}

/** Type, value and shape of each exception; `known` leaves out frames that only some engines know. */
function exceptionShapes(parts: readonly ExceptionPart[], rules: StackRules, { known = false } = {}): Token[] {
  return parts.flatMap(({ frames, stack, from, type, value }) => [
    ...headTokens(type, value),
    ...shapeTokens(frames, stack, known ? from : 0, rules),
  ])
}

/** The exceptions that count. The frames as the SDK sent them show where an `await` is. */
function exceptionParts({ event, rules, exceptions }: ReadEvent, asSent: ReadEvent): ExceptionPart[] {
  return exceptions.positions.flatMap((position): ExceptionPart[] => {
    const exception = event.exceptions[position]!
    const stack = exceptions.stacks[position]!
    const { frames } = exception
    const sent = asSent.event.exceptions[position]?.frames ?? []
    const named = sent.length === frames.length ? sent : frames
    const from = named.findLastIndex((frame) => isBeyondAwait(frame.original?.function ?? frame.function)) + 1
    const type = typeTokens(exception, rules, stack)
    return [{ frames, stack, from, type, value: exceptionValue(event, exception, rules) }]
  })
}

function contributing({ readings, ignored }: Stack, from: number) {
  return readings.filter((_, index) => index >= from && ignored[index] === '')
}

function headTokens(type: readonly Token[], value: string): Token[] {
  return [['exception', ''], ...type, ['value', value]]
}

function isTelling(parts: readonly ExceptionPart[], readings: ReturnType<typeof contributing>): boolean {
  return (
    parts.some(({ value }) => !isGeneric(value)) || readings.filter(({ isNamed }) => isNamed).length >= NAMED_ENOUGH
  )
}

function isGeneric(value: string): boolean {
  const words = value
    .toLowerCase()
    .replace(/<[a-z_0-9]+>/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  return words.length < 3 || GENERIC.has(words)
}

function claim(hash: string, knowledge: string): string {
  return hashTokens([
    ['claim', knowledge],
    ['hash', hash],
  ])
}
