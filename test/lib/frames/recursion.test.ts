import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recursiveFrames } from '../../../src/lib/frames/recursion.ts'

function collapse(keys: string, longestCycle?: number): string {
  const frames = keys.split('')
  const repeated = recursiveFrames(frames, longestCycle)
  return frames.filter((_, index) => !repeated.has(index)).join('')
}

test.each([
  ['abc', 'abc'],
  ['abbbc', 'abc'],
  ['ababab', 'ab'],
  ['xabcabcy', 'xabcy'],
  ['xabcdabcdabcdy', 'xabcdy'],
  ['abbcabc', 'abc'],
  ['abcdeabcde', 'abcdeabcde'],
  ['aba', 'aba'],
])('%s becomes %s', (keys, expected) => {
  expect(collapse(keys)).toBe(expected)
})

test('with cycles of one only direct recursion is folded, as in Sentry', () => {
  expect(collapse('aabab', 1)).toBe('abab')
})

test('the depth of a recursion of up to four functions does not count', () => {
  const cycle = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(cycle, fc.integer({ min: 1, max: 60 }), (functions, depth) => {
      expect(collapse(`x${functions.join('').repeat(depth)}y`)).toBe(`x${functions.join('')}y`)
    }),
  )
})
