import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import {
  compileComponents,
  overlaps,
  type ComponentGlobs,
} from '../../../../src/service/workspace/components/components.ts'

function component(id: string, path_globs: string[], more: Partial<ComponentGlobs> = {}): ComponentGlobs {
  return { id, path_globs, exclude_globs: [], position: 0, ...more }
}

function owner(path: string, ...components: ComponentGlobs[]) {
  return compileComponents(components).findOwner(path)
}

test('the glob with the longest literal prefix wins', () => {
  const all = [
    component('shop', ['src/**']),
    component('cart', ['src/cart/**']),
    component('tests', ['**/*.test.cart.ts']),
  ]
  expect(owner('src/cart/a.test.cart.ts', ...all)).toBe('cart')
  expect(owner('src/pay/a.ts', ...all)).toBe('shop')
  expect(owner('README.md', ...all)).toBeUndefined()
})

test('of two equal prefixes the one with more literal characters wins', () => {
  expect(owner('src/a/view.ts', component('all', ['src/**']), component('views', ['src/*/view.ts']))).toBe('views')
})

test('of two equal globs the component with the higher position wins, else the older', () => {
  expect(
    owner('src/a.ts', component('1', ['src/**'], { position: 2 }), component('2', ['src/**'], { position: 1 })),
  ).toBe('1')
  expect(owner('src/a.ts', component('2', ['src/**']), component('1', ['src/**']))).toBe('1')
})

test('an excluded file falls to the next component', () => {
  const cart = component('cart', ['src/cart/**'], { exclude_globs: ['**/*.css'] })
  expect(owner('src/cart/a.css', cart, component('shop', ['src/**']))).toBe('shop')
  expect(owner('src/cart/a.css', cart)).toBeUndefined()
})

test('nobody owns what is no file of the repository', () => {
  expect(owner('', component('all', ['**']))).toBeUndefined()
})

test('overlaps are globs of others that match some of the same paths', () => {
  const existing = [
    component('cart', ['src/cart/**', 'docs/**']),
    component('file', ['src/cart/a.ts', 'src/cart/a.tsx']),
    component('all', ['**/*.css']),
    component('pay', ['src/pay/**']),
  ]
  expect(overlaps(['src/cart/*.ts'], existing)).toEqual([
    { component_id: 'cart', glob: 'src/cart/**' },
    { component_id: 'file', glob: 'src/cart/a.ts' },
  ])
  expect(overlaps(['src/cart/a.ts'], existing.slice(1))).toEqual([{ component_id: 'file', glob: 'src/cart/a.ts' }])
  expect(overlaps(['lib/**'], [component('cart', ['src/**'])])).toEqual([])
})

/** The rule of contract §5.1 written down as slowly as it is said, for globs without brackets and escapes. */
function slowOwner(path: string, components: ComponentGlobs[]): string | undefined {
  const matches = (glob: string) => picomatch.isMatch(path, glob, { dot: true })
  const claims = components
    .filter(({ exclude_globs }) => !exclude_globs.some(matches))
    .flatMap(({ id, position, path_globs }) =>
      path_globs.filter(matches).map((glob) => {
        const prefix = glob.split('*')[0]!.split('{')[0]!
        return { id, position, prefix: prefix.length, literals: glob.replace(/\*|\{[^}]*\}/g, '').length }
      }),
    )
  let best = claims[0]
  for (const claim of claims) {
    if (best === undefined) break
    const better =
      claim.prefix !== best.prefix
        ? claim.prefix > best.prefix
        : claim.literals !== best.literals
          ? claim.literals > best.literals
          : claim.position !== best.position
            ? claim.position > best.position
            : claim.id < best.id
    if (better) best = claim
  }
  return best?.id
}

test('attribution says what the rule says', () => {
  const folder = fc.constantFrom('src', 'cart', 'pay', '.hidden', 'a')
  const file = fc.constantFrom('a.ts', 'b.ts', 'b.test.ts', '.env')
  const path = fc.tuple(fc.array(folder, { maxLength: 3 }), file).map(([folders, name]) => [...folders, name].join('/'))
  const part = fc.oneof(folder, fc.constantFrom('*', '{src,cart}', 'c*', '**'))
  const last = fc.oneof(file, fc.constantFrom('*', '**', '*.ts', '*.{ts,tsx}', '*.test.*'))
  const glob = fc.tuple(fc.array(part, { maxLength: 2 }), last).map(([parts, end]) => [...parts, end].join('/'))
  const drawn = fc.record({
    path_globs: fc.array(glob, { minLength: 1, maxLength: 4 }),
    exclude_globs: fc.array(glob, { maxLength: 1 }),
    position: fc.nat(2),
  })
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 6 }), fc.array(path, { maxLength: 10 }), (globs, paths) => {
      const components = globs.map((one, index) => ({ id: `c${String(index)}`, ...one }))
      const compiled = compileComponents(components)
      for (const one of paths) expect(compiled.findOwner(one)).toBe(slowOwner(one, components))
    }),
    { numRuns: 300 },
  )
})
