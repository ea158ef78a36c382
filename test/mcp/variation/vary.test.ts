import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spread } from '../../../src/mcp/variation/spread.ts'
import { compareOccurrences } from '../../../src/mcp/variation/vary.ts'

const occurrences = (rows: readonly Record<string, string>[]) =>
  rows.map((row, index) => ({
    id: `e${String(index)}`,
    facts: new Map(Object.entries(row).map(([name, value]) => [name, [value]])),
  }))

test('what all have is the same, what some have varies, and the rest is named as missing', () => {
  const found = compareOccurrences(
    occurrences([{ a: '1', b: 'x' }, { a: '1', b: 'y' }, { a: '1', b: 'x' }, { a: '1' }]),
  )
  expect(found.same).toEqual([{ name: 'a', value: '1' }])
  expect(found.varies).toEqual([
    {
      names: ['b'],
      values: [
        { value: 'x', count: 2, example: 'e0' },
        { value: 'y', count: 1, example: 'e1' },
      ],
      without: 1,
    },
  ])
})

test('names that divide the occurrences in the same way are one row', () => {
  const rows = ['x', 'y', 'y'].map((value) => ({ browser: value, engine: `${value} engine` }))
  expect(compareOccurrences(occurrences(rows)).varies).toMatchObject([{ names: ['browser', 'engine'] }])
})

test('values of their own in each occurrence are told apart by how they are written', () => {
  const amounts = Array.from({ length: 20 }, (_, index) => (index === 7 ? '1.207,50' : `${String(index)}.50`))
  const { varies, distinct } = compareOccurrences(
    occurrences(amounts.map((amount, index) => ({ amount, id: `n-${String(index)}` }))),
  )
  expect(distinct).toEqual([{ name: 'id', example: 'n-0' }])
  expect(varies).toEqual([
    {
      names: ['amount'],
      values: [
        { value: '0.50', count: 19, example: 'e0' },
        { value: '1.207,50', count: 1, example: 'e7' },
      ],
      without: 0,
      byShape: true,
    },
  ])
})

test('each occurrence is counted once for each of its values', () => {
  const value = fc.constantFrom('a', 'b', 'c', 'd')
  const row = fc.dictionary(fc.constantFrom('x', 'y'), value)
  fc.assert(
    fc.property(fc.array(row, { minLength: 2, maxLength: 30 }), (rows) => {
      const { varies, same } = compareOccurrences(occurrences(rows))
      for (const { values, without } of varies) {
        expect(values.reduce((sum, { count }) => sum + count, without)).toBe(rows.length)
      }
      for (const { name } of same) expect(rows.every((each) => each[name] === rows[0]?.[name])).toBe(true)
    }),
  )
})

test('a sample has something of every kind, at most as many as asked for, in the order of the list', () => {
  const rows = fc.array(fc.record({ kind: fc.constantFrom('a', 'b', 'c') }), { maxLength: 120 })
  fc.assert(
    fc.property(rows, fc.integer({ min: 3, max: 50 }), (list, count) => {
      const numbered = list.map((row, index) => ({ ...row, index }))
      const chosen = spread(numbered, count, ({ kind }) => [kind])
      expect(chosen.length).toBe(Math.min(count, list.length))
      expect(new Set(chosen.map(({ kind }) => kind))).toEqual(new Set(list.map(({ kind }) => kind)))
      expect(chosen.map(({ index }) => index)).toEqual(chosen.map(({ index }) => index).toSorted((a, b) => a - b))
    }),
  )
})
