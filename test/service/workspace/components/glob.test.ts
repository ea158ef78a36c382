import { expect, test } from 'vitest'
import {
  compileGlob,
  isLiteral,
  literalLength,
  literalPrefix,
  validateGlob,
} from '../../../../src/service/workspace/components/glob.ts'

test.each([
  ['src/cart/**', 'src/cart/deep/.hidden/a.ts', true],
  ['src/cart/**', 'src/carts/a.ts', false],
  ['**/*.{spec,test}.*', 'src/a.test.ts', true],
  ['*.ts', 'src/a.ts', false],
  ['src/[ab].ts', 'src/b.ts', true],
  ['app/\\[slug\\]/page.tsx', 'app/[slug]/page.tsx', true],
  ['app/\\(shop\\)/*', 'app/(shop)/a.ts', true],
  ['src/c++/*', 'src/c++/a.cc', true],
  ['packages/@shop/*/index.ts', 'packages/@shop/cart/index.ts', true],
])('%s on %s: %j', (glob, path, expected) => {
  expect(validateGlob(glob)).toBeUndefined()
  expect(compileGlob(glob)(path)).toBe(expected)
})

test.each([
  ['', 'empty'],
  [' src/**', 'spaces'],
  ['/src/**', 'leading'],
  ['!src/**', 'exclude_globs'],
  ['src/', '"src/**"'],
  ['src\\cart', 'separated by "/"'],
  ['src/../a', '".."'],
  ['./src/**', '"."'],
  ['src/+(a|b)', '{a,b}'],
  ['src/(a+)+', '{a,b}'],
  ['src/[ab', 'not closed'],
  ['src/{a,b', 'not closed'],
  ['src/[b-a]', 'wrong way round'],
  ['**/a/**/b/**/c/**', 'at most 3 "**"'],
  ['*a*a*a*b', 'at most 3 "*"'],
  ['*a*a*/*b*/*', 'at most 4 "*"'],
])('%j is refused, naming %s, and matches nothing', (glob, reason) => {
  expect(validateGlob(glob)).toContain(reason)
  expect(compileGlob(glob)('src/a')).toBe(false)
})

test('what stands for itself is told from wildcards, brackets and braces', () => {
  expect(literalPrefix('src/cart/*.ts')).toBe('src/cart/')
  expect(literalLength('src/cart/*.ts')).toBe(12)
  expect(literalPrefix('src/{a,b}/x')).toBe('src/')
  expect(literalLength('src/{a,{b,c}}/x')).toBe(6)
  expect(literalPrefix('app/\\[id\\]/[ab].ts')).toBe('app/[id]/')
  expect(isLiteral('app/\\[id\\]/a.ts')).toBe(true)
  expect(isLiteral('app/?.ts')).toBe(false)
})

test('a hostile path costs little on the worst glob that is allowed', () => {
  for (const path of ['a/'.repeat(200).slice(1), 'a'.repeat(400), 'aaaaaaaaa/'.repeat(40).slice(1)]) {
    expect(compileGlob('**/*a*/**/*a*/**/b')(path)).toBe(false)
    expect(compileGlob('**/*a*a*b/**')(path)).toBe(false)
  }
  expect(compileGlob('**')('a'.repeat(401))).toBe(false)
})
