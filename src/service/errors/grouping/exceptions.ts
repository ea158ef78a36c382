import type { NormalEvent, NormalException } from '../event/event.ts'
import { sharedMessage, sharedType } from './engine-messages.ts'
import { pickExceptions, type PickedExceptions } from './exception-groups.ts'
import { hashTokens, type Token } from './hash.ts'
import { isMinifiedName } from './minified.ts'
import { messageToken } from './parameterise.ts'
import { bestStack, type Stack, type StackRules, type Variant } from './stack.ts'

/** What counts of one exception. */
interface ExceptionReading {
  tokens: readonly Token[]
  stack: Stack
}

/** What counts of all exceptions of an event. */
export interface ExceptionsReading {
  tokens: readonly Token[]
  /** The exceptions that count (positions), in the order in which they do. */
  positions: readonly number[]
  /** For each exception of the event its stack; undefined where the exception does not count. */
  stacks: readonly (Stack | undefined)[]
  /** The exception that names the issue. */
  main: NormalException | undefined
}

/**
 * The exceptions that count, oldest first: type and frames of each, or type and value of one without frames. One
 * without a type was made to carry a message: its value counts beside the frames.
 */
export function readExceptions(event: NormalEvent, variant: Variant, rules: StackRules): ExceptionsReading {
  const readings = event.exceptions.map((exception) => readException(event, exception, variant, rules))
  const { positions, main } = counting(event, readings)
  const counts = new Set(positions)
  return {
    tokens: positions.flatMap((position) => readings[position]!.tokens),
    positions,
    stacks: readings.map(({ stack }, position) => (counts.has(position) ? stack : undefined)),
    main: event.exceptions[main],
  }
}

/** The type of an exception as its author gave it; '' where the SDK made the exception only to carry a stack. */
export function exceptionType(exception: NormalException): string {
  return exception.mechanism.synthetic ? '' : exception.type.trim()
}

/** The type that counts: what all engines call it, and `<minified>` for a class that is named after its minified name. */
export function typeTokens(exception: NormalException, { family }: StackRules, stack: Stack): Token[] {
  const type = exceptionType(exception)
  if (type === '') return []
  if (family !== 'javascript') return [['type', type]]
  const isBuilt = stack.readings.some(({ minified }) => minified !== undefined)
  const wasBuilt = exception.frames.some(({ symbolicated }) => symbolicated)
  if ((isBuilt || wasBuilt) && isMinifiedName(type)) return [['type', '<minified>']]
  return [['type', sharedType(type, exception.value)]]
}

/** The value that counts: the template of a message, the words all engines share; parameterised. '' without one. */
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
  const stack = bestStack(exception.frames, variant, rules)
  const inner: Token[] = typeTokens(exception, rules, stack)
  if (stack.tokens.length > 0 && !carriesMessage(exception, rules)) {
    return { stack, tokens: [['exception', ''], ...inner, ...stack.tokens] }
  }
  const value = exceptionValue(event, exception, rules)
  if (value !== '') inner.push(['value', value])
  const tokens = [...inner, ...stack.tokens]
  return { stack, tokens: tokens.length === 0 ? [] : [['exception', ''], ...tokens] }
}

/**
 * Whether the text is what happened and the stack only where it was said: messages and values that are no errors. One
 * logger sends the messages of many places with the same frames. A native crash has a type, and an address as value.
 */
export function carriesMessage(exception: NormalException, { family }: StackRules): boolean {
  return exceptionType(exception) === '' && (family !== 'other' || exception.type.trim() === '')
}

function counting(event: NormalEvent, readings: readonly ExceptionReading[]): PickedExceptions {
  const { exceptions, sdk } = event
  // As Sentry exempts it: this SDK numbers the exceptions of a chain in a way the filter misreads (errors §2.1).
  const exempt = sdk.name.startsWith('sentry.python') && sdk.version.startsWith('3.')
  if (exempt || exceptions.length < 2) {
    return { positions: exceptions.map((_, position) => position), main: exceptions.length - 1 }
  }
  return pickExceptions(exceptions, (position) => hashTokens(readings[position]!.tokens))
}
