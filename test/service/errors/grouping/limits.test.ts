import { expect, test } from 'vitest'
import { groupEvent } from '../../../../src/service/errors/grouping/index.ts'
import { messageToken, parameterise } from '../../../../src/service/errors/grouping/parameterise.ts'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'
import { crash, event, exception } from './events.ts'

const hashOf = (value: string) => groupEvent(crash('Error', value, [])).hash

test('a value counts with 1,024 characters of what it becomes', () => {
  const start = 'x'.repeat(1_000)
  expect(hashOf(`${start} one two`)).not.toBe(hashOf(`${start} one six`))
  expect(hashOf(`${start}${' word'.repeat(50)}`)).toBe(hashOf(`${start}${' word'.repeat(20)} other`))
})

test('ids of any length at the start of a long text leave the rest of what counts in its place', () => {
  const query = (id: string) => `row ${id} of ${id}: SELECT ${'column, '.repeat(300)}`
  expect(hashOf(query('7'))).toBe(hashOf(query('1'.repeat(60))))
  expect(parameterise(query('7'))).toHaveLength(1_024)
})

test('a fingerprint that repeats a message groups by what the message becomes, however long it is', () => {
  const hash = (id: string, length: number) => {
    const message = `order ${id} failed: ${'select a, b from c; '.repeat(200)}`.slice(0, length)
    const payload = { message, fingerprint: [message] }
    return groupEvent(normalise(payload, { eventId: 'a'.repeat(32), receivedAt: 0, sizeBytes: 1 })).hash
  }
  for (const length of [500, 1_024, 1_025, 3_000]) expect(hash('4711', length)).toBe(hash('4712', length))
  expect(hash('4711', 500)).not.toBe(hash('4711', 600))
})

test('that a long text has further lines counts wherever its cut falls', () => {
  const long = 'y'.repeat(4_000)
  expect(messageToken(`${long}\none\ntwo`)).toBe(`${'y'.repeat(1_024)}...`)
  expect(messageToken(`${long}\none`)).toBe('y'.repeat(1_024))
})

const chain = (count: number, length: number, changed = -1) =>
  event({
    exceptions: Array.from({ length: count }, (_, index) =>
      exception({
        type: `E${index}`,
        value: `${String.fromCharCode(65 + index).repeat(length)}${index === changed ? ' changed' : ''}`,
      }),
    ),
  })

test('of all values of an event 16 KiB count', () => {
  const { hash } = groupEvent(chain(50, 1_000))
  expect(groupEvent(chain(50, 1_000, 3)).hash).not.toBe(hash)
  expect(groupEvent(chain(50, 1_000, 40)).hash).toBe(hash)
})

test('a value that comes back costs nothing again', () => {
  const repeated = (last: string) =>
    event({
      exceptions: [
        ...Array.from({ length: 40 }, (_, index) => exception({ type: `E${index}`, value: 'z'.repeat(1_000) })),
        exception({ value: last }),
      ],
    })
  expect(groupEvent(repeated('one')).hash).not.toBe(groupEvent(repeated('two')).hash)
})

test('both variants of an event read the same text, also where not all of it counts', () => {
  expect(groupEvent(chain(50, 1_000)).other_hashes).toEqual([])
})
