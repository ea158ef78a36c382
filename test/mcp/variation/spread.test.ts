import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spread } from '../../../src/mcp/variation/spread.ts'

const rows = fc.array(
  fc.record({ release: fc.nat({ max: 6 }), environment: fc.nat({ max: 3 }), message: fc.nat({ max: 40 }) }),
  { maxLength: 120 },
)

test('a sample has every release and environment, whatever the messages are, and each row at most once', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 12, max: 60 }), (list, count) => {
      const chosen = spread(list, count, (row) => Object.values(row).map(String))
      expect(chosen.length).toBe(Math.min(count, list.length))
      expect(new Set(chosen).size).toBe(chosen.length)
      for (const name of ['release', 'environment'] as const) {
        expect(new Set(chosen.map((row) => row[name]))).toEqual(new Set(list.map((row) => row[name])))
      }
    }),
  )
})

test('rows that say the same are taken evenly from the whole list', () => {
  const chosen = spread(
    Array.from({ length: 101 }, (_, index) => index),
    5,
    () => ['the same'],
  )
  expect(chosen).toEqual([0, 100, 50, 25, 75])
})
