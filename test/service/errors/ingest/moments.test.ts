import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readMoment } from '../../../../src/service/errors/ingest/normalise/time.ts'
import { createTruncationNotes } from '../../../../src/service/shared/truncation-notes.ts'

test('times within an event are written as Date writes them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }), (ms) => {
      const time = new Date(ms).toISOString()
      expect(readMoment(time, 'breadcrumbs.timestamp', 0, createTruncationNotes())).toBe(time)
    }),
  )
})
