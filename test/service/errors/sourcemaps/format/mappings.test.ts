import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { encodeMappings, encodeVlq, mapText, type Fields } from './encode.ts'
import { defectOf, mappingsOf } from './reading.ts'

const read = (mappings: string) => mappingsOf(mapText({ mappings, sources: ['a', 'b', 'c'], names: ['x', 'y', 'z'] }))
const refused = (mappings: string) => defectOf(mapText({ mappings, sources: ['a', 'b'], names: ['x', 'y'] }))

test.each<[what: string, mappings: string, expected: number[][]]>([
  ['nothing', '', []],
  ['empty lines', ';;;;', []],
  ['one field: code without a source', 'C', [[0, 1, -1, 0, 0, -1]]],
  ['four fields', 'CCEG', [[0, 1, 1, 2, 3, -1]]],
  ['five fields', 'CCEGE', [[0, 1, 1, 2, 3, 2]]],
  [
    'several lines',
    'AAAA;;CACA',
    [
      [0, 0, 0, 0, 0, -1],
      [2, 1, 0, 1, 0, -1],
    ],
  ],
  ['a last line without segments', 'AAAA;', [[0, 0, 0, 0, 0, -1]]],
])('reads %s', (_what, mappings, expected) => {
  expect(read(mappings)).toEqual(expected)
})

test('the generated column begins anew with each line, all other fields go on', () => {
  const lines: Fields[][] = [
    [
      [4, 1, 5, 6, 1],
      [9, 2, 4, 0, 2],
    ],
    [],
    [[3, 0, 7, 2, 0], [5], [8, 1, 7, 2]],
  ]
  expect(read(encodeMappings(lines))).toEqual([
    [0, 4, 1, 5, 6, 1],
    [0, 9, 2, 4, 0, 2],
    [2, 3, 0, 7, 2, 0],
    [2, 5, -1, 0, 0, -1],
    [2, 8, 1, 7, 2, -1],
  ])
})

test('segments that step back are accepted and come in order, those of one column as written', () => {
  const line: Fields[] = [[7, 0, 1, 0], [2, 0, 2, 0], [2, 1, 3, 0, 1], [9], [0, 0, 5, 0], [2]]
  expect(read(encodeMappings([[[1, 0, 0, 0]], line, [[0, 0, 6, 0]]]))).toEqual([
    [0, 1, 0, 0, 0, -1],
    [1, 0, 0, 5, 0, -1],
    [1, 2, 0, 2, 0, -1],
    [1, 2, 1, 3, 0, 1],
    [1, 2, -1, 0, 0, -1],
    [1, 7, 0, 1, 0, -1],
    [1, 9, -1, 0, 0, -1],
    [2, 0, 0, 6, 0, -1],
  ])
})

test.each<[what: string, vlq: string, value: number]>([
  ['one digit', 'C', 1],
  ['two digits, the lower first', 'iB', 17],
  ['five digits', 'gkh9B', 1_000_000],
  ['the largest number', '+/////D', 2 ** 31 - 1],
  ['zeros after a number', `i${'g'.repeat(2_000)}A`, 1],
])('a number may be %s', (_what, vlq, value) => {
  expect(read(vlq)).toEqual([[0, value, -1, 0, 0, -1]])
})

test('each field may hold the largest number', () => {
  expect(read('+/////DA+/////D+/////DA')).toEqual([[0, 2 ** 31 - 1, 0, 2 ** 31 - 1, 2 ** 31 - 1, 0]])
})

test('a number may be negative, down to the least of 32 bits', () => {
  expect(read(encodeMappings([[[20, 2, 9, 9, 2]], [[0, 0, 0, 0, 0]]]))).toContainEqual([1, 0, 0, 0, 0, 0])
  const least = encodeVlq(-(2 ** 31 - 1))
  expect(read(`+/////DA+/////DA;AA${least}A`)).toContainEqual([1, 0, 0, 0, 0, -1])
  // "Minus zero" is −2³¹ (VLQSignedValue), which no field can reach from 2³¹ − 1 without going below 0.
  expect(refused('+/////D,B')).toEqual([
    'generated-column',
    'Segment 2 of line 1 in mappings has the negative generated column -1.',
  ])
})

