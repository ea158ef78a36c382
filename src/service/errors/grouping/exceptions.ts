import type { NormalEvent, NormalException } from '../event/event.ts'
import { sharedMessage, sharedType } from './engine-messages.ts'
import { pickExceptions, type PickedExceptions } from './exception-groups.ts'
import { hashTokens, type Token } from './hash.ts'
import { isMinifiedName } from './minified.ts'
import { messageToken } from './parameterise.ts'
import type { Family } from './platform.ts'
import { isWholeStack, readStack, type Stack, type StackRules, type Variant } from './stack.ts'

/** Languages whose SDKs create an exception without a type for a message. */
const WITH_MESSAGES: ReadonlySet<Family> = new Set(['javascript', 'python', 'php', 'ruby', 'java'])

/** The parts of one exception that count. */
interface ExceptionReading {
  tokens: readonly Token[]
  stack: Stack
}

/** The parts of all exceptions of an event that count. */
export interface ExceptionsReading {
  tokens: readonly Token[]
  /** The positions of the exceptions that count, in the order in which they are hashed. */
  positions: readonly number[]
  /** The stack of each exception of the event; undefined if the exception does not count. */
  stacks: readonly (Stack | undefined)[]
  /** Whether the other variant reads the same. */
  isWhole: boolean
  /** The exception that names the issue. */
  main: NormalException | undefined
}

/**
 * The exceptions that count, oldest first: type and frames of each, or type and value of one without frames that count.
 * One without a type was created to carry a message: its value counts in addition to the frames. When no frame of the
 * team counts in any exception, all frames are read.
 */
export function readExceptions(event: NormalEvent, variant: Variant, rules: StackRules): ExceptionsReading {
  const reading = readVariant(event, variant, rules)
  const hasFrames = reading.stacks.some((stack) => stack !== undefined && stack.tokens.length > 0)
  return variant === 'system' || hasFrames ? reading : readVariant(event, 'system', rules)
}

function readVariant(event: NormalEvent, variant: Variant, rules: StackRules): ExceptionsReading {
  const readings = event.exceptions.map((exception) => readException(event, exception, variant, rules))
  const { positions, main } = counting(event, readings)
  const counts = new Set(positions)
  return {
    tokens: positions.flatMap((position) => readings[position]!.tokens),
    positions,
    stacks: readings.map(({ stack }, position) => (counts.has(position) ? stack : undefined)),
    isWhole: readings.every(({ stack }) => isWholeStack(stack)),
    main: event.exceptions[main],
  }
}

/** The type of an exception as its author named it; '' if the SDK created the exception only to carry a stack. */
export function exceptionType(exception: NormalException): string {
  return exception.mechanism.synthetic ? '' : exception.type.trim()
}

/** The type that counts: the name that all engines share, and `<minified>` for a class that has a minified name. */
export function typeTokens(exception: NormalException, { family }: StackRules, stack: Stack): Token[] {
  const type = exceptionType(exception)
  if (type === '') return []
  if (family !== 'javascript') return [['type', type]]
  const isBuilt = stack.readings.some(({ minified }) => minified !== undefined)
  const wasBuilt = exception.frames.some(({ symbolicated }) => symbolicated)
  if ((isBuilt || wasBuilt) && isMinifiedName(type)) return [['type', '<minified>']]
  return [['type', sharedType(type, exception.value)]]
}

/**
 * The value that counts, parameterised: the template of a message, or the words that all engines share. '' without a
 * value.
 */
export function exceptionValue(
  event: NormalEvent,
  exception: NormalException,
  { family, readText }: StackRules,
): string {
  const { message, message_template: template } = event
  const isMessage =
    exceptionType(exception) === '' && template.trim() !== '' && exception.value.trim() === message.trim()
  if (isMessage) return messageToken(template, readText)
  const { type, value } = exception
  return messageToken(family === 'javascript' ? sharedMessage(type.trim(), value) : value, readText)
}

function readException(
  event: NormalEvent,
  exception: NormalException,
  variant: Variant,
  rules: StackRules,
): ExceptionReading {
  const stack = readStack(exception.frames, variant, rules)
  const inner: Token[] = [...typeTokens(exception, rules, stack), ...nsErrorTokens(exception)]
  if (isValueCounted(exception, stack, rules)) {
    const value = exceptionValue(event, exception, rules)
    if (value !== '') inner.push(['value', value])
  }
  const tokens = [...inner, ...stack.tokens]
  return { stack, tokens: tokens.length === 0 ? [] : [['exception', ''], ...tokens] }
}

/** Domain and code say more than the value of an `NSError`, which repeats them in words. */
function nsErrorTokens({ signs }: NormalException): Token[] {
  if (signs?.ns_error === undefined) return []
  const [domain, code] = signs.ns_error
  return [
    ['ns_domain', domain],
    ['ns_code', code],
  ]
}

function isValueCounted(exception: NormalException, stack: Stack, rules: StackRules): boolean {
  if (exception.signs?.ns_error !== undefined) return false
  return stack.tokens.length === 0 || carriesMessage(exception, rules)
}

/**
 * Whether the text is the event and the stack only shows where it was logged: messages and values that are not errors.
 * One logger sends messages from many places with the same frames. A native crash has a type, and an address as its
 * value.
 */
export function carriesMessage(exception: NormalException, { family }: StackRules): boolean {
  return exceptionType(exception) === '' && (WITH_MESSAGES.has(family) || exception.type.trim() === '')
}

function counting(event: NormalEvent, readings: readonly ExceptionReading[]): PickedExceptions {
  const { exceptions, sdk } = event
  // Sentry exempts this SDK, too: it numbers the exceptions of a chain in a way that the filter misreads (errors §2.1).
  const exempt = sdk.name.startsWith('sentry.python') && sdk.version.startsWith('3.')
  if (exempt || exceptions.length < 2) {
    return { positions: exceptions.map((_, position) => position), main: exceptions.length - 1 }
  }
  return pickExceptions(exceptions, (position) => hashTokens(readings[position]!.tokens))
}
