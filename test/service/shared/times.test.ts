import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs, timestamp } from '../../../src/service/shared/times.ts'

const time = fc.oneof(
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.integer({ min: -2 * dayMs, max: 2 * dayMs }),
  fc.integer({ min: 0, max: 30_000 }).map((day) => day * dayMs - 1),
  fc.double({ min: -1e13, max: 1e13, noNaN: true }),
)

test('a timestamp is the text that a date has, whichever one was written before it', () => {
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 20 }), (times) => {
      expect(times.map(timestamp)).toEqual(times.map((ms) => new Date(ms).toISOString()))
    }),
    { numRuns: 1000 },
  )
})

test.each([Number.NaN, Infinity, 9e15])('%s is no time, and spoils none after it', (ms) => {
  expect(() => timestamp(ms)).toThrow(RangeError)
  expect(timestamp(1)).toBe('1970-01-01T00:00:00.001Z')
})