test.each([
  [
    'a character that is not a base64 digit',
    '0!',
    'vlq-character',
    'Segment 1 of line 1 in mappings holds the character U+0021 !, which is not a base64 digit.',
  ],
  [
    'the padding of base64',
    'AAAA;A=',
    'vlq-character',
    'Segment 1 of line 2 in mappings holds the character U+003D =, which is not a base64 digit.',
  ],
  [
    'another separator',
    'AAAA.0',
    'vlq-character',
    'Segment 1 of line 1 in mappings holds the character U+002E ., which is not a base64 digit.',
  ],
  [
    'white space',
    'AAAA, A',
    'vlq-character',
    'Segment 2 of line 1 in mappings holds the character U+0020, which is not a base64 digit.',
  ],
  [
    'a character beyond ASCII',
    'AAAA,A\u{1F600}',
    'vlq-character',
    'Segment 2 of line 1 in mappings holds the character U+1F600, which is not a base64 digit.',
  ],
  [
    'a number that the text cuts off',
    'AAAg',
    'vlq-continuation',
    'Segment 1 of line 1 in mappings ends in the middle of a number.',
  ],
  [
    'a number that a comma cuts off',
    'AAAg,A',
    'vlq-continuation',
    'Segment 1 of line 1 in mappings ends in the middle of a number.',
  ],
  [
    'a number that a line cuts off',
    'A,g;A',
    'vlq-continuation',
    'Segment 2 of line 1 in mappings ends in the middle of a number.',
  ],
  [
    'no field between commas',
    'A,,C',
    'segment-length',
    'Segment 2 of line 1 in mappings is empty; a segment has 1, 4 or 5 fields.',
  ],
  [
    'no field before a comma',
    ',A',
    'segment-length',
    'Segment 1 of line 1 in mappings is empty; a segment has 1, 4 or 5 fields.',
  ],
  [
    'no field after a comma',
    'A,;A',
    'segment-length',
    'Segment 2 of line 1 in mappings is empty; a segment has 1, 4 or 5 fields.',
  ],
  [
    'no field at the end',
    'A;A,',
    'segment-length',
    'Segment 2 of line 2 in mappings is empty; a segment has 1, 4 or 5 fields.',
  ],
  ['two fields', 'AAAA,CA', 'segment-length', 'Segment 2 of line 1 in mappings has 2 fields instead of 1, 4 or 5.'],
  ['three fields', 'AAA', 'segment-length', 'Segment 1 of line 1 in mappings has 3 fields instead of 1, 4 or 5.'],
  [
    'six fields',
    'AAAAAA',
    'segment-length',
    'Segment 1 of line 1 in mappings has more than 5 fields instead of 1, 4 or 5.',
  ],
  [
    'a column of more than 32 bits',
    'ggggggE',
    'vlq-range',
    'Segment 1 of line 1 in mappings holds a number of more than 32 bits.',
  ],
  [
    'a source of more than 32 bits',
    'AggggggEAA',
    'vlq-range',
    'Segment 1 of line 1 in mappings holds a number of more than 32 bits.',
  ],
  [
    'an original line of more than 32 bits',
    'AAggggggEA',
    'vlq-range',
    'Segment 1 of line 1 in mappings holds a number of more than 32 bits.',
  ],
  [
    'an original column of more than 32 bits',
    'AAAggggggE',
    'vlq-range',
    'Segment 1 of line 1 in mappings holds a number of more than 32 bits.',
  ],
  [
    'a name of more than 32 bits',
    'AAAAggggggE',
    'vlq-range',
    'Segment 1 of line 1 in mappings holds a number of more than 32 bits.',
  ],
  [
    'a bit far beyond the 32',
    'gggggggggggB',
    'vlq-range',
    'Segment 1 of line 1 in mappings holds a number of more than 32 bits.',
  ],
  [
    'a negative column',
    'F',
    'generated-column',
    'Segment 1 of line 1 in mappings has the negative generated column -2.',
  ],
  [
    'a column that becomes negative',
    'C,F',
    'generated-column',
    'Segment 2 of line 1 in mappings has the negative generated column -1.',
  ],
  [
    'a negative column after a line',
    'E;D',
    'generated-column',
    'Segment 1 of line 2 in mappings has the negative generated column -1.',
  ],
  ['a negative source', 'ADAA', 'source-index', 'Segment 1 of line 1 in mappings has the negative source index -1.'],
  [
    'a source that becomes negative',
    'ACAA,AFAA',
    'source-index',
    'Segment 2 of line 1 in mappings has the negative source index -1.',
  ],
  [
    'a source past the end of the list',
    'ACAA;ACAA',
    'source-index',
    'Segment 1 of line 2 in mappings has the source index 2, but the list has 2.',
  ],
  [
    'a negative original line',
    'AADA',
    'original-line',
    'Segment 1 of line 1 in mappings has the negative original line -1.',
  ],
  [
    'an original line that becomes negative',
    'AACA;AAFA',
    'original-line',
    'Segment 1 of line 2 in mappings has the negative original line -1.',
  ],
  [
    'a negative original column',
    'AAAD',
    'original-column',
    'Segment 1 of line 1 in mappings has the negative original column -1.',
  ],
  [
    'an original column that becomes negative',
    'AAAC,AAAF',
    'original-column',
    'Segment 2 of line 1 in mappings has the negative original column -1.',
  ],
  ['a negative name', 'AAAAD', 'name-index', 'Segment 1 of line 1 in mappings has the negative name index -1.'],
  [
    'a name that becomes negative',
    'AAAAC,AAAAF',
    'name-index',
    'Segment 2 of line 1 in mappings has the negative name index -1.',
  ],
  [
    'a name past the end of the list',
    'AAAAE',
    'name-index',
    'Segment 1 of line 1 in mappings has the name index 2, but the list has 2.',
  ],
  [
    'a column past 2^31 - 1',
    '+/////D,C',
    'position-range',
    'Segment 2 of line 1 in mappings has the generated column 2147483648, past 2^31 - 1.',
  ],
])('refuses %s', (_what, mappings, rule, message) => {
  expect(refused(mappings)).toEqual([rule, message])
})

