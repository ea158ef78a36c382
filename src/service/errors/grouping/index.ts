import type { GroupingResult, LooseHash, NormalEvent, NormalThread } from '../event/event.ts'
import { readExceptions, type ExceptionsReading } from './exceptions.ts'
import { explain } from './explain.ts'
import { fingerprintKind, fingerprintTokens } from './fingerprint.ts'
import { hashTokens, type Token } from './hash.ts'
import { looseHashes, type ReadEvent } from './loose.ts'
import { messageToken, readerOfEvent } from './parameterise.ts'
import { namesOfEvent } from './paths.ts'
import { languageFamily } from './platform.ts'
import { LONGEST_CYCLE } from '../../../lib/frames/recursion.ts'
import { bestStack, isWholeStack, type Stack, type StackRules, type Variant } from './stack.ts'
import { nameEvent } from './title.ts'

export interface GroupingOptions {
  /**
   * The event before symbolication: its hash is attached as well, so that events from before and after the upload of
   * the maps join.
   */
  unsymbolicated?: NormalEvent
  /** Longest cycle that counts as recursion; 1 is Sentry's rule. */
  longestCycle?: number
}

/** Result of grouping. */
export interface Grouping extends GroupingResult {
  /** Hashes that lead to the issue on a condition, the most specific first: see `findByHashes`. */
  loose_hashes: readonly LooseHash[]
}

type DefaultBasis = 'stack' | 'value' | 'message' | 'fallback'

/** The default grouping of one variant, before a fingerprint. */
interface Reading {
  basis: DefaultBasis
  tokens: readonly Token[]
  exceptions: ExceptionsReading
  thread: NormalThread | undefined
  /** The stacks that count. */
  stacks: readonly Stack[]
  message: string
}

/**
 * Groups one event: the hash of its issue, further hashes that lead there, its title and an explanation (algorithm
 * `tracegate-1`, errors §2.2, decision 014). Pure; accepts any event and never throws. Positions in `frames` are those
 * of the lists, not `frame.index`.
 */
export function groupEvent(event: NormalEvent, options: GroupingOptions = {}): Grouping {
  const { reading, ...read } = readWith(event, options)
  const name = nameEvent(event, reading.exceptions.main, namingStacks(event, reading), read.rules.family)
  const checksum = event.signs?.checksum
  if (checksum !== undefined) return groupByChecksum(checksum, { ...name, frames: frameRoles(event, reading, true) })
  const { rules, hash } = read
  const isSame = reading.exceptions.isWhole && reading.stacks.every(isWholeStack)
  const system = isSame ? hash : hashReading(event, readEvent(event, 'system', rules), rules)
  const kind = fingerprintKind(event.fingerprint)
  const loose = kind === 'custom' ? [] : looseHashes(read, readRaw(event, options))
  const basis = kind === 'default' ? reading.basis : kind === 'custom' ? 'fingerprint' : 'hybrid'
  const others = system === hash ? [] : [system]
  return {
    algorithm: 'tracegate-1',
    basis,
    hash,
    other_hashes: others,
    loose_hashes: loose.filter((each) => each.hash !== system),
    explanation: explain({ ...reading, event, basis, rules, others, loose }),
    ...name,
    frames: frameRoles(event, reading, kind === 'custom'),
  }
}

/** The `frames` of `groupEvent` alone, which takes less than half of its time. */
export function readFrameRoles(event: NormalEvent): GroupingResult['frames'] {
  const exceptions = readExceptions(event, 'app', readingRules(event, LONGEST_CYCLE))
  const custom = event.signs?.checksum !== undefined || fingerprintKind(event.fingerprint) === 'custom'
  return frameRoles(event, { exceptions }, custom)
}

/** The checksum of an old SDK decides alone: a hash as it is, anything else hashed. */
function groupByChecksum(
  checksum: string,
  shown: Pick<Grouping, 'title' | 'type' | 'value' | 'culprit' | 'frames'>,
): Grouping {
  return {
    algorithm: 'tracegate-1',
    basis: 'fingerprint',
    hash: /^[0-9a-f]{32}$/.test(checksum) ? checksum : hashTokens([['checksum', checksum]]),
    other_hashes: [],
    loose_hashes: [],
    explanation: ["The SDK's checksum decides."],
    ...shown,
  }
}

