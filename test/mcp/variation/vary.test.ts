import fc from 'fast-check'
import { expect, test } from 'vitest'
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
  expect(found.varies).toMatchObject([
    {
      name: 'b',
      values: [
        { values: ['x'], count: 2, example: 'e0' },
        { values: ['y'], count: 1, example: 'e1' },
      ],
      without: 1,
    },
  ])
})

test('names that divide the occurrences in the same way are one row', () => {
  const rows = ['x', 'y', 'y'].map((value) => ({ browser: value, engine: `${value} engine` }))
  expect(compareOccurrences(occurrences(rows)).varies).toMatchObject([{ name: 'browser', also: ['engine'] }])
})

test('values of their own in each occurrence are told apart by how they are written', () => {
  const amounts = Array.from({ length: 20 }, (_, index) => (index === 7 ? '1.207,50' : `${String(index)}.50`))
  const { varies, distinct } = compareOccurrences(
    occurrences(amounts.map((amount, index) => ({ amount, id: `n-${String(index)}` }))),
  )
  expect(distinct).toEqual([{ name: 'id', values: Array.from({ length: 20 }, (_, index) => `n-${String(index)}`) }])
  expect(varies).toMatchObject([
    {
      name: 'amount',
      values: [
        { values: ['0.50'], alike: true, count: 19, example: 'e0' },
        { values: ['1.207,50'], count: 1, example: 'e7' },
      ],
      without: 0,
    },
  ])
})

/** Forty occurrences of which three are written in another way, and a name with other values beside it. */
const beside = (noise: (index: number) => string) =>
  occurrences(
    Array.from({ length: 40 }, (_, index) => ({
      noise: noise(index),
      amount: index % 14 === 3 ? `1.${String(200 + index)},50` : `${String(index)}.50`,
    })),
  )

test.each([
  ['UUIDs', (n: number) => `0f${String(n % 7)}b4c1e-77aa-4c0d-9e1f-00${String(n % 7)}a5b6c7d8e`],
  ['digests', (n: number) => `${((n % 9) + 10).toString(16)}9f86d081884c7d${String(n % 9)}`],
  ['times', (n: number) => `2026-11-22T10:0${String(n % 8)}:00Z`],
  ['numbers of orders', (n: number) => `SO-${String(26_000 + (n % 20))}`],
  ['names of many pages', (n: number) => `page ${'abcdefghijklmnopqrst'.charAt(n % 20)}`],
])('three occurrences that differ come before %s', (_, noise) => {
  expect(compareOccurrences(beside(noise)).varies[0]).toMatchObject({ name: 'amount' })
})

test('a few releases are no ids, although they are written alike', () => {
  const releases = Array.from({ length: 20 }, (_, index) => ({ release: `shop@1.${String(index % 6)}.0` }))
  const { varies, distinct } = compareOccurrences(occurrences(releases))
  expect(varies).toMatchObject([{ name: 'release', values: [{ count: 4 }, ...Array<unknown>(5).fill({})] }])
  expect(distinct).toEqual([])
})

test('a value with a letter beyond ASCII is not written like the others', () => {
  const names = Array.from({ length: 30 }, (_, index) => (index === 4 ? 'Müller' : `Name${'x'.repeat(index)}`))
  const { varies } = compareOccurrences(occurrences(names.map((name) => ({ name }))))
  expect(varies).toMatchObject([
    { name: 'name', values: [{ count: 29 }, { values: ['Müller'], count: 1, example: 'e4' }] },
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
