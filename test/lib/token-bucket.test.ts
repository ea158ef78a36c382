import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRateLimit, createTokenBuckets } from '../../src/lib/token-bucket.ts'

test('over any time no more than the burst, the refill and one envelope are admitted', () => {
  const steps = fc.array(fc.record({ after: fc.nat(3_000), cost: fc.integer({ min: 1, max: 100 }) }), { maxLength: 60 })
  const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 200 }), burst: fc.integer({ min: 1, max: 400 }) })
  fc.assert(
    fc.property(steps, rates, (requests, rate) => {
      let now = 1_000
      const take = createRateLimit({ now: () => now })
      let admitted = 0
      for (const { after, cost } of requests) {
        now += after
        if (take('key', cost, rate) === 0) admitted += cost
      }
      expect(admitted).toBeLessThan(rate.burst + ((now - 1_000) / 1_000) * rate.perSecond + 100)
    }),
  )
})

test('who waits as long as told is admitted, and the time told is a whole number from one', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 500, noNaN: true }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 }),
      (perSecond, burst, costs) => {
        let now = 0
        const take = createRateLimit({ now: () => now })
        for (const cost of costs) {
          const wait = take('key', cost, { perSecond, burst })
          expect(Number.isInteger(wait)).toBe(true)
          if (wait === 0) continue
          expect(wait).toBeGreaterThanOrEqual(1)
          now += wait * 1_000
          expect(take('key', cost, { perSecond, burst })).toBe(0)
        }
      },
    ),
  )
})

test('a rate of zero is no limit, and what costs nothing is always admitted', () => {
  const take = createRateLimit({ now: () => 0 })
  for (let count = 0; count < 1_000; count += 1) expect(take('key', 100, { perSecond: 0, burst: 1 })).toBe(0)
  expect(take('other', 9, { perSecond: 1, burst: 1 })).toBe(0)
  expect(take('other', 1, { perSecond: 1, burst: 1 })).toBe(9)
  expect(take('other', 0, { perSecond: 1, burst: 1 })).toBe(0)
})

test('keys do not share tokens, and the longest unused key is forgotten', () => {
  const take = createRateLimit({ now: () => 0, keys: 2 })
  const rate = { perSecond: 1, burst: 1 }
  expect([take('a', 1, rate), take('b', 1, rate), take('a', 1, rate)]).toEqual([0, 0, 1])
  expect(take('c', 1, rate)).toBe(0)
  expect(take('b', 1, rate)).toBe(0)
})

test('a clock that is set back neither refills nor stops the bucket', () => {
  let now = 3_600_000
  const take = createRateLimit({ now: () => now })
  const rate = { perSecond: 1, burst: 1 }
  expect(take('a', 1, rate)).toBe(0)
  now = 0
  expect(take('a', 1, rate)).toBe(1)
  now = 1_000
  expect(take('a', 1, rate)).toBe(0)
})

test('what was spent elsewhere is missing here, also of a key that was not used here, and comes back at its rate', () => {
  let now = 0
  const { take, spentElsewhere } = createTokenBuckets({ now: () => now })
  const rate = { perSecond: 1, burst: 10 }
  spentElsewhere({ key: 'new', cost: 12, perSecond: 1 })
  expect([take('new', 1, rate), take('other', 1, rate)]).toEqual([3, 0])
  now += 3_000
  expect(take('new', 1, rate)).toBe(0)
  spentElsewhere({ key: 'other', cost: 20, perSecond: 1 })
  expect(take('other', 1, rate)).toBe(11)
})

test('what a key has spent is named once, if it is more than a tenth of its bucket and has not come back', () => {
  let now = 0
  const { take, spentHere, spentElsewhere } = createTokenBuckets({ now: () => now })
  const rate = { perSecond: 1, burst: 100 }
  take('little', 10, rate)
  take('much', 8, rate)
  spentElsewhere({ key: 'much', cost: 50, perSecond: 1 })
  take('much', 8, rate)
  take('unlimited', 500, { perSecond: 0, burst: 1 })
  expect(spentHere()).toEqual([{ key: 'much', cost: 16, perSecond: 1 }])
  expect(spentHere()).toEqual([])
  take('little', 1, rate)
  expect(spentHere()).toEqual([{ key: 'little', cost: 11, perSecond: 1 }])
  take('much', 9, rate)
  now += 70_000
  take('much', 5, rate)
  expect(spentHere()).toEqual([])
})
