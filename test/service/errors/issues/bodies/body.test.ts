import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../src/lib/objects.ts'
import { normalise } from '../../../../../src/service/errors/ingest/normalise/index.ts'
import { packBody, unpackBody } from '../../../../../src/service/errors/issues/bodies/body.ts'

const receivedAt = 1_760_000_000_000
const facts = { eventId: 'a'.repeat(32), receivedAt, sizeBytes: 100 }
const payload = { message: 'two\nlines and "quotes" \u2028', extra: { rows: [1, null] } }
const event = normalise(payload, facts)
const { raw_payload: raw, ...stored } = event

test('an event and its payload are unpacked as they were packed', () => {
  const { event: unpacked, readRaw } = unpackBody(packBody(event))
  expect(unpacked).toEqual(stored)
  expect(readRaw()).toEqual(payload)
})

test.for([
  ['one object', JSON.stringify({ event: stored, raw })],
  ['the event and its payload in two lines', `${JSON.stringify(stored)}\n${JSON.stringify(raw)}`],
])('a body of an earlier version is read: %s', ([, text]) => {
  const { event: unpacked, readRaw } = unpackBody(zstdCompressSync(text!))
  expect(unpacked).toEqual(stored)
  expect(readRaw()).toEqual(payload)
})

test('what only the envelope said is unpacked too: the clock of the sender and its SDK', () => {
  const sent = { timestamp: receivedAt / 1000 - 7_200, breadcrumbs: [{ timestamp: receivedAt / 1000 - 7_201 }] }
  const sdk = { name: 'sentry.ruby', version: '6.1.0' }
  const { raw_payload: _raw, drift, ...late } = normalise(sent, { ...facts, sentAt: receivedAt - 7_200_000, sdk })
  expect({ drift, sdk: late.sdk, timestamp: late.timestamp }).toEqual({ drift: 7_200_000, sdk, timestamp: receivedAt })
  expect(unpackBody(packBody({ ...late, drift: 7_200_000, raw_payload: sent })).event).toEqual(late)
})

test('what was cut from a payload is still named when the cut payload is unpacked', () => {
  let deep: JsonObject = {}
  for (let depth = 0; depth < 120; depth += 1) deep = { deep }
  const cut = normalise({ extra: { deep } }, facts)
  expect(cut.truncation_signals).toContain('raw_payload:depth:0/1')
  expect(unpackBody(packBody(cut)).event.truncation_signals).toEqual(cut.truncation_signals)
})