/** Undefined if no map changed a frame: the event then reads the same. */
function readRaw(event: NormalEvent, { unsymbolicated, ...options }: GroupingOptions): ReadEvent | undefined {
  const stacks = [...event.exceptions, ...event.threads]
  if (unsymbolicated === undefined || !stacks.some(({ frames }) => frames.some(({ symbolicated }) => symbolicated)))
    return undefined
  return readWith(unsymbolicated, options)
}

function readWith(event: NormalEvent, { longestCycle = LONGEST_CYCLE }: GroupingOptions) {
  const rules = readingRules(event, longestCycle)
  const reading = readEvent(event, 'app', rules)
  return {
    event,
    rules,
    reading,
    exceptions: reading.exceptions,
    hash: hashReading(event, reading, rules),
    hashWithFingerprint: (tokens: readonly Token[]) => hashReading(event, { tokens }, rules),
  }
}

function readingRules(event: NormalEvent, longestCycle: number): StackRules {
  return {
    family: languageFamily(event),
    release: event.release === '' ? '' : `${event.release} ${event.dist}`,
    readName: namesOfEvent(),
    longestCycle,
    known: new Map(),
    readText: readerOfEvent(),
  }
}

function hashReading(event: NormalEvent, { tokens }: Pick<Reading, 'tokens'>, rules: StackRules): string {
  const isDefault = fingerprintKind(event.fingerprint) === 'default'
  return hashTokens(isDefault ? tokens : fingerprintTokens(event, tokens, rules))
}

/** Exceptions, else the thread that crashed, else the message, else platform, level and logger. */
function readEvent(event: NormalEvent, variant: Variant, rules: StackRules): Reading {
  const exceptions = readExceptions(event, variant, rules)
  const thread = decidingThread(event.threads)
  const template = event.message_template.trim() === '' ? event.message : event.message_template
  const message = messageToken(template, rules.readText)
  const stacks = exceptions.stacks.filter((stack) => stack !== undefined)
  const reading = { exceptions, thread, stacks, message }
  if (exceptions.tokens.length > 0) {
    const basis = stacks.some(({ tokens }) => tokens.length > 0) ? 'stack' : 'value'
    return { ...reading, basis, tokens: exceptions.tokens }
  }
  const stack = thread && bestStack(thread.frames, variant, rules)
  if (stack !== undefined && stack.tokens.length > 0) {
    // The stack of a message is only the logger's, so the message counts too; the stack of a crash is enough.
    const said: Token[] = message === '' || thread?.crashed === true ? [] : [['message', message]]
    return { ...reading, basis: 'stack', stacks: [stack], tokens: [['thread', ''], ...said, ...stack.tokens] }
  }
  if (message !== '') return { ...reading, basis: 'message', tokens: [['message', message]] }
  const { platform, level, logger } = event
  return {
    ...reading,
    basis: 'fallback',
    tokens: [
      ['platform', platform],
      ['level', level],
      ['logger', logger],
    ],
  }
}

/** The only crashed thread, else the only current one, else the only one. */
function decidingThread(threads: readonly NormalThread[]): NormalThread | undefined {
  const candidates = [threads.filter(({ crashed }) => crashed), threads.filter(({ current }) => current), threads]
  return candidates.find(({ length }) => length === 1)?.[0]
}

/**
 * The stacks to search for the culprit: the naming exception's, then those of the others from the outermost inward,
 * then the thread's.
 */
function namingStacks(event: NormalEvent, { exceptions, thread }: Reading) {
  const others = event.exceptions.toReversed().filter((exception) => exception !== exceptions.main)
  return [exceptions.main, ...others, thread].flatMap((source) => (source === undefined ? [] : [source.frames]))
}

function frameRoles(
  event: NormalEvent,
  { exceptions }: Pick<Reading, 'exceptions'>,
  custom: boolean,
): GroupingResult['frames'] {
  const isGroup = event.exceptions.some(({ mechanism }) => mechanism.is_exception_group)
  return event.exceptions.flatMap((exception, exceptionIndex) => {
    const stack = exceptions.stacks[exceptionIndex]
    const beside = isGroup ? 'exception group' : 'suppressed'
    return exception.frames.map((_, index) => {
      const why = stack === undefined ? `${beside}: this exception does not count` : stack.ignored[index]!
      const reason = custom ? 'the fingerprint decides' : why
      return { exception_index: exceptionIndex, index, role: reason === '' ? 'contributes' : 'ignored', reason }
    })
  })
}
