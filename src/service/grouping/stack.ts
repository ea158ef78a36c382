import type { NormalFrame } from '../ingest/event.ts'
import { readFrame, type FrameReading } from './frames.ts'
import type { Token } from './hash.ts'
import type { ReadText } from './parameterise.ts'
import type { Family } from './platform.ts'
import { recursiveFrames } from './recursion.ts'

/** `app`: only the team's frames count; `system`: all do. */
export type Variant = 'app' | 'system'

/** How an event is read: one set of rules for all its stacks and texts. */
export interface StackRules {
  family: Family
  /** See `recursiveFrames`. */
  longestCycle: number
  /** Frames that were read before: the variants of an event share them. */
  known: Map<NormalFrame, FrameReading>
  /** Reads values and messages; what one event can cost is bounded here. */
  readText: ReadText
}

/** The frames of a stack that count, and for each frame why it does not ('' when it does). */
export interface Stack {
  tokens: readonly Token[]
  contributing: readonly NormalFrame[]
  ignored: readonly string[]
  variant: Variant
}

/** The frames that count for a variant; the app variant falls back to all frames where none of the team's counts. */
export function bestStack(frames: readonly NormalFrame[], variant: Variant, rules: StackRules): Stack {
  const stack = readStack(frames, variant, rules)
  return variant === 'app' && stack.tokens.length === 0 ? readStack(frames, 'system', rules) : stack
}

/** The frames of one variant that count, caller first. */
function readStack(frames: readonly NormalFrame[], variant: Variant, rules: StackRules): Stack {
  const readings = frames.map((frame) => readOnce(frame, rules))
  const ignored = readings.map((reading) => {
    return reading.ignored === '' && variant === 'app' && !reading.isApp ? 'not in-app' : reading.ignored
  })
  const counting = [...ignored.keys()].filter((index) => ignored[index] === '')
  const repeated = recursiveFrames(
    counting.map((index) => readings[index]!.key),
    rules.longestCycle,
  )
  for (const position of repeated) ignored[counting[position]!] = 'recursion: repeats the frames before it'
  const kept = counting.filter((index) => ignored[index] === '')
  return {
    tokens: kept.flatMap((index): Token[] => [['frame', ''], ...readings[index]!.tokens]),
    contributing: kept.map((index) => frames[index]!),
    ignored,
    variant,
  }
}

function readOnce(frame: NormalFrame, { family, known }: StackRules): FrameReading {
  const before = known.get(frame)
  if (before !== undefined) return before
  const reading = readFrame(frame, family)
  known.set(frame, reading)
  return reading
}
