import { expect, test } from 'vitest'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { mapText } from './encode.ts'
import { defectOf, mappingsOf } from './reading.ts'

test.each([
  ['a line that begins with the prefix against scripts', `)]}'\n${mapText()}`],
  ['anything else on that line', `)]}' garbage here\r\n${mapText()}`],
  ['a carriage return at its end', `)]}'\r${mapText()}`],
  ['a byte order mark', `\uFEFF${mapText()}`],
  ['a byte order mark and the prefix', `\uFEFF)]}'\n${mapText()}`],
  ['white space around it', ` \n${mapText()}\n`],
])('%s before the map is stepped over', (_what, text) => {
  expect(readSourceMap(text).sources).toEqual(['a.js'])
})

test.each([
  ['It is not valid JSON.', ''],
  ['It is not valid JSON.', '<!doctype html><title>not found</title>'],
  ['It is not valid JSON: character 13 is wrong.', '{"version":3,}'],
  ['It is not valid JSON.', `)]}'${mapText()}`],
  ['It is not valid JSON.', `)]}\n${mapText()}`],
  ['It is not valid JSON.', 'my-secret-token'],
])('refused: %s', (message, text) => {
  expect(defectOf(text)).toEqual(['json', message])
})

test.each(['null', '[]', '3', '"text"', `[${mapText()}]`])('refuses %s, which is JSON but no object', (text) => {
  expect(defectOf(text)).toEqual(['object', 'It is JSON, but not an object.'])
})

test('a member counts only when it is the map itself that has it', () => {
  expect(defectOf('{"__proto__":{"version":3,"sources":[],"mappings":""}}')[0]).toBe('version')
})

test.each([
  [{ debugId: 'A1B2C3D4-1111-4222-8333-ABCDEFABCDEF' }, 'a1b2c3d4-1111-4222-8333-abcdefabcdef'],
  [{ debug_id: 'a1b2c3d4-1111-4222-8333-abcdefabcdef' }, 'a1b2c3d4-1111-4222-8333-abcdefabcdef'],
  [{ debug_id: 'A1B2C3D4111142228333ABCDEFABCDEF' }, 'a1b2c3d4111142228333abcdefabcdef'],
  [{ debugId: 'none', debug_id: 'a1b2c3d4-1111-4222-8333-abcdefabcdef' }, 'a1b2c3d4-1111-4222-8333-abcdefabcdef'],
  [{ debugId: '../../etc/passwd' }, ''],
  [{ debugId: 12 }, ''],
  [{}, ''],
])('the debug id of %j is "%s"', (members, debugId) => {
  expect(readSourceMap(mapText(members)).debugId).toBe(debugId)
})

test('the file is told', () => {
  expect(readSourceMap(mapText({ file: 'app.js' })).file).toBe('app.js')
})

test('JSON nested a million deep is read or refused like any other', () => {
  const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
  expect(mappingsOf(mapText({ extra: 'deep' }).replace('"deep"', deep))).toEqual([])
  expect(defectOf(mapText({ sources: 'deep' }).replace('"deep"', deep))).toEqual([
    'sources',
    'sources[0] must be a string or null, but is a list.',
  ])
  expect(defectOf('['.repeat(1_000_000))).toEqual(['json', 'It is not valid JSON.'])
})

test('no message repeats more of the text than a character or a number', () => {
  const secret = 'hunter2secret'
  const broken = [`{"${secret}`, `{"version":"${secret}"}`, mapText({ sources: secret }), mapText({ mappings: secret })]
  for (const text of broken) expect(defectOf(text)[1]).not.toContain(secret.slice(0, 4))
})
