import type { NormalEvent, NormalException } from '../ingest/event.ts'
import { pickExceptions, type PickedExceptions } from './exception-groups.ts'
import { hashTokens, type Token } from './hash.ts'
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
  /** For each exception of the event its stack; undefined where the exception does not count. */
  stacks: readonly (Stack | undefined)[]
  /** The exception that names the issue. */
  main: NormalException | undefined
}

/** The exceptions that count, oldest first: type and frames of each, or type and value of one without frames. */
export function readExceptions(event: NormalEvent, variant: Variant, rules: StackRules): ExceptionsReading {
  const readings = event.exceptions.map((exception) => readException(exception, variant, rules))
  const { positions, main } = counting(event, readings)
  const counts = new Set(positions)
  return {
    tokens: positions.flatMap((position) => readings[position]!.tokens),
    stacks: readings.map(({ stack }, position) => (counts.has(position) ? stack : undefined)),
    main: event.exceptions[main],
  }
}

/** The type of an exception as its author gave it; '' where the SDK made the exception only to carry a stack. */
export function typeOf(exception: NormalException): string {
  return exception.mechanism.synthetic ? '' : exception.type.trim()
}

function readException(exception: NormalException, variant: Variant, rules: StackRules): ExceptionReading {
  const stack = bestStack(exception.frames, variant, rules)
  const type = typeOf(exception)
  const inner: Token[] = []
  if (type !== '') inner.push(['type', type])
  if (stack.tokens.length > 0) return { stack, tokens: [['exception', ''], ...inner, ...stack.tokens] }
  const value = messageToken(exception.value, rules.readText)
  if (value !== '') inner.push(['value', value])
  return { stack, tokens: inner.length === 0 ? [] : [['exception', ''], ...inner] }
}

function counting(event: NormalEvent, readings: readonly ExceptionReading[]): PickedExceptions {
  const { exceptions, sdk } = event
  // As Sentry exempts it: this SDK numbers the exceptions of a chain in a way the filter misreads (ERRORS §2.1).
  const exempt = sdk.name.startsWith('sentry.python') && sdk.version.startsWith('3.')
  if (exempt || exceptions.length < 2) {
    return { positions: exceptions.map((_, position) => position), main: exceptions.length - 1 }
  }
  return pickExceptions(exceptions, (position) => hashTokens(readings[position]!.tokens))
}
