import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bucketSeconds,
  bucketStart,
  periodMs,
  storedResolution,
  resolutions,
  type PeriodName,
} from '../../../../src/service/errors/issues/buckets.ts'

test('every period is read from a stored resolution that divides its buckets and is kept long enough', () => {
  for (const period of Object.keys(periodMs) as PeriodName[]) {
    const resolution = resolutions.find(({ seconds }) => seconds === storedResolution(period))!
    expect(bucketSeconds[period] % resolution.seconds).toBe(0)
    expect(resolution.keptMs).toBeGreaterThanOrEqual(periodMs[period])
  }
})

test('a bucket holds its times and starts on a multiple of its width', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), fc.constantFrom(10, 600, 3600, 86400), (time, seconds) => {
      const start = bucketStart(time, seconds)
      expect(start % (seconds * 1000)).toBe(0)
      expect(time - start).toBeLessThan(seconds * 1000)
      expect(start).toBeLessThanOrEqual(time)
    }),
  )
})
