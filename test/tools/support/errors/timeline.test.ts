import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldDays } from '../../../../tools/support/errors/timeline.ts'

const start = Date.UTC(2026, 9, 24)
const series = (counts: readonly number[]) =>
  counts.map((count, day) => ({ at: new Date(start + day * 86_400_000).toISOString(), count }))

test.each([
  [[0, 0], undefined],
  [[0, 3, 0, 0, 0, 0, 0, 20, 20, 0, 5], '2026-10-25 3, 10-31..11-01 40, 11-03 5'],
  // Two outages above a steady noise stay two.
  [[2, 3, 2, 90, 2, 3, 2, 2, 120, 2], '2026-10-24..26 7, 10-27 90, 10-28..31 9, 11-01 120, 11-02 2'],
])('counts %j are told as %j', (counts, expected) => {
  expect(foldDays(series(counts))).toBe(expected)
})

test('whatever the counts, the line has at most 8 runs and their sum is the total', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 30 }), (counts) => {
      const runs = foldDays(series(counts))?.split(', ') ?? []
      expect(runs.length).toBeLessThanOrEqual(8)
      expect(runs.reduce((sum, run) => sum + Number(run.split(' ')[1]), 0)).toBe(
        counts.reduce((sum, one) => sum + one, 0),
      )
    }),
  )
})
