import { expect, test } from 'vitest'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { section } from './encode.ts'
import { defectOf, mappingsOf } from './reading.ts'

const index = (sections: unknown, members: Record<string, unknown> = {}) =>
  JSON.stringify({ version: 3, sections, ...members })

test('sections become one map: lists behind each other, positions moved, the column on the first line only', () => {
  const text = index([
    section(0, 0, { sources: ['a', 'b'], names: ['x'], mappings: 'AAAAA,CCAA;E', ignoreList: [1] }),
    section(1, 10, { sources: ['c'], names: ['y'], sourcesContent: ['text'], mappings: 'CAAA;CAAAA', ignoreList: [0] }),
  ])
  const map = readSourceMap(text)
  expect(map).toMatchObject({ sources: ['a', 'b', 'c'], names: ['x', 'y'], sections: 2 })
  expect(map.sourcesContent).toEqual([null, null, 'text'])
  expect([...map.ignored]).toEqual([1, 2])
  expect(mappingsOf(text)).toEqual([
    [0, 0, 0, 0, 0, 0],
    [0, 1, 1, 0, 0, -1],
    [1, 2, -1, 0, 0, -1],
    [1, 11, 2, 0, 0, -1],
    [2, 1, 2, 0, 0, 1],
  ])
})

test.each<[what: string, text: string]>([
  ['no section', index([])],
  ['no file', index([section(0, 0)])],
  ['a file', index([section(0, 0)], { file: 'app.js' })],
  ['sections without mappings', index([section(0, 0, { mappings: '' }), section(0, 1, { mappings: ';;' })])],
  ['a mapping that ends where the next section begins', index([section(0, 0, { mappings: 'AAAA,E' }), section(0, 2)])],
  ['sections with members nobody knows', index([{ ...section(0, 0), note: 1 }], { note: 1 })],
  ['the largest offset', index([section(2 ** 31 - 1, 2 ** 31 - 1)])],
])('an index map with %s is accepted', (_what, text) => {
  expect(() => mappingsOf(text)).not.toThrow()
})

const withOffset = (offset: unknown) => index([{ ...section(0, 0), offset }])
const withMap = (map: unknown) => index([{ ...section(0, 0), map }])

test.each<[message: string, rule: string, text: string]>([
  ['sections must be a list, but is a string.', 'sections', index('a')],
  ['sections must be a list, but is null.', 'sections', index(null)],
  ['sections[0] must be an object, but is null.', 'sections', index([null])],
  ['version must be the number 3, but is a string.', 'version', index([], { version: '3' })],
  ['file must be a string, but is a list.', 'file', index([section(0, 0)], { file: [] })],
  ['file must be a string, but is the number 2.', 'file', index([section(0, 0)], { file: 2 })],
  [
    'A map has either sections or mappings; this one has both.',
    'sections-and-mappings',
    index([section(0, 0)], { mappings: 'AAAA' }),
  ],
  ['sections[0].offset must be an object, but is missing.', 'section-offset', withOffset(undefined)],
  ['sections[0].offset must be an object, but is the number 0.', 'section-offset', withOffset(0)],
  [
    'sections[0].offset.line must be a whole number from 0 to 2147483647, but is missing.',
    'section-offset',
    withOffset({ column: 0 }),
  ],
  [
    'sections[0].offset.column must be a whole number from 0 to 2147483647, but is missing.',
    'section-offset',
    withOffset({ line: 0 }),
  ],
  [
    'sections[0].offset.line must be a whole number from 0 to 2147483647, but is a boolean.',
    'section-offset',
    withOffset({ line: true, column: 0 }),
  ],
  [
    'sections[0].offset.column must be a whole number from 0 to 2147483647, but is a string.',
    'section-offset',
    withOffset({ line: 0, column: '0' }),
  ],
  [
    'sections[0].offset.line must be a whole number from 0 to 2147483647, but is the number 0.5.',
    'section-offset',
    withOffset({ line: 0.5, column: 0 }),
  ],
  [
    'sections[0].offset.column must be a whole number from 0 to 2147483647, but is the number -1.',
    'section-offset',
    withOffset({ line: 0, column: -1 }),
  ],
  [
    'sections[0].offset.line must be a whole number from 0 to 2147483647, but is too large a number.',
    'section-offset',
    withOffset({ line: 0, column: 0 }).replace('"line":0', '"line":1e999'),
  ],
  ['sections[0].map must be an object, but is missing.', 'section-map', withMap(undefined)],
  ['sections[0].map must be an object, but is a string.', 'section-map', withMap('app.js.map')],
  ['sections[0].map.version must be the number 3, but is missing.', 'version', withMap({ sources: [], mappings: '' })],
  ['sections[0].map.mappings must be a string, but is missing.', 'mappings', withMap({ version: 3, sources: [] })],
  [
    'sections[0].map.sources[0] must be a string or null, but is the number 1.',
    'sources',
    withMap({ version: 3, sources: [1], mappings: '' }),
  ],
  [
    'sections[0].map has sections itself; an index map holds regular maps only.',
    'nested-sections',
    withMap({ version: 3, sections: [] }),
  ],
  ['sections[1] does not begin after sections[0].', 'section-order', index([section(1, 4), section(0, 0)])],
  ['sections[1] does not begin after sections[0].', 'section-order', index([section(1, 4), section(1, 3)])],
  ['sections[1] does not begin after sections[0].', 'section-order', index([section(0, 0), section(0, 0)])],
  [
    'sections[0] has mappings past the begin of the next one.',
    'section-overlap',
    index([section(0, 0, { mappings: 'AAAA,E' }), section(0, 1)]),
  ],
  [
    'sections[0] has mappings past the begin of the next one.',
    'section-overlap',
    index([section(0, 0, { mappings: 'AAAA;E,D' }), section(1, 1)]),
  ],
  [
    'Segment 2 of line 1 in sections[1].map.mappings has the source index 1, but the list has 1.',
    'source-index',
    index([section(0, 0, { sources: ['a', 'b'] }), section(1, 0, { mappings: 'AAAA,CCAA' })]),
  ],
  [
    'sections[0] has mappings past line or column 2^31 - 1.',
    'position-range',
    index([section(0, 2 ** 31 - 1, { mappings: 'C' })]),
  ],
])('refused: %s (%s)', (message, rule, text) => {
  expect(defectOf(text)).toEqual([rule, message])
})
