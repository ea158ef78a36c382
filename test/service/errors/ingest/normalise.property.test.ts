import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Event } from '../../../../src/contract/events.ts'
import type { NormalEvent } from '../../../../src/service/errors/event/event.ts'
import { isObject } from '../../../../src/lib/objects.ts'
import { packBody, unpackBody } from '../../../../src/service/errors/issues/bodies/body.ts'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'
import { EVENT_ID, NOW } from './harness.ts'

/** The members of the contract's Event that come from an envelope; the two times are numbers until the handler writes them. */
const FromEnvelope = Event.pick({
  sdk_event_id: true,
  level: true,
  platform: true,
  environment: true,
  release: true,
  dist: true,
  message: true,
  transaction: true,
  server_name: true,
  user_hash: true,
  handled: true,
  logger: true,
  message_template: true,
  message_params: true,
  exceptions: true,
  threads: true,
  breadcrumbs: true,
  tags: true,
  user: true,
  request: true,
  contexts: true,
  extra: true,
  modules: true,
  sdk: true,
  fingerprint: true,
  debug_images: true,
  size_bytes: true,
  raw_payload: true,
  truncation_signals: true,
})

const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>('', null, 0, -1, 1e300, 'Infinity', '\0', '\ud800x\udc00', '{{auto}}', {
      values: 7,
    }),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

/** An object with some of the members, each of its proper shape, of any other, or missing. */
function loose(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const each = Object.entries(members).map(([name, proper]) => [
    name,
    fc.oneof({ weight: 3, arbitrary: proper }, { weight: 1, arbitrary: anything }),
  ])
  return fc.record(Object.fromEntries(each) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] })
}
const text = fc.string({ unit: 'binary', maxLength: 20 })
const list = (entry: fc.Arbitrary<unknown>) =>
  fc.array(fc.oneof({ weight: 5, arbitrary: entry }, { weight: 1, arbitrary: anything }), { maxLength: 4 })
const listed = (entry: fc.Arbitrary<unknown>) => fc.oneof(list(entry), loose({ values: list(entry) }), entry)
const map = fc.dictionary(fc.oneof(text, fc.constant('__proto__')), anything, { maxKeys: 4 })
const time = fc.oneof(
  fc.double(),
  fc.integer({ min: 0, max: 2e9 }),
  fc.date().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
)

const frame = loose({
  function: text,
  module: text,
  filename: text,
  path: text,
  abs_path: text,
  lineno: fc.integer(),
  line: fc.integer(),
  colno: fc.nat(),
  in_app: fc.boolean(),
  context_line: text,
  pre_context: list(text),
  post_context: list(text),
  vars: map,
})
const stacktrace = fc.oneof(loose({ frames: list(frame) }), list(frame))
const mechanism = loose({
  type: text,
  handled: fc.boolean(),
  synthetic: fc.boolean(),
  source: text,
  exception_id: fc.nat(),
  parent_id: fc.nat(),
  is_exception_group: fc.boolean(),
})
const message = loose({ message: text, formatted: text, params: fc.oneof(list(text), map) })
const payload = loose({
  event_id: text,
  timestamp: time,
  level: fc.constantFrom('fatal', 'Error', 'log', 'critical', 'nonsense'),
  platform: text,
  environment: text,
  release: text,
  dist: text,
  transaction: text,
  server_name: text,
  logger: text,
  message: fc.oneof(text, message),
  logentry: message,
  exception: listed(loose({ type: text, value: text, module: text, thread_id: fc.nat(), mechanism, stacktrace })),
  stacktrace,
  threads: listed(loose({ id: fc.nat(), name: text, crashed: fc.boolean(), current: fc.boolean(), stacktrace })),
  breadcrumbs: listed(loose({ timestamp: time, category: text, level: text, message: text, data: map })),
  tags: fc.oneof(map, list(fc.tuple(text, text)), list(loose({ key: text, value: text }))),
  user: loose({ id: fc.nat(), email: text, username: text, ip_address: text, geo: map }),
  request: loose({
    method: text,
    url: text,
    headers: fc.oneof(map, list(fc.tuple(text, text))),
    query_string: anything,
  }),
  contexts: map,
  extra: map,
  modules: map,
  sdk: loose({ name: text, version: text }),
  fingerprint: list(text),
  debug_meta: loose({ images: list(loose({ type: text, code_file: text, debug_id: text })) }),
})

const facts = fc.record({
  eventId: fc.constant(EVENT_ID),
  receivedAt: fc.constant(NOW),
  sizeBytes: fc.nat(),
  sentAt: fc.oneof(time, anything),
  sdk: anything,
})

/** Every text in a value, keys included. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const entry of value) yield* textsOf(entry)
  else if (isObject(value))
    for (const [key, entry] of Object.entries(value)) {
      yield key
      yield* textsOf(entry)
    }
}

function violationsOf(event: NormalEvent): unknown[] {
  return FromEnvelope.safeParse(event).error?.issues ?? []
}

function checkRules(event: NormalEvent): void {
  expect(Number.isInteger(event.timestamp)).toBe(true)
  expect(event.timestamp).toBeGreaterThanOrEqual(NOW - 30 * 86_400_000)
  expect(event.timestamp).toBeLessThanOrEqual(NOW + 60_000)
  for (const signal of event.truncation_signals) expect(signal).toMatch(/^[a-z_.]+:[a-z]+:\d+\/\d+$/)
  const { raw_payload: _raw, ...normalised } = event
  for (const found of textsOf(normalised)) expect(found.isWellFormed() && !found.includes('\0')).toBe(true)
  for (const [exceptionIndex, { frames }] of event.exceptions.entries())
    for (const [index, found] of frames.entries())
      expect(found).toMatchObject({ index, exception_index: exceptionIndex, symbolicated: false, original: null })
}

test('whatever the members of an event are, it becomes a value of the contract', () => {
  fc.assert(
    fc.property(payload.filter(isObject), facts, (event, known) => {
      const normal = normalise(event, known)
      expect(violationsOf(normal)).toEqual([])
      checkRules(normal)
    }),
    { numRuns: 600 },
  )
})

test('any JSON object becomes a value of the contract', () => {
  const objects = fc.json().map((json) => JSON.parse(json) as unknown)
  fc.assert(
    fc.property(objects.filter(isObject), facts, (event, known) => {
      const normal = normalise(event, known)
      expect(violationsOf(normal)).toEqual([])
      checkRules(normal)
    }),
  )
})

test('normalising changes nothing of the payload', () => {
  fc.assert(
    fc.property(payload.filter(isObject), facts, (event, known) => {
      const before = structuredClone(event)
      const { raw_payload: raw } = normalise(event, known)
      expect(event).toEqual(before)
      expect(raw).toBe(event)
    }),
  )
})

test('an event is unpacked from its body as it was normalised', () => {
  fc.assert(
    fc.property(payload.filter(isObject), facts, (event, known) => {
      const sent = JSON.parse(JSON.stringify(event)) as Record<string, unknown>
      const { raw_payload: raw, drift = 0, ...stored } = normalise(sent, known)
      const { event: unpacked, readRaw } = unpackBody(packBody({ ...stored, raw_payload: raw, drift }))
      expect(unpacked).toEqual(stored)
      expect(readRaw()).toEqual(raw)
    }),
    { numRuns: 300 },
  )
})
