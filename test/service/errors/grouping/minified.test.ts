import { expect, test } from 'vitest'
import { buildName, isBundled, isMinifiedName } from '../../../../src/service/errors/grouping/minified.ts'
import { frame } from './events.ts'

test('names of a minifier are told from words', () => {
  for (const name of ['t', 'n', '$', '_', 'Zt', 'e1', '#r', 'Xlq', 'a1b', 'aBc', 'qzx', '_0x3f2a1b']) {
    expect([name, isMinifiedName(name)]).toEqual([name, true])
  }
  for (const name of ['add', 'pay', 'try', 'Map', 'URL', '#put', 'save', 'checkout', '支付', 'é', '']) {
    expect([name, isMinifiedName(name)]).toEqual([name, false])
  }
})

test('a short name is a minifier’s only where a bundler has been', () => {
  const url = 'https://shop.example/main.js'
  const file = '/srv/shop/dist/server.js'
  expect(isBundled(frame({ filename: url, abs_path: url }))).toBe(true)
  expect(isBundled(frame({ filename: file, abs_path: file }))).toBe(false)
  expect(isBundled(frame({ filename: '/srv/shop/dist/server-QXHKOJTG.mjs' }))).toBe(true)
  expect(isBundled(frame({ filename: file, debug_id: 'd1' }))).toBe(true)
  // Lines tell more than names of files.
  expect(isBundled(frame({ filename: '/srv/dist/chunk-QXHKOJTG.js', context_line: '  go(cart)' }))).toBe(false)
  expect(isBundled(frame({ filename: file, context_line: 'go(e)', pre_context: ['x'.repeat(151)] }))).toBe(true)
  expect(isBundled(frame({ filename: file, context_line: 'function t(e){return e} {snip}' }))).toBe(true)
})

test('with a map a name is the minifier’s only where the map left it', () => {
  const original = { filename: 'a-QXHKOJTG.js', abs_path: 'a-QXHKOJTG.js', lineno: 1, colno: 9, function: 't' }
  expect(isBundled(frame({ symbolicated: true, original, function: 't' }))).toBe(true)
  expect(isBundled(frame({ symbolicated: true, original, function: 'go' }))).toBe(false)
  expect(buildName(frame({ symbolicated: true, original, filename: 'src/a.ts' }), '')).toBe('a-QXHKOJTG.js')
})

test('a build is named by the hash of its file, else the debug id, else the release', () => {
  const hashed = 'https://shop.example/app-UDWDYEYW.js?v=1'
  expect(buildName(frame({ filename: hashed, debug_id: 'd1' }), 'shop@1')).toBe('app-UDWDYEYW.js')
  expect(buildName(frame({ filename: 'https://shop.example/main.js', debug_id: 'd1' }), 'shop@1')).toBe('d1')
  expect(buildName(frame({ filename: 'https://shop.example/main.js' }), 'shop@1')).toBe('shop@1')
  expect(buildName(frame({ filename: 'https://shop.example/main.js' }), '')).toBe('')
})
