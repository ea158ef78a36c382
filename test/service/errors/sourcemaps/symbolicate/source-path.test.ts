import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repoPath } from '../../../../../src/service/workspace/components/repo-path.ts'
import { isLibrarySource, sourcePath } from '../../../../../src/service/errors/sourcemaps/source-path.ts'

const assets = '~/public/assets/app.js.map'

test.each([
  ['webpack://shop/./src/cart/cart.ts', 'src/cart/cart.ts'],
  ['webpack://shop/./src/cart/cart.vue?6a1c', 'src/cart/cart.vue'],
  ['webpack://@acme/shop/./src/cart/cart.ts', 'src/cart/cart.ts'],
  ['webpack://@acme/shop/src/cart/cart.ts', 'src/cart/cart.ts'],
  ['webpack://shop/src/cart/cart.ts', 'src/cart/cart.ts'],
  ['webpack:///./src/cart/cart.ts', 'src/cart/cart.ts'],
  ['webpack:///src/cart/cart.ts', 'src/cart/cart.ts'],
  ['webpack:///./~/vue/vue.js', 'node_modules/vue/vue.js'],
  ['webpack:///../packages/core/a.ts', 'packages/core/a.ts'],
  ['webpack://_N_E/(app-pages-browser)/./src/app/[slug]/page.tsx', 'src/app/[slug]/page.tsx'],
  ['webpack-internal:///(rsc)/./src/app/page.tsx', 'src/app/page.tsx'],
  ['turbopack:///[project]/src/app/page.tsx', 'src/app/page.tsx'],
  ['turbopack://[project]/src/app/page.tsx', 'src/app/page.tsx'],
  ['webpack://shop/webpack/bootstrap', 'webpack/bootstrap'],
  ['../../../src/web/main.ts', 'src/web/main.ts'],
  ['./../src/./web/../web/main.ts', 'src/web/main.ts'],
  ['~/src/web/main.ts', 'src/web/main.ts'],
  ['https://shop.example/src/web/main.ts?v=3', 'src/web/main.ts'],
  ['app:///src/web/main.ts', 'src/web/main.ts'],
  ['file:///home/ci/shop/src/web/main.ts', 'home/ci/shop/src/web/main.ts'],
  ['/home/ci/shop/src/web/main.ts', 'home/ci/shop/src/web/main.ts'],
  ['C:\\ci\\shop\\src\\web\\main.ts', 'ci/shop/src/web/main.ts'],
  ['../../node_modules/.pnpm/vue@3/node_modules/vue/index.js', 'node_modules/.pnpm/vue@3/node_modules/vue/index.js'],
  ['src/pages/[...slug].tsx', 'src/pages/[...slug].tsx'],
  ['\0vite/preload-helper', 'vite/preload-helper'],
  ['data:text/javascript,alert(1)', ''],
  ['', ''],
])('the source %s is the file %s', (name, path) => {
  expect(sourcePath(name, assets)).toBe(path)
})

test('a file that was compiled where it stands is in the folder of its map', () => {
  expect(sourcePath('cart.ts', '~/src/cart/cart.js.map')).toBe('src/cart/cart.ts')
  expect(sourcePath('./cart.ts', 'https://shop.example/src/cart/cart.js.map')).toBe('src/cart/cart.ts')
  expect(sourcePath('App.tsx', '~/static/js/main.4f3a2b1c.js.map')).toBe('App.tsx')
})

test('an absolute path of the build machine becomes the file of the repository by its prefixes', () => {
  const filename = sourcePath('file:///home/ci/shop/src/web/main.ts', assets)
  const roots = { root_path: '/home/ci/shop', path_strip_prefixes: [] }
  expect(repoPath({ filename, abs_path: '' }, roots)).toBe('src/web/main.ts')
})

test('no path is absolute, leaves its root or holds an empty segment', () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '~', '', 'src', 'C:', 'webpack:', '//', '/./', '@acme', '(rsc)', '[project]', '\\'),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  )
  const name = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/'))
  const prefixed = fc.tuple(fc.constantFrom('', 'webpack://', 'file://', 'turbopack:///', '../', '/'), name)
  fc.assert(
    fc.property(prefixed, name, ([prefix, rest], map) => {
      const path = sourcePath(prefix + rest, `${map}.map`)
      const segments = path.split('/')
      expect(path === '' || segments.every((segment) => !['', '.', '..'].includes(segment))).toBe(true)
      expect(path.length).toBeLessThanOrEqual(512)
    }),
  )
})

test.each([
  ['webpack://shop/./node_modules/vue/index.js', true],
  ['webpack:///./~/vue/vue.js', true],
  ['webpack://shop/webpack/runtime/jsonp chunk loading', true],
  ['webpack://shop/external commonjs "fs"', true],
  ['turbopack:///[turbopack]/browser/runtime.ts', true],
  ['\0commonjsHelpers.js', true],
  ['\0some-plugin:made-up', true],
  ['../../src/vite/plugin.ts', false],
  ['../../src/web/main.ts', false],
])('whether %s is of a library: %s', (name, expected) => {
  expect(isLibrarySource(name, sourcePath(name, assets))).toBe(expected)
})
