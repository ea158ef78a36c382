import { expect, test } from 'vitest'
import { Lru } from '../../../../../src/service/errors/sourcemaps/symbolicate/lru.ts'

test('what was used longest ago goes first, only at a trim, and is disposed of once', () => {
  const gone: string[] = []
  const lru = new Lru<string>({ weight: 10, entries: 3 }, (value) => gone.push(value))
  lru.set('a', 'A', 4)
  lru.set('b', 'B', 4)
  lru.get('a')
  lru.set('c', 'C', 4)
  expect(gone).toEqual([])
  lru.trim()
  expect(gone).toEqual(['B'])
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual(['A', undefined, 'C'])
  lru.clear()
  expect(gone).toEqual(['B', 'A', 'C'])
})

test('many light entries are held to the number of entries', () => {
  const lru = new Lru<number>({ weight: 1_000, entries: 2 })
  for (const key of ['a', 'b', 'c']) lru.set(key, 1, 1)
  lru.trim()
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([undefined, 1, 1])
})

test('entries are forgotten by the beginning of their keys', () => {
  const lru = new Lru<number>({ weight: 1_000, entries: 10 })
  for (const key of ['1\na', '1\nb', '12\na']) lru.set(key, 1, 1)
  lru.clear('1\n')
  expect([lru.get('1\na'), lru.get('1\nb'), lru.get('12\na')]).toEqual([undefined, undefined, 1])
})
