import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readBatch } from '../../../../src/service/errors/ingest/batch.ts'
import { NOW } from './harness.ts'

/** What `readBatch` makes of texts, and the results of its pieces of work. */
async function read(texts: readonly string[], maxBytes: number) {
  const pieces: unknown[] = []
  const pace = <T>(piece: () => T): Promise<T> => {
    const result = piece()
    pieces.push(result)
    return Promise.resolve(result)
  }
  const batch = { payloads: texts.map((text) => Buffer.from(text)), header: {}, receivedAt: NOW }
  const reading = { maxBytes, newId: () => crypto.randomUUID(), pace }
  const { taken, refused } = await readBatch(batch, reading, (event) => Promise.resolve(event))
  return { pieces, refused, taken }
}

test('no two events of a batch are parsed or normalised in one piece of work', async () => {
  const { pieces, refused, taken } = await read(['{"message":"one"}', 'no json', '{"message":"two"}'], 1_000)
  expect(taken.map(({ message }) => message)).toEqual(['one', 'two'])
  expect(refused).toHaveLength(1)
  expect(pieces).toMatchObject([
    { payload: { message: 'one' } },
    { code: 'invalid_argument' },
    { payload: { message: 'two' } },
    { message: 'one', size_bytes: 17 },
    { message: 'two', size_bytes: 17 },
  ])
})

test('an event is parsed once unless all of its request are larger than one may be', async () => {
  const { pieces, taken } = await read(['{"message":"one"}', '{"message":"two"}', '{"message":"six"}'], 40)
  expect(taken.map(({ message }) => message)).toEqual(['one', 'two', 'six'])
  expect(pieces.slice(0, 3)).toMatchObject([
    { payload: { message: 'one' } },
    { payload: { message: 'two' } },
    { payload: undefined },
  ])
})

test('a request of many heavy events takes the memory of a few', async () => {
  // A process that needs more is ended by Node. The service takes 40 MB of it, and one event 40.
  const sender = fileURLToPath(new URL('heavy-sender.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=160', sender])
  expect(JSON.parse(stdout)).toEqual({ status: 200, body: `{"id":"${'0'.repeat(32)}"}` })
})
