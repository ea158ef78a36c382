import { appendFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSourceMap, SourceMapDefect } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { writeScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/write-scope-table.ts'
import { openMapTable, writeMapTable } from '../../../../../src/service/errors/sourcemaps/table/map-table.ts'
import { writeText } from '../../../../../src/service/errors/sourcemaps/table/texts.ts'
import { cachePieces } from '../../../../../src/service/errors/sourcemaps/table/pieces.ts'
import { encodeMappings, mapText, section, type Fields } from '../format/encode.ts'
import { folder, opened, written } from './tables.ts'

test('a table answers with the source, position and name of the last mapping at or before', () => {
  const table = opened(
    mapText({ mappings: encodeMappings([[[2, 0, 5, 7, 0]], [], [[0, 0, 1, 1], [4], [9, 0, 3, 0]]]) }),
  )
  expect(table.find(0, 1)).toBeUndefined()
  expect(table.find(0, 2)).toEqual({ source: 0, line: 5, column: 7, name: 'a' })
  expect(table.find(0, 1_000_000)).toEqual({ source: 0, line: 5, column: 7, name: 'a' })
  expect(table.find(1, 0)).toBeUndefined()
  expect(table.find(2, 3)).toEqual({ source: 0, line: 1, column: 1, name: '' })
  expect(table.find(2, 4)).toEqual({ source: -1, line: 0, column: 0, name: '' })
  expect(table.find(2, 9)).toEqual({ source: 0, line: 3, column: 0, name: '' })
  expect(table.find(3, 0)).toBeUndefined()
})

test('sources keep their names, null is an empty one, and whether they are third party code', () => {
  const sources = ['webpack:///./src/a b.ts', null, '\uD800 lone', 'ünï.js']
  expect(opened(mapText({ sources, ignoreList: [2], sourceRoot: 'r' })).sources).toEqual([
    { name: 'webpack:///./src/a b.ts', ignored: false },
    { name: '', ignored: false },
    { name: 'r/\uD800 lone', ignored: true },
    { name: 'r/ünï.js', ignored: false },
  ])
})

test('names of any length and script come back', () => {
  const names = [
    '',
    'x',
    'a\u2028b\u2029\r\n',
    'é'.repeat(31),
    'n'.repeat(63),
    'n'.repeat(64),
    '名'.repeat(5_000),
    'last',
  ]
  const table = opened(mapText({ names, mappings: encodeMappings([names.map((_, name) => [name, 0, 0, 0, name])]) }))
  expect(names.map((_, column) => table.find(0, column)?.name)).toEqual(names)
})

test('the largest positions come back', () => {
  const most = 2 ** 31 - 1
  const lines: Fields[][] = [
    [
      [0, 1, most, 0, 0],
      [most, 0, 0, most, 0],
    ],
  ]
  const table = opened(mapText({ sources: ['a', 'b'], mappings: encodeMappings(lines) }))
  expect(table.find(0, most - 1)).toEqual({ source: 1, line: most, column: 0, name: 'a' })
  expect(table.find(0, most)).toEqual({ source: 0, line: 0, column: most, name: 'a' })
  const far = opened(JSON.stringify({ version: 3, sections: [section(0, 0), section(most, most)] }))
  expect(far.find(most, most)).toEqual({ source: 1, line: 0, column: 0, name: '' })
  expect(far.find(most - 1, most)).toBeUndefined()
})

test.each([1, 510, 511, 512, 513])(
  'of segments at one position, after %i others, the first answers for it and the last for what follows',
  (others) => {
    const same = Array.from({ length: 1_000 }, (_, at): Fields => [others, 0, at, 0])
    const before = Array.from({ length: others }, (_, column): Fields => [column])
    const table = opened(mapText({ mappings: encodeMappings([[...before, ...same, [others + 2, 0, 5_000, 0]]]) }))
    expect(table.find(0, others - 1)?.source).toBe(-1)
    expect(table.find(0, others)?.line).toBe(0)
    expect(table.find(0, others + 1)?.line).toBe(999)
    expect(table.find(0, others + 2)?.line).toBe(5_000)
  },
)

test('a table without mappings, sources or names opens and finds nothing', () => {
  const table = opened(mapText({ sources: [], names: [], mappings: ';;;' }))
  expect(table.sources).toEqual([])
  expect(table.find(0, 0)).toBeUndefined()
  expect(table.lines(0, 0, 1)).toBeUndefined()
})

test('the text of each source comes back, and none is not an empty one', () => {
  const texts = ['const a = 1\n', null, '', 'é😀\r\n\u2028', 'x'.repeat(200_000)]
  const table = opened(mapText({ sources: texts.map(() => 'a'), sourcesContent: texts }))
  expect(texts.map((_, source) => table.lines(source, 0, Infinity))).toEqual([
    ['const a = 1'],
    undefined,
    [],
    ['é😀', ''],
    ['x'.repeat(200_000)],
  ])
  expect([1, 5, -1, 0.5].map((source) => table.lines(source, 0, 3))).toEqual(Array(4).fill(undefined))
})

test.each([
  ['a\nb\nc', ['a', 'b', 'c']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['\n\na\n\n', ['', '', 'a', '']],
  ['a', ['a']],
  ['a\rb\r\rc\r', ['a', 'b', '', 'c']],
  ['a\u2028b\u2029\nc', ['a', 'b', '', 'c']],
])('the lines of %j are %j', (text, lines) => {
  const table = opened(mapText({ sourcesContent: [text] }))
  expect(table.lines(0, 0, 100)).toEqual(lines)
  expect(table.lines(0, 1, 2)).toEqual(lines.slice(1, 2))
  expect(table.lines(0, 2, 2)).toEqual([])
  expect(table.lines(0, 100, 111)).toEqual([])
})

test.each(['\n', '\r\n', '\r', '\u2028', '\u2029'])(
  'a large text whose lines end with %j is stored in small pieces',
  (end) => {
    const text = `let a = 1${end}`.repeat(30_000)
    const pieces: Buffer[] = []
    const { lines } = writeText(text, (bytes) => pieces.push(Buffer.from(bytes)) - 1)
    expect(Buffer.concat(pieces).toString()).toBe(text)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(16_000)
    expect(lines).toEqual(pieces.map((_, at) => Buffer.concat(pieces.slice(0, at)).toString().split(end).length - 1))
  },
)

test('any lines of a large text are those of the whole text', () => {
  const lengths = fc.constantFrom(0, 1, 40, 5_000, 40_000)
  const endings = fc.constantFrom('\n', '\r\n', '\u2028', '\u2029')
  const line = fc.tuple(lengths, endings).map(([length, ending]) => 'é'.repeat(length) + ending)
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), fc.nat(45), fc.nat(15), (parts, first, count) => {
      const file = written(mapText({ sourcesContent: [parts.join('')] }))
      const table = openMapTable(file)
      const all = parts.map((part) => part.trimEnd())
      expect(table.lines(0, first, first + count)).toEqual(all.slice(first, first + count))
      expect(table.lines(0, 0, Infinity)).toEqual(all)
      table.close()
    }),
    { numRuns: 60 },
  )
})

