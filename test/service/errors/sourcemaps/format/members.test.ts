import { expect, test } from 'vitest'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { mapText } from './encode.ts'
import { defectOf, mappingsOf } from './reading.ts'

const valid: [what: string, members: Record<string, unknown>][] = [
  ['the version 3', { version: 3 }],
  ['no file', { file: undefined }],
  ['a file', { file: 'app.js' }],
  ['null for a file, which some tools write', { file: null }],
  ['no sourceRoot', { sourceRoot: undefined }],
  ['a sourceRoot', { sourceRoot: 'src' }],
  ['null for a sourceRoot', { sourceRoot: null }],
  ['sources with null', { sources: ['a.js', null] }],
  ['no source', { sources: [] }],
  ['no sourcesContent', { sourcesContent: undefined }],
  ['sourcesContent with null', { sources: ['a.js', 'b.js'], sourcesContent: [null, ''] }],
  ['sourcesContent shorter than sources', { sources: ['a.js', 'b.js'], sourcesContent: ['a'] }],
  ['sourcesContent longer than sources', { sourcesContent: ['a', 'b'] }],
  ['null both as a source and as its text', { sources: [null], sourcesContent: [null] }],
  ['no names', { names: undefined }],
  ['an empty list of names', { names: [] }],
  ['no ignoreList', { ignoreList: undefined }],
  ['an empty ignoreList', { ignoreList: [] }],
  ['an index of a source in ignoreList', { ignoreList: [0] }],
  ['null in ignoreList, which stands for nothing', { ignoreList: [null, 0] }],
  ['the older name of ignoreList', { x_google_ignoreList: [0] }],
  ['the older name of ignoreList with anything when the newer is there', { ignoreList: [], x_google_ignoreList: 1 }],
  ['empty mappings', { mappings: '' }],
  ['members nobody knows', { foobar: 42, x_facebook_sources: [[]] }],
  ['members of proposals, whatever they hold', { scopes: 1, rangeMappings: {}, debugId: 7 }],
]

test.each(valid)('a map with %s is accepted', (_what, members) => {
  expect(mappingsOf(mapText(members))).toEqual([])
})

const invalid: [message: string, rule: string, members: Record<string, unknown>][] = [
  ['version must be the number 3, but is missing.', 'version', { version: undefined }],
  ['version must be the number 3, but is a string.', 'version', { version: '3' }],
  ['version must be the number 3, but is the number 4.', 'version', { version: 4 }],
  ['version must be the number 3, but is the number 2.', 'version', { version: 2 }],
  ['version must be the number 3, but is the number 3.5.', 'version', { version: 3.5 }],
  ['version must be the number 3, but is null.', 'version', { version: null }],
  ['file must be a string, but is a list.', 'file', { file: [] }],
  ['file must be a string, but is the number 235324.', 'file', { file: 235_324 }],
  ['sourceRoot must be a string, but is a list.', 'source-root', { sourceRoot: [] }],
  ['sourceRoot must be a string, but is a boolean.', 'source-root', { sourceRoot: false }],
  ['sources must be a list of strings and nulls, but is missing.', 'sources', { sources: undefined }],
  ['sources must be a list of strings and nulls, but is a string.', 'sources', { sources: 'a.js' }],
  ['sources must be a list of strings and nulls, but is an object.', 'sources', { sources: { 0: 'a.js' } }],
  ['sources must be a list of strings and nulls, but is null.', 'sources', { sources: null }],
  ['sources[1] must be a string or null, but is an object.', 'sources', { sources: [null, {}, 1] }],
  ['sourcesContent must be a list of strings and nulls, but is a string.', 'sources-content', { sourcesContent: 'a' }],
  ['sourcesContent must be a list of strings and nulls, but is an object.', 'sources-content', { sourcesContent: {} }],
  ['sourcesContent[0] must be a string or null, but is a list.', 'sources-content', { sourcesContent: [['a']] }],
  ['names must be a list of strings, but is a string.', 'names', { names: 'a' }],
  ['names must be a list of strings, but is an object.', 'names', { names: {} }],
  ['names[1] must be a string, but is null.', 'names', { names: ['a', null] }],
  ['names[0] must be a string, but is the number 12.', 'names', { names: [12] }],
  ['ignoreList must be a list of indices of sources, but is the number 0.', 'ignore-list', { ignoreList: 0 }],
  ['ignoreList must be a list of indices of sources, but is null.', 'ignore-list', { ignoreList: null }],
  ['ignoreList[0] must be a whole number from 0, but is a string.', 'ignore-list', { ignoreList: ['0'] }],
  ['ignoreList[0] must be a whole number from 0, but is the number 0.5.', 'ignore-list', { ignoreList: [0.5] }],
  ['ignoreList[1] must be a whole number from 0, but is the number -1.', 'ignore-list', { ignoreList: [0, -1] }],
  ['ignoreList[0] is past the end of the 1 sources.', 'ignore-list', { ignoreList: [1] }],
  ['x_google_ignoreList[0] is past the end of the 1 sources.', 'ignore-list', { x_google_ignoreList: [1] }],
  ['mappings must be a string, but is missing.', 'mappings', { mappings: undefined }],
  ['mappings must be a string, but is the number 5.', 'mappings', { mappings: 5 }],
  ['mappings must be a string, but is a list.', 'mappings', { mappings: ['AAAA'] }],
]

test.each(invalid)('refused: %s', (message, rule, members) => {
  expect(defectOf(mapText(members))).toEqual([rule, message])
})

test('texts of sources have a place for each source, null where the map holds none', () => {
  const { sourcesContent } = readSourceMap(mapText({ sources: ['a', 'b', null], sourcesContent: ['', null, 'c', 'd'] }))
  expect(sourcesContent).toEqual(['', null, 'c'])
  expect(readSourceMap(mapText()).sourcesContent).toEqual([null])
})

test('names and sources are empty lists or as written, and the ignored sources are told', () => {
  const map = readSourceMap(mapText({ sources: ['a', null, 'c'], names: undefined, ignoreList: [2, null, 0] }))
  expect(map).toMatchObject({ sources: ['a', null, 'c'], names: [], file: '', sections: 0 })
  expect(map.ignored).toEqual(new Set([0, 2]))
  expect(readSourceMap(mapText({ x_google_ignoreList: [0] })).ignored).toEqual(new Set([0]))
})

test.each([
  ['src', 'a.js', 'src/a.js'],
  ['src/', 'a.js', 'src/a.js'],
  ['https://cdn.example/src', './a.js', 'https://cdn.example/src/./a.js'],
  ['', 'a.js', 'a.js'],
  ['src', 'https://cdn.example/a.js', 'https://cdn.example/a.js'],
  ['src', 'webpack:///./a.js', 'webpack:///./a.js'],
  ['src', '/a.js', '/a.js'],
  ['src', '', 'src/'],
])('with the sourceRoot "%s" the source "%s" is "%s"', (sourceRoot, source, joined) => {
  expect(readSourceMap(mapText({ sourceRoot, sources: [source, null] })).sources).toEqual([joined, null])
})
