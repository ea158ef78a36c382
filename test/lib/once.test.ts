import { expect, test } from 'vitest'
import { madeOnce } from '../../src/lib/once.ts'

test('a value is made once for the same values and again when one of them is another', () => {
  let made = 0
  const make = madeOnce((first: { a: number }, second: object, third: string) => ({
    first,
    second,
    third,
    is: (made += 1),
  }))
  const [first, second] = [{ a: 1 }, {}]
  expect(make(first, second, 'x')).toEqual({ first, second, third: 'x', is: 1 })
  expect(make(first, second, 'x').is).toBe(1)
  expect(make(first, {}, 'x').is).toBe(2)
  expect(make(first, second, 'x').is).toBe(3)
  expect(make(first, second, 'y').is).toBe(4)
  expect(make({ a: 1 }, second, 'y').is).toBe(5)
  expect(make(first, second, 'y').is).toBe(4)
})
