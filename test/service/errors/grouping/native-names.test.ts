import fc from 'fast-check'
import { expect, test } from 'vitest'
import { functionName, functionToken } from '../../../../src/service/errors/grouping/functions.ts'

const parts =
  '< > ( ) [ ] { } & -> operator< operator() {lambda( )#1} $_0 @ @8 ::h0123456789abcdef const closure of static throws pay'
const pieces = fc.constantFrom(...parts.split(' '), ' ', 'initialization expression of')

test('any text is a name', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (drawn) => {
      const name = functionToken(drawn.join(''), 'native')
      expect(name.length).toBeLessThanOrEqual(600)
      expect(name).not.toMatch(/[\uE000-\uE003]/)
    }),
  )
})

test('the arguments, template arguments and part of a function do not count, whatever they are', () => {
  const type = fc.constantFrom('int', 'char const*', 'shop::List<int>', 'int (*)(char)', 'Map<int, List<char> >&')
  const types = fc.array(type, { maxLength: 4 }).map((list) => list.join(', '))
  const part = fc.constantFrom('', ' const', ' const &', ' [clone .cold]', ' [clone .part.0]')
  fc.assert(
    fc.property(types, types, part, (inside, given, ending) => {
      expect(functionToken(`void shop::sort<${inside}>(${given})${ending}`, 'native')).toBe('shop::sort<T>')
    }),
  )
})

test.each([
  '<',
  '(',
  '[',
  '{',
  '< as <',
  '{lambda(',
  'operator<',
  '&',
  ' const',
  '[clone .',
  'a ',
  '@',
  '?A0x',
  'a<b>',
])('of a name that repeats %j only the first 512 characters are read', (unit) => {
  expect(functionToken(unit.repeat(5_000), 'native')).toBe(functionToken(unit.repeat(5_000).slice(0, 512), 'native'))
})

test('people see the method of a block, of a lambda, and the name without a signature', () => {
  expect(functionName('block (2 levels) in index', 'ruby')).toBe('index')
  expect(functionName('lambda$place$0', 'java')).toBe('lambda$place')
  expect(functionName('Shop.Cart.Pay (int)', 'csharp')).toBe('Shop.Cart.Pay')
})
