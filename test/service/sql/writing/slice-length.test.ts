import { expect, test } from 'vitest'
import { sliceLength } from '../../../../src/service/sql/writing/slice-length.ts'

test('a slice lasts as long as the last one took to close, and a quarter of what it waited for others', () => {
  expect(sliceLength({ closingMs: 2, waitedMs: 1 })).toBe(10)
  expect(sliceLength({ closingMs: 25, waitedMs: 1 })).toBe(25)
  expect(sliceLength({ closingMs: 2, waitedMs: 120 })).toBe(30)
  expect(sliceLength({ closingMs: 200, waitedMs: 2_000 })).toBe(40)
})
