import { expect, test } from 'vitest'
import { lazyMembers } from '../../src/lib/lazy-members.ts'

test('a member is made when it is first read, once, and a spread has all of them', () => {
  const made: string[] = []
  const lazy = lazyMembers({ one: 1, two: 2 }, (name) => {
    made.push(name)
    return name.toUpperCase()
  })
  expect(lazy['two']).toBe('TWO')
  expect(lazy['two']).toBe('TWO')
  expect(made).toEqual(['two'])
  expect({ ...lazy }).toEqual({ one: 'ONE', two: 'TWO' })
  expect(made).toEqual(['two', 'one'])
})

test('what the source does not have is absent, so that an awaited object is no promise', async () => {
  const lazy = lazyMembers({ one: 1 }, (name) => name)
  expect(lazy['toString']).toBeUndefined()
  expect('then' in lazy).toBe(false)
  expect((await Promise.resolve(lazy))['one']).toBe('one')
})
