import type { NormalEvent } from '../../event/event.ts'
import { eventLanguage } from '../../event/language.ts'
import type { JsonObject } from '../../../../lib/objects.ts'
import { readBinaries } from './binaries.ts'
import { boundedObject, contextBounds, extraBounds, shallowEnough } from './bounded.ts'
import { readExceptions, readThreads } from './exceptions.ts'
import { FRAMES_PER_EVENT, type FrameFacts } from './frames.ts'
import { createInApp } from './in-app.ts'
import { readMessage } from './message.ts'
import { readName, readObject, readScalar, readText } from './read.ts'
import { createTruncationNotes } from '../../../shared/truncation-notes.ts'
import type { Signals } from './signals.ts'
import {
  readBreadcrumbs,
  readDebugImages,
  readFingerprint,
  readModules,
  readRequest,
  readSdk,
  readTags,
} from './surroundings.ts'
import { clockDrift, readEventTime } from './time.ts'
import { hashUser, readUser } from './user.ts'

/** What is known about an event in addition to its payload. */
export interface EventFacts {
  /** 32 hex. */
  eventId: string
  /** Epoch milliseconds. */
  receivedAt: number
  /** `sent_at` of the envelope header, as received. */
  sentAt?: unknown
  /** `sdk` of the envelope header, as received. */
  sdk?: unknown
  /** Bytes of the payload's JSON. */
  sizeBytes: number
}

/** Deeper payloads are cut before they are kept: far below what overflows a stack, far above what SDKs send. */
const PAYLOAD_DEPTH = 100

/**
 * The event as the rest of the service reads it (contract §12.1): every member present and of its type. Never throws
 * because of content: values of a wrong type are dropped, values that are too long are cut, and `truncation_signals`
 * names both. Frames carry the defaults that symbolication and grouping overwrite.
 */
export function normalise(sent: JsonObject, facts: EventFacts): NormalEvent {
  const payload = withTodaysNames(sent)
  const signals: Signals = createTruncationNotes()
  const drift = clockDrift(facts.sentAt, facts.receivedAt)
  const debugImages = readDebugImages(payload.debug_meta, signals)
  const platform = readText(payload.platform, 'platform', 64, signals) || 'other'
  const sdk = readSdk(payload.sdk, facts.sdk, signals)
  const language = eventLanguage({ platform, sdk })
  const frames: FrameFacts = {
    signals,
    platform: language,
    debugIds: debugIdsByFile(debugImages),
    binaries: readBinaries(payload.debug_meta),
    inApp: createInApp(language),
    left: FRAMES_PER_EVENT,
  }
  const exceptions = readExceptions(payload, frames)
  const threads = readThreads(payload, frames, exceptions.length > 0)
  frames.inApp.settle()
  const user = readUser(payload, signals)
  const event: Omit<NormalEvent, 'truncation_signals'> = {
    sdk_event_id: facts.eventId,
    timestamp: readEventTime(payload.timestamp, facts.receivedAt, drift, signals),
    received_at: facts.receivedAt,
    level: readLevel(payload.level, signals),
    platform,
    environment: readEnvironment(payload.environment, signals),
    release: readName(payload.release, 'release', 250, signals),
    dist: readName(payload.dist, 'dist', 64, signals),
    ...readMessage(payload, signals),
    transaction: readName(payload.transaction, 'transaction', 200, signals),
    server_name: readText(payload.server_name, 'server_name', 256, signals),
    logger: readText(payload.logger, 'logger', 128, signals),
    handled: exceptions.every(({ mechanism }) => mechanism.handled),
    exceptions,
    threads,
    breadcrumbs: readBreadcrumbs(payload.breadcrumbs, drift, signals),
    tags: readTags(payload.tags, signals),
    user,
    user_hash: hashUser(user),
    request: readRequest(payload.request, signals),
    contexts: boundedObject(readObject(payload.contexts, 'contexts', signals), 'contexts', contextBounds, signals),
    extra: boundedObject(readObject(payload.extra, 'extra', signals), 'extra', extraBounds, signals),
    modules: readModules(payload.modules, signals),
    sdk,
    fingerprint: readFingerprint(payload.fingerprint, signals),
    debug_images: debugImages,
    size_bytes: facts.sizeBytes,
    raw_payload: shallowEnough(payload, 'raw_payload', PAYLOAD_DEPTH, signals),
  }
  const checksum = readScalar(payload.checksum, 'checksum', 256, signals).trim()
  if (checksum !== '') event.signs = { checksum }
  if (drift !== 0) event.drift = drift
  return { ...event, truncation_signals: signals.list() }
}

/** What the SDKs before 2019 call a member, and its name today. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  'sentry.interfaces.Exception': 'exception',
  'sentry.interfaces.Stacktrace': 'stacktrace',
  'sentry.interfaces.Message': 'logentry',
  'sentry.interfaces.Http': 'request',
  'sentry.interfaces.User': 'user',
  'sentry.interfaces.Breadcrumbs': 'breadcrumbs',
  'sentry.interfaces.Threads': 'threads',
  culprit: 'transaction',
}

/** A member with a former name has that of today, unless the event has both. */
function withTodaysNames(payload: JsonObject): JsonObject {
  const former = Object.keys(FORMER_NAMES).filter((name) => Object.hasOwn(payload, name))
  if (former.length === 0) return payload
  const renamed = former.map((name): [string, unknown] => [FORMER_NAMES[name]!, payload[name]])
  const others = Object.entries(payload).filter(([name, value]) => !former.includes(name) && value !== null)
  return Object.fromEntries([...renamed, ...others])
}

const levels: Readonly<Record<string, NormalEvent['level']>> = {
  fatal: 'fatal',
  critical: 'fatal',
  error: 'error',
  warning: 'warning',
  info: 'info',
  log: 'info',
  debug: 'debug',
}

/**
 * Sentry's default without a name (contract §6); "/" becomes "-", because members cannot create environments with a
 * slash.
 */
function readEnvironment(value: unknown, signals: Signals): string {
  const name = readName(value, 'environment', 64, signals) || 'production'
  if (!name.includes('/')) return name
  signals.note('environment', 'value', 0, 1)
  return name.replaceAll('/', '-')
}

function readLevel(value: unknown, signals: Signals): NormalEvent['level'] {
  if (value === undefined || value === null) return 'error'
  const name = typeof value === 'string' ? value.trim().toLowerCase() : ''
  const level = Object.hasOwn(levels, name) ? levels[name] : undefined
  if (!level) signals.note('level', typeof value === 'string' ? 'value' : 'type', 0, 1)
  return level ?? 'error'
}

function debugIdsByFile(images: NormalEvent['debug_images']): Map<string, string> {
  const ids = new Map<string, string>()
  for (const { code_file: file, debug_id: id } of images) if (file !== '' && id !== '') ids.set(file, id)
  return ids
}
