import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repoPath, type RepositoryRoots } from '../../../../src/service/workspace/components/repo-path.ts'

const nowhere: RepositoryRoots = { root_path: '', path_strip_prefixes: [] }
const shop = { root_path: '/srv/shop', path_strip_prefixes: ['/app/', 'C:\\build', 'dist/src', '/srv/shop/server'] }

const path = (filename: string, repository = nowhere, abs_path = filename) =>
  repoPath({ filename, abs_path }, repository)

test.each([
  ['src/cart.ts', 'src/cart.ts'],
  ['./src/cart.ts', 'src/cart.ts'],
  ['src//cart/./price.ts', 'src/cart/price.ts'],
  ['app:///src/cart.ts', 'src/cart.ts'],
  ['app://src/cart.ts', 'src/cart.ts'],
  ['webpack://shop/./src/cart.ts', 'src/cart.ts'],
  ['webpack://shop/src/cart.ts?a1b2', 'src/cart.ts'],
  ['webpack:///./src/cart.ts', 'src/cart.ts'],
  ['webpack:///src/cart.ts', 'src/cart.ts'],
  ['webpack-internal:///./src/cart.ts', 'src/cart.ts'],
  ['webpack-internal:///(rsc)/./src/cart.ts', 'src/cart.ts'],
  ['turbopack:///[project]/src/cart.ts', 'src/cart.ts'],
  ['~/static/app.js', 'static/app.js'],
  ['https://shop.example:8080/static/app.js?v=5#top', 'static/app.js'],
  ['file:///srv/other/a.ts', 'srv/other/a.ts'],
  ['async https://shop.example/a.js', 'a.js'],
  ['/usr/lib/shop/a.py', 'usr/lib/shop/a.py'],
  ['D:\\shop\\a.cs', 'shop/a.cs'],
  ['src/[slug]/(group)/page.tsx', 'src/[slug]/(group)/page.tsx'],
  ['src/c#/a.cs', 'src/c#/a.cs'],
  ['internal/cart.go', 'internal/cart.go'],
  ['webpack/config.js', 'webpack/config.js'],
])('%s is %s in the repository', (filename, expected) => {
  expect(path(filename)).toBe(expected)
})

test.each([
  '',
  '<anonymous>',
  '[native code]',
  'native',
  'node:internal/process',
  '/srv/node_modules/express/index.js',
  'webpack:///./node_modules/react/index.js',
  'webpack:///./~/react/index.js',
  'webpack/bootstrap',
  'webpack://shop/webpack/runtime/chunk',
  'data:text/javascript,1',
  'blob:https://x/1',
  'chrome-extension://abc/a.js',
  'src/a\u0000.ts',
  `src/${'a'.repeat(500)}.ts`,
  'https://shop.example',
])('%j is no file of the repository', (filename) => {
  expect(path(filename)).toBe('')
})

test.each([
  ['/srv/shop/src/cart.ts', 'src/cart.ts'],
  ['/srv/shop/server/api.ts', 'api.ts'],
  ['/srv/shopping/cart.ts', 'srv/shopping/cart.ts'],
  ['file:///srv/shop/src/cart.ts', 'src/cart.ts'],
  ['/app/src/cart.ts', 'src/cart.ts'],
  ['C:\\build\\src\\cart.ts', 'src/cart.ts'],
  ['webpack://shop/./dist/src/cart.ts', 'cart.ts'],
  ['dist/src/cart.ts', 'cart.ts'],
])('with the product’s prefixes %s is %s', (filename, expected) => {
  expect(path(filename, shop)).toBe(expected)
})

test('a relative root path is a folder of the repository and stays', () => {
  expect(path('packages/web/src/a.ts', { root_path: 'packages/web', path_strip_prefixes: [] })).toBe(
    'packages/web/src/a.ts',
  )
})

test('the absolute path counts where there is no file name', () => {
  expect(path('', shop, '/srv/shop/src/cart.ts')).toBe('src/cart.ts')
})

test('no frame leaves the repository', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '../',
      '..\\',
      'webpack://',
      'https://',
      'file:///',
      '~/',
      '/C:/',
      '?',
      '#',
      '/app/',
      '%2e%2e',
      'async ',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const found = path(pieces.join(''), shop)
      expect(found.split('/')).not.toContain('..')
      expect(found.startsWith('/')).toBe(false)
      expect(found).not.toMatch(/\\|^[a-z]:\//i)
      expect(found.length).toBeLessThanOrEqual(400)
    }),
  )
})

test('an absolute path below a prefix wins over a relative file name', () => {
  expect(path('ledger/web.py', shop, '/srv/shop/backend/ledger/web.py')).toBe('backend/ledger/web.py')
})

test('generated code is no file', () => {
  expect(path('<string>', shop)).toBe('')
  expect(path('<string>', shop, '/srv/shop/<string>')).toBe('')
})
