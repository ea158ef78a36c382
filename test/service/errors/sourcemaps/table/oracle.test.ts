import { join } from 'node:path'
import { FlattenMap, TraceMap, traceSegment } from '@jridgewell/trace-mapping'
import { build } from 'esbuild'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { openMapTable, type MapTable } from '../../../../../src/service/errors/sourcemaps/table/map-table.ts'
import { encodeMappings, mapText, type Fields } from '../format/encode.ts'
import { folder, opened, written } from './tables.ts'

/** Where a position comes from, by the other reader of source maps: source, line, column and name; '' for nowhere. */
function expected(map: TraceMap, line: number, column: number): string {
  const [, source, originalLine, originalColumn, name] = traceSegment(map, line, column) ?? []
  if (source === undefined) return ''
  return `${source}:${originalLine}:${originalColumn} ${map.names[name ?? -1] ?? ''}`
}

function found(table: MapTable, line: number, column: number): string {
  const mapping = table.find(line, column)
  if (mapping === undefined || mapping.source === -1) return ''
  return `${mapping.source}:${mapping.line}:${mapping.column} ${mapping.name}`
}

/** The positions, of lines so long, at which the two do not say the same. */
function differences(table: MapTable, map: TraceMap, lengths: readonly number[]): string[] {
  const different: string[] = []
  for (const [line, length] of lengths.entries()) {
    for (let column = 0; column <= length; column++) {
      const [is, should] = [found(table, line, column), expected(map, line, column)]
      if (is !== should) different.push(`${line}:${column} is ${is}, not ${should}`)
    }
  }
  return different
}

const small = fc.nat(9)
const segment: fc.Arbitrary<Fields> = fc.oneof(
  fc.tuple(small),
  fc.tuple(small, fc.nat(1), small, small),
  fc.tuple(small, fc.nat(1), small, small, fc.nat(2)),
)
const lines = fc.array(fc.array(segment, { maxLength: 8 }), { maxLength: 6 })
const lists = { sources: ['a.js', null], names: ['x', 'y', 'z'] }

test('every lookup of a random map is that of trace-mapping, unsorted and doubled columns included', () => {
  const path = join(folder(), 'table')
  fc.assert(
    fc.property(lines, (mappings) => {
      const text = mapText({ ...lists, mappings: encodeMappings(mappings) })
      const table = openMapTable(written(text, path))
      expect(differences(table, new TraceMap(text), [...mappings.map(() => 10), 10])).toEqual([])
      table.close()
    }),
    { numRuns: 150 },
  )
})

test('every lookup of a random index map is that of trace-mapping', () => {
  const path = join(folder(), 'table')
  const piece = fc.record({ mappings: lines, gap: fc.nat(2), column: fc.nat(5) })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
      let next = 0
      const sections = pieces.map(({ mappings, gap, column }) => {
        const line = next + gap
        next = line + Math.max(mappings.length, 1)
        return { offset: { line, column }, map: { version: 3, ...lists, mappings: encodeMappings(mappings) } }
      })
      const text = JSON.stringify({ version: 3, sections })
      const table = openMapTable(written(text, path))
      expect(
        differences(
          table,
          new FlattenMap(text),
          Array.from({ length: next + 1 }, () => 16),
        ),
      ).toEqual([])
      table.close()
    }),
    { numRuns: 100 },
  )
})

test('every lookup of a map of many blocks is that of trace-mapping', () => {
  const path = join(folder(), 'table')
  const block = fc.array(segment, { minLength: 600, maxLength: 900 })
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 2 }), (mappings) => {
      // Columns as far apart as they are drawn, so that a line goes through all blocks.
      let column = 0
      const spread = mappings.map((fields) =>
        fields.map((one): Fields => {
          const moved: Fields = [...one]
          moved[0] = column += one[0] % 3
          return moved
        }),
      )
      const text = mapText({ ...lists, mappings: encodeMappings(spread) })
      const table = openMapTable(written(text, path))
      expect(differences(table, new TraceMap(text), [...spread.map(() => column + 1), 0])).toEqual([])
      table.close()
    }),
    { numRuns: 10 },
  )
})

async function bundle(contents: string, minify: boolean): Promise<{ code: string; map: string }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    outfile: 'bundle.js',
    bundle: true,
    platform: 'node',
    format: 'esm',
    sourcemap: 'external',
    write: false,
    minify,
  })
  const [map = '', code = ''] = ['.map', '.js'].map((end) => outputFiles.find(({ path }) => path.endsWith(end))?.text)
  return { code, map }
}

/** The length of each line, and one more column to look beyond its end. */
const lineLengths = (code: string) => code.split('\n').map((line) => line.length + 1)

test.each([true, false])('every position of a real bundle (minified: %s) is that of trace-mapping', async (minify) => {
  const { code, map } = await bundle("export * from 'acorn'; export * from 'picomatch'", minify)
  const table = opened(map)
  const trace = new TraceMap(map)
  expect(code.length).toBeGreaterThan(100_000)
  expect(differences(table, trace, lineLengths(code))).toEqual([])
  expect(table.sources.map(({ name }) => name)).toEqual(trace.sources)
  const texts = trace.sourcesContent?.map((text) => text?.replace(/\n$/, '').split('\n'))
  expect(table.sources.map((_, source) => table.lines(source, 0, Infinity))).toEqual(texts)
})

test('every position of two real bundles in one index map is that of trace-mapping', async () => {
  const [one, two] = [await bundle("export * from 'acorn'", true), await bundle("export * from 'lru-cache'", true)]
  const first = one.code.split('\n')
  const sections = [
    { offset: { line: 0, column: 0 }, map: JSON.parse(one.map) as unknown },
    { offset: { line: first.length - 1, column: 7 }, map: JSON.parse(two.map) as unknown },
  ]
  const text = JSON.stringify({ version: 3, sections })
  const code = [...first.slice(0, -1), ' '.repeat(7) + two.code].join('\n')
  expect(code.length).toBeGreaterThan(100_000)
  expect(readSourceMap(text).sections).toBe(2)
  expect(differences(opened(text), new FlattenMap(text), lineLengths(code))).toEqual([])
})

test.each(['\n', '\r\n', '\r', '\u2028', '\u2029'])('a line ends with %j where a bundler ends it', async (end) => {
  const source = ['/* first', 'second */', 'export function fail() {', "throw new Error('here')", '}', ''].join(end)
  const { code, map } = await bundle(source, false)
  const lines = code.split('\n')
  const line = lines.findIndex((text) => text.includes('throw'))
  const found = opened(map).find(line, lines[line]!.indexOf('throw'))!
  expect(opened(map).lines(found.source, found.line, found.line + 1)).toEqual(["throw new Error('here')"])
})
