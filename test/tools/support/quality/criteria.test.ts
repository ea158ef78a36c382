import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCriterion, criterionText } from '../../../../tools/support/quality/criteria.ts'

const step = fc
  .string({ minLength: 1 })
  .map((text) => text.trim())
  .filter((text) => text !== '' && !/, (?:when|then) |\n/i.test(text))

test('steps written as one text are read as the same steps', () => {
  fc.assert(
    fc.property(step, step, step, (given, when, then) => {
      // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
      const steps = { given, when, then }
      expect(parseCriterion(criterionText(steps))).toEqual(steps)
    }),
  )
})

test('a text reads the same however often it goes there and back', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom('Given a, when b', 'given A, when B, then C, then D')),
      (text) => {
        const once = criterionText(parseCriterion(text))
        expect(criterionText(parseCriterion(once))).toBe(once)
      },
    ),
  )
})
