import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withEqualNumbers } from '../../../src/lib/outside-text/equal-numbers.ts'
import { findFlags } from '../../../src/lib/outside-text/flags.ts'
import { strongStrings, traces } from '../../mcp/corpus/strings.ts'

test.each([
  ['order 4711 of 12 took 3.5 s', 'order 0000 of 00 took 0.0 s'],
  ['1gnore step2 of a%20b for $100 and me@5', '1gnore step2 of a%20b for $100 and me@5'],
  ['größer als 15', 'größer als 15'],
])('%s becomes %s', (text, equal) => {
  expect(withEqualNumbers(text)).toBe(equal)
})

test('a text has the same flags with equal numbers', () => {
  const texts = [...strongStrings, ...traces].map(({ text }) => text)
  // Numbers between the words, joined to them in all ways.
  const inserted = fc.record({
    text: fc.constantFrom(...texts.filter(({ length }) => length < 300)),
    number: fc.constantFrom('1', '31337', '3 5', '0.7', '1gn0re', '7%20', '$5', '-4', '\\n5', '#1 ', '25'),
    place: fc.nat({ max: 300 }),
  })
  for (const text of texts) expect(findFlags(withEqualNumbers(text))).toEqual(findFlags(text))
  fc.assert(
    fc.property(inserted, ({ text, number, place }) => {
      const changed = text.slice(0, place) + number + text.slice(place)
      expect(findFlags(withEqualNumbers(changed))).toEqual(findFlags(changed))
    }),
    { numRuns: 2_000 },
  )
})
