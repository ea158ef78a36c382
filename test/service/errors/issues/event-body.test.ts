import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'
import { packBody, unpackBody } from '../../../../src/service/errors/issues/event-body.ts'

const payload = { message: 'two\nlines and "quotes" \u2028', extra: { rows: [1, null] } }
const event = normalise(payload, { eventId: 'a'.repeat(32), receivedAt: 1_760_000_000_000, sizeBytes: 100 })
const { raw_payload: raw, ...stored } = event

test('an event and its payload are unpacked as they were packed', () => {
  const { event: unpacked, readRaw } = unpackBody(packBody(event))
  expect(unpacked).toEqual(stored)
  expect(readRaw()).toEqual(payload)
})

test('a body that an earlier version packed is read', () => {
  const { event: unpacked, readRaw } = unpackBody(zstdCompressSync(JSON.stringify({ event: stored, raw })))
  expect(unpacked).toEqual(stored)
  expect(readRaw()).toEqual(payload)
})
