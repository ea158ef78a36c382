import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTruncationNotes } from '../../../../../src/service/shared/truncation-notes.ts'
import { cutFrames } from '../../../../../src/service/errors/issues/read/cut-frames.ts'

test('cutting keeps order, prefers in-app frames and never keeps more than asked', () => {
  const Frames = fc
    .array(fc.boolean(), { maxLength: 60 })
    .map((flags) => flags.map((in_app, index) => ({ index, in_app })))
  fc.assert(
    fc.property(Frames, fc.integer({ min: 1, max: 40 }), (frames, max) => {
      const { note, list } = createTruncationNotes()
      const kept = cutFrames(frames, max, 'frames', note)
      expect(kept).toHaveLength(Math.min(max, frames.length))
      expect(kept).toEqual(kept.toSorted((left, right) => left.index - right.index))
      const lostInApp = frames.some((one) => one.in_app && !kept.includes(one))
      expect(lostInApp && kept.some((one) => !one.in_app)).toBe(false)
      expect(list().length > 0).toBe(frames.length > max)
    }),
  )
})
