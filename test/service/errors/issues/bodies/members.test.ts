import { expect, test } from 'vitest'
import { splitMembers } from '../../../../../src/service/errors/issues/bodies/members.ts'

/** The members of an object, read from its JSON. */
function split(value: object, known = new Map<string, string>()): Record<string, unknown> {
  const members = splitMembers(JSON.stringify(value), known)
  return Object.fromEntries(Array.from(members, ([name, text]) => [JSON.parse(`"${name}"`), JSON.parse(text)]))
}

const objects: object[] = [
  {},
  { one: 1 },
  { text: 'a "quote", a \\ and a \\"', empty: '', list: [], object: {} },
  { 'a "name\\': { deep: [{ '}': ']' }, [[1, -2.5e30, null, true]]] }, last: '\\' },
  { brackets: '[{', 'ä\u2028': '\u{1f600}\n', number: 12, longer: 123 },
]

test('members are those that the JSON has', () => {
  for (const value of objects) expect(split(value)).toEqual(value)
})

test('a text that was found before is the very same one, and no beginning of another', () => {
  const known = new Map<string, string>()
  const texts = [{ n: 1, list: [1] }, { n: 12, list: [1] }, { n: 1, list: [1, 2] }, { list: [1] }]
  for (const value of texts) expect(split(value, known)).toEqual(value)
})
