import { join } from 'node:path'
import { transformSync, type TransformOptions } from 'esbuild'
import { expect, test } from 'vitest'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { functionName } from '../../../../../src/service/errors/sourcemaps/scopes/function-name.ts'
import { openScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/scope-table.ts'
import { writeScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/write-scope-table.ts'
import { openMapTable, writeMapTable } from '../../../../../src/service/errors/sourcemaps/table/map-table.ts'
import { inFolder } from './tables.ts'

interface Minified {
  code: string
  map: string
}

function minify(original: string, options: TransformOptions = {}): Minified {
  return transformSync(original, {
    loader: 'ts',
    minify: true,
    sourcemap: true,
    target: 'esnext',
    format: 'esm',
    ...options,
  })
}

interface Asked {
  /** What stands at the position in the minified code, all on one line. */
  at: string
  caller?: string
  withoutScopes?: boolean
}

function nameIn({ code, map }: Minified, { at, caller, withoutScopes }: Asked): string {
  const position = (text: string) => {
    expect(code.split('\n')[0]).toContain(text)
    return { line: 0, column: code.indexOf(text) }
  }
  return inFolder((folder) => {
    writeScopeTable(code, join(folder, 'scopes'))
    writeMapTable(readSourceMap(map), join(folder, 'map'))
    const tables = { map: openMapTable(join(folder, 'map')), scopes: openScopeTable(join(folder, 'scopes')) }
    try {
      const known = withoutScopes ? { ...tables, scopes: undefined } : tables
      return functionName(position(at), known, caller === undefined ? undefined : position(caller))
    } finally {
      tables.map.close()
      tables.scopes.close()
    }
  })
}

const withoutText = { sourcesContent: false }
const cart =
  'class Cart { add(line) { throw new Error("HERE") } get total() { return HERE() } #sum = () => HERE2() }; use(Cart)'

test('a method is named with its class, a getter like its property', () => {
  const minified = minify(cart)
  expect(minified.code).not.toMatch(/class Cart/)
  expect(nameIn(minified, { at: '"HERE"' })).toBe('Cart.add')
  expect(nameIn(minified, { at: 'HERE()' })).toBe('Cart.total')
  expect(nameIn(minified, { at: 'HERE2()' })).toBe('Cart.#sum')
})

test('names come from the names of the map when it holds no text', () => {
  const minified = minify(cart, withoutText)
  expect(minified.code).not.toMatch(/class Cart/)
  expect(nameIn(minified, { at: '"HERE"' })).toBe('Cart.add')
  expect(nameIn(minified, { at: 'HERE()' })).toBe('Cart.total')
})

test('a name that the bundler made up gives way to the one in the text', () => {
  // esbuild names a class with static members `_Store` in the map.
  const minified = minify('export class Store { static first = 1; static open() { return HERE(Store.first) } }')
  expect(nameIn(minified, { at: 'HERE' })).toBe('Store.open')
})

test('a function has its own name before that of the variable, though minifiers drop it', () => {
  const minified = minify('const round = function roundCents(price) { return HERE(price) }; use(round, round)')
  expect(minified.code).not.toContain('roundCents')
  expect(nameIn(minified, { at: 'HERE' })).toBe('roundCents')
})

test('a callback has no name, whatever it is called by', () => {
  const minified = minify('function each(visit) { CALL(visit) }; items.forEach((item) => { HERE(item) }); each()')
  expect(nameIn(minified, { at: 'HERE' })).toBe('')
  expect(nameIn(minified, { at: 'HERE', caller: 'CALL' })).toBe('')
})

test('a callback is not named after the function that it is passed to', () => {
  const minified = minify('text.replaceAll(/[(]/g, (found) => {\n  return HERE(found)\n}); later()')
  expect(nameIn(minified, { at: 'HERE', caller: 'replaceAll' })).toBe('')
  expect(nameIn(minified, { at: 'HERE', caller: 'replaceAll', withoutScopes: true })).toBe('')
  // What is called after that call says how the function is called.
  const passed = minify('register(1, (found) => HERE(found)); later()')
  expect(nameIn(passed, { at: 'HERE', caller: 'later' })).toBe('later')
})

test('a keyword that a bundler maps as a name is none, a name that is a keyword elsewhere is one', () => {
  const minified = minify('use({ [key]: () => HERE2() }); CALL()')
  const mapped = (name: string) => {
    const column = vlq(minified.code.indexOf('CALL'))
    return JSON.stringify({ version: 3, sources: ['a.js'], names: [name], mappings: `${column}AAAA` })
  }
  const named = (name: string) => nameIn({ code: minified.code, map: mapped(name) }, { at: 'HERE2', caller: 'CALL' })
  expect([named('return'), named('this'), named('get')]).toEqual(['', '', 'get'])
})

test('code outside of functions has no name', () => {
  expect(nameIn(minify('CALL(); HERE()'), { at: 'HERE', caller: 'CALL' })).toBe('')
})

test('without the functions of the minified file the call in the frame of the caller names the function', () => {
  const minified = minify('import { load as read } from "a"; function f() { read(HERE); new Cart(1) } f()')
  const call = /(\w+)\(HERE/.exec(minified.code)?.[0] ?? ''
  expect(call).not.toMatch(/read|load/)
  expect(nameIn(minified, { at: 'HERE', caller: call, withoutScopes: true })).toBe('read')
  expect(nameIn(minified, { at: 'HERE', caller: 'new Cart', withoutScopes: true })).toBe('new Cart')
  expect(nameIn(minified, { at: 'HERE', caller: 'ERE', withoutScopes: true })).toBe('')
  expect(nameIn(minified, { at: 'HERE', withoutScopes: true })).toBe('')
})

test('a function of which the map says nothing is named by its key, else by the call in the frame of the caller', () => {
  const minified = minify('use({ add: () => HERE(), [key]: () => HERE2() }); CALL()')
  const sources = ['a.js']
  const column = vlq(minified.code.indexOf('CALL'))
  const map = JSON.stringify({ version: 3, sources, names: ['add', 'CALL'], mappings: `${column}AAAC` })
  expect(nameIn({ code: minified.code, map }, { at: 'HERE' })).toBe('add')
  expect(nameIn({ code: minified.code, map }, { at: 'HERE2' })).toBe('')
  expect(nameIn({ code: minified.code, map }, { at: 'HERE2', caller: 'CALL' })).toBe('CALL')
})

test('the number of a module, by which a bundler calls it, is no name', () => {
  const { code, map } = minify('run({ 507: () => HERE(), "./a.js": () => HERE2() })')
  const bare = JSON.stringify({ version: 3, sources: ['a.js'], names: [], mappings: 'AAAA' })
  expect(nameIn({ code, map: bare }, { at: 'HERE' })).toBe('')
  expect(nameIn({ code, map: bare }, { at: 'HERE2' })).toBe('')
  expect(nameIn({ code, map }, { at: 'HERE' })).toBe('507')
  expect(nameIn({ code, map }, { at: 'HERE2' })).toBe('./a.js')
})

test('names come from the map when the text of a source is shorter than the map says', () => {
  const minified = minify(cart)
  const parsed = JSON.parse(minified.map) as { sourcesContent: string[] }
  const map = JSON.stringify({ ...parsed, sourcesContent: ['short'] })
  expect(nameIn({ code: minified.code, map }, { at: '"HERE"' })).toBe('Cart.add')
})

/** A number as the mappings of a source map have it. */
function vlq(value: number): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  let rest = value * 2
  let encoded = ''
  do {
    const digit = rest % 32
    rest = Math.floor(rest / 32)
    encoded += digits[rest > 0 ? digit + 32 : digit] ?? ''
  } while (rest > 0)
  return encoded
}