test('refuses a source or name when the map has none', () => {
  expect(defectOf(mapText({ mappings: 'AAAA', sources: [] }))[0]).toBe('source-index')
  expect(defectOf(mapText({ mappings: 'AAAAA', names: undefined }))[0]).toBe('name-index')
})

const field = fc.integer({ min: 0, max: 2 ** 31 - 1 })
const index = fc.nat(2)
const segment: fc.Arbitrary<Fields> = fc.oneof(
  fc.tuple(field),
  fc.tuple(field, index, field, field),
  fc.tuple(field, index, field, field, index),
)

test('reads back every segment that was written, of each line by column', () => {
  fc.assert(
    fc.property(fc.array(fc.array(segment, { maxLength: 6 }), { maxLength: 6 }), (lines) => {
      const expected = lines.flatMap((segments, line) =>
        segments
          .toSorted(([a], [b]) => a - b)
          .map(([generated, source = -1, original = 0, column = 0, name = -1]) =>
            Array.of(line, generated, source, original, column, name),
          ),
      )
      expect(read(encodeMappings(lines))).toEqual(expected)
    }),
  )
})

test('whatever the text, it is read or refused with a rule', () => {
  const text = fc.string({ unit: fc.constantFrom('A', 'C', 'D', 'E', 'g', 'i', '+', '/', ',', ';', '=', '\u00E9') })
  fc.assert(
    fc.property(text, (mappings) => {
      const outcome = (() => {
        try {
          return read(mappings).every((numbers) => numbers.every((number) => Number.isInteger(number) && number >= -1))
        } catch {
          return refused(mappings)[0] !== ''
        }
      })()
      expect(outcome).toBe(true)
    }),
  )
})

test('millions of empty lines and an endless number are read without holding them', () => {
  expect(read(`${';'.repeat(5_000_000)}CAAA`)).toEqual([[5_000_000, 1, 0, 0, 0, -1]])
  expect(read(`i${'g'.repeat(5_000_000)}A`)).toEqual([[0, 1, -1, 0, 0, -1]])
})

test('a line that is not in order has a limit of segments; one that is in order has none', () => {
  const inOrder = 'C,'.repeat(4_200_000)
  expect(defectOf(mapText({ mappings: `${inOrder}D` }))).toEqual([
    'unordered-line',
    'Segment 4194305 of line 1 in mappings exceeds the limit for a line whose segments are not in order.',
  ])
  let last = 0
  readSourceMap(mapText({ mappings: `${inOrder}C` })).eachMapping((_line, column) => (last = column))
  expect(last).toBe(4_200_001)
})
