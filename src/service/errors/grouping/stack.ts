import type { NormalFrame } from '../event/event.ts'
import { isFromUrl, NAMELESS, recallFrame, type FrameReading, type FrameRules } from './frames.ts'
import type { Token } from './hash.ts'
import type { ReadText } from './parameterise.ts'
import { frameFamily } from './platform.ts'
import { recursiveFrames } from '../../../lib/frames/recursion.ts'

/** `app`: only the team's frames count; `system`: all do. */
export type Variant = 'app' | 'system'

/** The rules for reading one event, shared by all its stacks and texts. */
export interface StackRules extends FrameRules {
  /** See `recursiveFrames`. */
  longestCycle: number
  /** Frames that were already read: the variants of an event share them. */
  known: Map<NormalFrame, FrameReading>
  /** Reads values and messages; bounds the cost of one event. */
  readText: ReadText
}

/** The frames of a stack that count, and for each frame why it does not ('' when it does). */
export interface Stack {
  tokens: readonly Token[]
  contributing: readonly NormalFrame[]
  ignored: readonly string[]
  readings: readonly FrameReading[]
  variant: Variant
}

const FRAME: Token = ['frame', '']
const NOT_APP = 'not in-app'
const RECURSION = 'recursion: repeats the frames before it'

/** The frames that count for a variant; the app variant falls back to all frames if none of the team's counts. */
export function bestStack(frames: readonly NormalFrame[], variant: Variant, rules: StackRules): Stack {
  const stack = readStack(frames, variant, rules)
  return variant === 'app' && stack.tokens.length === 0 ? readStack(frames, 'system', rules) : stack
}

/** Whether all frames count, so that the stack is the same in both variants. */
export function isWholeStack({ variant, ignored }: Stack): boolean {
  return variant === 'system' || !ignored.includes(NOT_APP)
}

/**
 * The tokens that a stack shares with the stack of the same crash from another engine or map, starting at one position.
 */
export function lenientTokens({ readings, ignored }: Stack, from: number): Token[] {
  return readings.flatMap((reading, index): Token[] =>
    index < from || ignored[index] !== '' ? [] : [['frame', ''], ...reading.lenient],
  )
}

/** The names of the frames of a stack, whichever build chose them. */
export function namedTokens({ readings, ignored }: Stack): Token[] {
  return readings.flatMap((reading, index): Token[] =>
    ignored[index] !== '' ? [] : [['frame', ''], ...reading.tokens.filter(([kind]) => kind !== 'build')],
  )
}

/**
 * The tokens that a stack shares with the same stack of another build, starting at one position: its depth, the scripts
 * it runs through, and the names that no minifier changed. Frames without any name count as well.
 */
export function shapeTokens(frames: readonly NormalFrame[], stack: Stack, from: number, rules: StackRules): Token[] {
  const { readings, ignored } = stack
  const counting = [...readings.keys()].filter((index) => {
    if (index < from || (stack.variant === 'app' && !readings[index]!.isApp)) return false
    return ['', NAMELESS, RECURSION].includes(ignored[index]!)
  })
  const keys = counting.map((index) => {
    const { lineno, colno } = frames[index]!
    const { ignored: reason, key } = readings[index]!
    return reason === NAMELESS ? `${lineno}:${colno} ${key}` : key
  })
  const repeated = recursiveFrames(keys, rules.longestCycle)
  return counting.flatMap((index, position): Token[] =>
    repeated.has(position) ? [] : [['frame', ''], ...readings[index]!.shape],
  )
}

/** The frames of one variant that count, caller first. */
export function readStack(frames: readonly NormalFrame[], variant: Variant, rules: StackRules): Stack {
  const readings = frames.map((frame) => readOnce(frame, rules))
  const ignored = readings.map((reading) => {
    return reading.ignored === '' && variant === 'app' && !reading.isApp ? NOT_APP : reading.ignored
  })
  if (isLoneScript(frames, rules)) ignored[0] ||= 'the only frame, a script without a function'
  const counting: number[] = []
  for (let index = 0; index < ignored.length; index += 1) if (ignored[index] === '') counting.push(index)
  const repeated = recursiveFrames(
    counting.map((index) => readings[index]!.key),
    rules.longestCycle,
  )
  for (const position of repeated) ignored[counting[position]!] = RECURSION
  const tokens: Token[] = []
  const contributing: NormalFrame[] = []
  for (const index of counting) {
    if (ignored[index] !== '') continue
    contributing.push(frames[index]!)
    tokens.push(FRAME, ...readings[index]!.tokens)
  }
  return { tokens, contributing, ignored, readings, variant }
}

/** A stack that says no more than which script ran. */
function isLoneScript(frames: readonly NormalFrame[], { family }: StackRules): boolean {
  const [frame, ...others] = frames
  if (frame === undefined || others.length > 0 || frame.symbolicated) return false
  return frameFamily(frame, family) === 'javascript' && frame.function === '' && isFromUrl(frame)
}

function readOnce(frame: NormalFrame, rules: StackRules): FrameReading {
  const { known } = rules
  const before = known.get(frame)
  if (before !== undefined) return before
  const reading = recallFrame(frame, rules)
  known.set(frame, reading)
  return reading
}
