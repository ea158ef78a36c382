import type { NormalEvent } from '../event/event.ts'
import { detectEngine } from './engines.ts'
import { typeTokens, exceptionValue, type ExceptionsReading } from './exceptions.ts'
import { isBeyondAwait } from './functions.ts'
import { hashTokens, type Token } from './hash.ts'
import { lenientTokens, namedTokens, shapeTokens, type Stack, type StackRules } from './stack.ts'

/** In what the events differ that a loose hash brings together. */
type Difference = 'map' | 'engine' | 'build'

/**
 * A hash that says less than its event knows: without the map, in the words of any engine, without what a build named.
 * It leads to an issue only while none of `unless` is known, which an event attaches that knew as much and was another
 * place in the code (decision 014).
 */
export interface LooseHash {
  hash: string
  unless: readonly string[]
  across: Difference
}

/** An event as it was read, with rules of its own: it reads the same before and after a map came. */
export interface ReadEvent {
  event: NormalEvent
  rules: StackRules
  exceptions: ExceptionsReading
  /** The hash that decides. */
  hash: string
  /** Hashes tokens together with what the event's fingerprint adds. */
  hashWithFingerprint(tokens: readonly Token[]): string
}

/** One exception that counts, from `from` on: the frames that every engine knows, callers beyond an `await` left out. */
interface ExceptionPart {
  frames: NormalEvent['exceptions'][number]['frames']
  stack: Stack
  from: number
  type: readonly Token[]
  value: string
}

/** What says nothing about a bug: values that come from anywhere. Placeholders and signs are taken off before. */
const GENERIC = new Set(
  (
    'error,script error,unknown error,unknown,unexpected error,internal error,something went wrong,failed,failure,' +
    'not found,fetch failed,failed to fetch,load failed,network error,request failed,timeout,timed out,aborted,cancelled,canceled,undefined,null,' +
    'true,false,object object,invalid,not a function,not a constructor,not iterable,not defined,' +
    'undefined has no property,null has no property'
  ).split(','),
)

/** With so many functions that have names, a stack speaks for itself where the value does not. */
const NAMED_ENOUGH = 2

/** So many functions of the same names, minified or not, one calling the other, are the same in two builds. */
const NO_ACCIDENT = 3

/** The loose hashes of an event, most telling first; `raw` is the event before symbolication, if a map changed it. */
export function looseHashes(read: ReadEvent, raw: ReadEvent | undefined): LooseHash[] {
  const found =
    raw === undefined
      ? [...acrossEngines(read, read), ...acrossBuilds(read)]
      : [
          ...acrossEngines(read, raw),
          ...[{ hash: raw.hash, unless: [], across: 'map' as const }, ...acrossEngines(raw, raw), ...acrossBuilds(raw)]
            // What another map led elsewhere is no longer in doubt.
            .map((loose) => ({ ...loose, unless: [...loose.unless, claim(loose.hash, 'map')] })),
        ]
  const seen = new Set([read.hash])
  return found.filter(({ hash }) => !seen.has(hash) && seen.add(hash))
}

/** The same functions, told by another engine, or by a map that holds no source lines. */
function acrossEngines(read: ReadEvent, asSent: ReadEvent): LooseHash[] {
  const parts = exceptionParts(read, asSent)
  const readings = parts.flatMap(({ stack, from }) => contributing(stack, from))
  const isMapped = parts.some(({ frames }) => frames.some(({ symbolicated }) => symbolicated))
  // Node has one engine, and says all it knows.
  if (readings.length === 0 || (read.event.platform === 'node' && !isMapped)) return []
  if (!isTelling(parts, readings)) return []
  const hash = read.hashWithFingerprint([
    ['across', 'engines'],
    ...parts.flatMap(({ stack, from, type, value }) => [...headTokens(type, value), ...lenientTokens(stack, from)]),
  ])
  const knowledge = readings.some(({ hasLine }) => hasLine) ? 'lines' : 'names'
  return [{ hash, unless: [claim(hash, `${detectEngine(asSent.event)} ${knowledge}`)], across: 'engine' }]
}

/**
 * The same stack of another build: with the same names where there are enough of them to be no accident, or else with
 * whatever names its minifier chose.
 */
function acrossBuilds(raw: ReadEvent): LooseHash[] {
  const parts = exceptionParts(raw, raw)
  const readings = parts.flatMap(({ stack }) => contributing(stack, 0))
  const builds = new Set(readings.flatMap(({ minified }) => (minified === undefined ? [] : [minified.build])))
  if (builds.size === 0) return []
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

/** Type, value and shape of each exception; `known` leaves out what only some engines know. */
function exceptionShapes(parts: readonly ExceptionPart[], rules: StackRules, { known = false } = {}): Token[] {
  return parts.flatMap(({ frames, stack, from, type, value }) => [
    ...headTokens(type, value),
    ...shapeTokens(frames, stack, known ? from : 0, rules),
  ])
}

/** The exceptions that count; how the SDK sent the frames says where an `await` stands. */
function exceptionParts({ event, rules, exceptions }: ReadEvent, asSent: ReadEvent): ExceptionPart[] {
  if (rules.family !== 'javascript') return []
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
