import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileGlob, validateGlob } from '../../../../src/service/workspace/components/glob.ts'
import { globsMeet } from '../../../../src/service/workspace/components/overlap.ts'

test('globs overlap when a path matches both, not when they begin alike', () => {
  for (const [left, right] of [
    ['src/*.ts', 'src/cart/**'],
    ['src/*.ts', 'src/*/index.ts'],
    ['src/*.{ts,tsx}', 'src/*.js'],
    ['src/[a-c]*', 'src/[x-z]*'],
    ['src/**/*.css', 'src/**/*.ts'],
    ['src/web/{cart,pay}.ts', 'src/web/search.ts'],
  ] as const)
    expect([left, right, globsMeet(left, right)]).toEqual([left, right, false])
  for (const [left, right] of [
    ['src/*.ts', 'src/**'],
    ['src/*.ts', 'src/main.ts'],
    ['**/*.css', 'src/cart/**'],
    ['src/*/index.ts', 'src/cart/*.ts'],
    ['src/{cart,pay}/**', 'src/pay/*.ts'],
    ['src/[a-c]*', 'src/?art.ts'],
    ['a/**/b/**', '**/c/**/d'],
  ] as const)
    expect([left, right, globsMeet(left, right)]).toEqual([left, right, true])
})

/** Every text of one to `most` of the characters, with the separator between them. */
function texts(characters: readonly string[], most: number, separator = ''): string[] {
  const longer = (list: string[]) => list.flatMap((text) => characters.map((one) => text + separator + one))
  const all = [[...characters]]
  while (all.length < most) all.push(longer(all.at(-1) ?? []))
  return all.flat()
}

/** Pairs of globs that are compared wrongly, as far as these paths show, and longer ones where none of them is shared. */
function mistakes(globs: fc.Arbitrary<string>, paths: readonly string[], longer: readonly string[] = []): string[][] {
  const valid = globs.filter((glob) => validateGlob(glob) === undefined)
  return fc.sample(fc.tuple(valid, valid), 400).filter(([left, right]) => {
    const [one, other] = [compileGlob(left), compileGlob(right)]
    const isMatch = (path: string) => one(path) && other(path)
    const isShared = paths.some(isMatch) || (globsMeet(left, right) && longer.some(isMatch))
    // The matcher does not let `a/*/**` match `a/b`, as `a/b/**` does; a missed overlap would be worse than one too many.
    const isUnclear = !isShared && /\*\*$/m.test(`${left}\n${right}`)
    return !isUnclear && globsMeet(left, right) !== isShared
  })
}

test('within a segment the decision is that of the matcher on every short name', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]', '{a,b}', '{a,ba}', '{a,b*}', '\\*')
  const glob = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''))
  const inSegment = glob.filter((one) => !one.includes('**'))
  // The shortest name that {a,ba}b{a,b*} and {a,b*}[!a][ab] share is babbab; of {a,b*}\*[ab] and {a,ba}{a,ba}{a,b*} it is baab*a.
  const longer = [...texts(['a', 'b', 'c', '!'], 7), ...texts(['a', 'b', '*'], 8)]
  expect(mistakes(inSegment, texts(['a', 'b', 'c', '*'], 5), longer)).toEqual([])
})

test('over segments the decision is that of the matcher on every short path', () => {
  const segment = fc.constantFrom('a', 'b', '*', '**', '{a,b}')
  const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((list) => list.join('/'))
  expect(mistakes(glob, texts(['a', 'b'], 7, '/'))).toEqual([])
})

test('a glob with many alternatives is compared by its beginning', () => {
  const many = `src/${'{a,b}'.repeat(8)}.ts`
  expect(globsMeet(many, 'src/cart.ts')).toBe(true)
  expect(globsMeet(many, 'lib/**')).toBe(false)
})
