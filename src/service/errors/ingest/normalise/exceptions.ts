import type { NormalException, NormalThread } from '../../event/event.ts'
import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import { readFrames, type FrameFacts } from './frames.ts'
import { keepEnds, onlyObjects, readCount, readFlag, readList, readObject, readScalar, readText } from './read.ts'
import type { Signals } from './signals.ts'

const EXCEPTIONS = 50
const THREADS = 250
const VALUE_LENGTH = 8_192

/**
 * The exception chain in the order sent, root cause first: `{ values }`, a bare list, or one object (errors §1.7). A
 * stack trace next to the chain belongs to its last exception if no exception has one.
 */
export function readExceptions(payload: JsonObject, facts: FrameFacts): NormalException[] {
  const { signals } = facts
  const sent = readList(payload.exception, 'exceptions', signals, { single: true })
  const kept = keepEnds(onlyObjects(sent, 'exceptions', signals), EXCEPTIONS, 'exceptions', signals)
  // The last one is what was reported: it keeps its frames where an event has too many.
  const lastFirst = [...kept.entries()].toReversed()
  const exceptions = lastFirst.map(([index, exception]) => readException(exception, index, facts)).toReversed()
  const last = exceptions.at(-1)
  if (last && payload.stacktrace && exceptions.every(({ frames }) => frames.length === 0))
    last.frames = readFrames(payload.stacktrace, 'exceptions.frames', exceptions.length - 1, facts)
  return exceptions
}

function readException(exception: JsonObject, index: number, facts: FrameFacts): NormalException {
  const { signals } = facts
  const nsError = readNsError(exception.mechanism)
  return {
    ...(nsError === undefined ? {} : { signs: { ns_error: nsError } }),
    // Messages with an attached stack have no type (errors §1.2); their mechanism is then synthetic.
    type: readText(exception.type, 'exceptions.type', 256, signals),
    value: readScalar(exception.value, 'exceptions.value', VALUE_LENGTH, signals),
    module: readText(exception.module, 'exceptions.module', 256, signals),
    thread_id: readScalar(exception.thread_id, 'exceptions.thread_id', 64, signals),
    mechanism: readMechanism(exception.mechanism, signals),
    frames: readFrames(exception.stacktrace, 'exceptions.frames', index, facts),
  }
}

/** `null` and `{}` are common; an exception is handled unless its mechanism says that it is not. */
function readMechanism(value: unknown, signals: Signals): NormalException['mechanism'] {
  const member = 'exceptions.mechanism'
  const mechanism = readObject(value, member, signals)
  const flag = (name: string) => readFlag(mechanism[name], `${member}.${name}`, signals)
  const count = (name: string) => readCount(mechanism[name], `${member}.${name}`, signals)
  return {
    type: readText(mechanism.type, `${member}.type`, 128, signals),
    handled: flag('handled') ?? true,
    synthetic: flag('synthetic') ?? false,
    source: readText(mechanism.source, `${member}.source`, 256, signals),
    exception_id: count('exception_id') ?? null,
    parent_id: count('parent_id') ?? null,
    is_exception_group: flag('is_exception_group') ?? false,
  }
}

/** Domain and code of an `NSError`, which Cocoa's SDK sends beside the value. */
function readNsError(mechanism: unknown): readonly [domain: string, code: string] | undefined {
  const meta = isObject(mechanism) ? mechanism.meta : undefined
  const error = isObject(meta) ? meta.ns_error : undefined
  if (!isObject(error)) return undefined
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 256) : ''
  return [text(error.domain), text(error.code)]
}

/** The threads; a stack trace of an event without exceptions and threads is its only thread. */
export function readThreads(payload: JsonObject, facts: FrameFacts, hasExceptions: boolean): NormalThread[] {
  const { signals } = facts
  const sent = onlyObjects(readList(payload.threads, 'threads', signals), 'threads', signals)
  const threads = keepThreads(sent, signals).map((thread) => readThread(thread, facts))
  if (threads.length > 0 || hasExceptions || !payload.stacktrace) return threads
  const frames = readFrames(payload.stacktrace, 'threads.frames', -1, facts)
  return frames.length === 0 ? [] : [{ id: '', name: '', crashed: false, current: true, frames }]
}

/** The crashed and the current thread always, then the first ones, in the order sent. */
function keepThreads(threads: JsonObject[], signals: Signals): JsonObject[] {
  if (threads.length <= THREADS) return threads
  signals.note('threads', 'count', THREADS, threads.length)
  const matters = (thread: JsonObject) => thread.crashed === true || thread.current === true
  const first = [...threads.filter(matters), ...threads.filter((thread) => !matters(thread))].slice(0, THREADS)
  const kept = new Set(first)
  return threads.filter((thread) => kept.has(thread))
}

function readThread(thread: JsonObject, facts: FrameFacts): NormalThread {
  const { signals } = facts
  return {
    id: readScalar(thread.id, 'threads.id', 64, signals),
    name: readScalar(thread.name, 'threads.name', 200, signals),
    crashed: readFlag(thread.crashed, 'threads.crashed', signals) ?? false,
    current: readFlag(thread.current, 'threads.current', signals) ?? false,
    // Frames of a thread do not belong to an exception.
    frames: readFrames(thread.stacktrace, 'threads.frames', -1, facts),
  }
}