test('a piece with a very long line is read once for lookups that come together', () => {
  let reads = 0
  const file = {
    contents: {},
    bytes: 0,
    read(piece: number) {
      reads += 1
      return Buffer.alloc(piece === 0 ? 20_000_000 : 1, 'x')
    },
    close() {},
  }
  const pieces = cachePieces(file, (bytes) => bytes.length)
  for (let lookup = 0; lookup < 20; lookup += 1) expect([pieces.get(0), pieces.get(1)]).toEqual([20_000_000, 1])
  expect(reads).toBe(2)
  pieces.clear()
  pieces.get(0)
  expect(reads).toBe(3)
})

test('a table in memory does not grow with the mappings it holds', () => {
  const line = Array.from({ length: 200_000 }, (_, at): Fields => [at * 3, 0, at >> 3, (at * 7) % 90])
  expect(opened(mapText({ mappings: encodeMappings([line]) })).bytes).toBeLessThan(25_000)
})

test('a map that breaks a rule leaves no file', () => {
  const path = folder()
  const broken = readSourceMap(mapText({ mappings: `${'CAAA,'.repeat(1_000)}AA` }))
  expect(() => writeMapTable(broken, join(path, 'table'))).toThrow(SourceMapDefect)
  expect(readdirSync(path)).toEqual([])
})

test('a table takes the place of one of the same name at once, and nothing else is left beside it', () => {
  const path = folder()
  const file = join(path, 'table')
  written(mapText({ mappings: 'AAAA' }), file)
  const old = openMapTable(file)
  written(mapText({ mappings: 'AACA' }), file)
  expect(readdirSync(path)).toEqual(['table'])
  expect(old.find(0, 0)?.line).toBe(0)
  old.close()
})

test('a closed table says so and is closed only once', () => {
  const table = openMapTable(written(mapText({ mappings: 'AAAA', sourcesContent: ['a'] })))
  expect([table.find(0, 0)?.line, table.lines(0, 0, 1)]).toEqual([0, ['a']])
  table.close()
  table.close()
  expect(() => table.find(0, 0)).toThrow('the table is closed')
  expect(() => table.lines(0, 0, 1)).toThrow('the table is closed')
})

test.each([0, 10, 17, 18, 100])('a table cut off after %i bytes is refused', (bytes) => {
  const file = written(mapText({ mappings: 'AAAA', sourcesContent: ['text'] }))
  truncateSync(file, bytes)
  expect(() => openMapTable(file)).toThrow('table is not a table')
})

test('a table with a byte too many, a foreign file and another format are refused', () => {
  const file = written(mapText({ mappings: 'AAAA' }))
  appendFileSync(file, '\n')
  expect(() => openMapTable(file)).toThrow('table is not a table')
  writeFileSync(file, mapText({ sources: ['a'.repeat(100)] }))
  expect(() => openMapTable(file)).toThrow('table is not a table')
  writeScopeTable('let a=()=>1', file)
  expect(() => openMapTable(file)).toThrow(/^table is a table of format functions \d+, not map \d+$/)
  expect(() => openMapTable(join(file, '..', 'none'))).toThrow('ENOENT')
})

test('whichever byte is another one, no wrong answer is given', () => {
  const file = written(mapText({ mappings: 'AAAAA;AAAA', sourcesContent: ['some text\n'] }))
  const good = readFileSync(file)
  const answers = () => {
    const table = openMapTable(file)
    try {
      return [table.find(0, 0), table.find(1, 0), table.lines(0, 0, 1)]
    } finally {
      table.close()
    }
  }
  expect(answers()).toMatchObject([{ name: 'a' }, { name: '' }, ['some text']])
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good)
    bad.writeUInt8((bad.readUInt8(at) + 1) % 256, at)
    writeFileSync(file, bad)
    expect(answers, `byte ${at}`).toThrow(/damaged|not a table/)
  }
  expect(existsSync(file)).toBe(true)
})
