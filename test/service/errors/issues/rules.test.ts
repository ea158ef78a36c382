import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bucketSeconds,
  bucketStart,
  periodMs,
  resolutionOf,
  resolutions,
  type PeriodName,
} from '../../../../src/service/errors/issues/buckets.ts'
import { cutFrames } from '../../../../src/service/errors/issues/read/cut-frames.ts'
import { isKnownSdk } from '../../../../src/service/errors/issues/record/sdk-names.ts'

test('every period is read from a stored resolution that divides its buckets and is kept long enough', () => {
  for (const period of Object.keys(periodMs) as PeriodName[]) {
    const resolution = resolutions.find(({ seconds }) => seconds === resolutionOf(period))!
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

test('cutting keeps order, prefers in-app frames and never keeps more than asked', () => {
  const Frames = fc
    .array(fc.boolean(), { maxLength: 60 })
    .map((flags) => flags.map((in_app, index) => ({ index, in_app })))
  fc.assert(
    fc.property(Frames, fc.integer({ min: 1, max: 40 }), (frames, max) => {
      const signals: string[] = []
      const kept = cutFrames(frames, max, 'frames', signals)
      expect(kept).toHaveLength(Math.min(max, frames.length))
      expect(kept).toEqual(kept.toSorted((left, right) => left.index - right.index))
      const lostInApp = frames.some((one) => one.in_app && !kept.includes(one))
      expect(lostInApp && kept.some((one) => !one.in_app)).toBe(false)
      expect(signals.length > 0).toBe(frames.length > max)
    }),
  )
})

test('SDK names are known by their family, whatever integration follows', () => {
  for (const name of [
    'sentry.javascript.node',
    'sentry.python',
    'sentry.python.django',
    'raven-python',
    'sentry.php.laravel',
  ]) {
    expect([name, isKnownSdk(name)]).toEqual([name, true])
  }
  for (const name of ['', 'sentry', 'sentry.', 'sentry.evil', 'my.javascript', 'javascript']) {
    expect([name, isKnownSdk(name)]).toEqual([name, false])
  }
})
