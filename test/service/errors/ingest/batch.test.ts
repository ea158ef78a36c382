import { expect, test } from 'vitest'
import { readBatch } from '../../../../src/service/errors/ingest/batch.ts'
import { NOW } from './harness.ts'

test('no two events of a batch are parsed or normalised in one piece of work', async () => {
  const pieces: unknown[] = []
  const pace = <T>(piece: () => T): Promise<T> => {
    const result = piece()
    pieces.push(result)
    return Promise.resolve(result)
  }
  const payloads = ['{"message":"one"}', 'no json', '{"message":"two"}'].map((text) => Buffer.from(text))
  const reading = { maxBytes: 1_000, newId: () => crypto.randomUUID(), pace }
  const { events, refused } = await readBatch({ payloads, header: {}, receivedAt: NOW }, reading)
  expect(events.map(({ message }) => message)).toEqual(['one', 'two'])
  expect(refused).toHaveLength(1)
  expect(pieces).toMatchObject([
    { message: 'one' },
    { code: 'invalid_argument' },
    { message: 'two' },
    { message: 'one', size_bytes: 17 },
    { message: 'two', size_bytes: 17 },
  ])
})
