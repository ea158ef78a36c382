import { expect, test } from 'vitest'
import { byLikeness } from '../../../src/mcp/text/close-names.ts'

const closest = (given: string, names: string[]) => {
  const { ordered, close } = byLikeness(given, names, (name) => name)
  return ordered.slice(0, close)
}

test('a slip, another case and a part of a name are close; another word is not', () => {
  const names = ['Tea shop', 'Coffee shop', 'Ledger', '']
  expect(closest('tea-shop', names)[0]).toBe('Tea shop')
  expect(closest('Tea shp', names)[0]).toBe('Tea shop')
  expect(closest('legder', names)).toEqual(['Ledger'])
  expect(closest('Nope', names)).toEqual([])
  expect(closest('', names)).toEqual([])
})
