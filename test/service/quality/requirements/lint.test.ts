import { expect, test } from 'vitest'
import { lintWording } from '../../../../src/service/quality/requirements/lint.ts'

const codes = (statement: string) => lintWording('', statement, []).map(({ code }) => code)

test.each([
  ['The cart shall show the total within 200 ms.', []],
  ['The page shall load fast.', ['NO_MEASURE']],
  ['The page shall load fast: within 2 s on a 3G line.', []],
  ['The form should be user-friendly.', ['AMBIGUOUS_TERM']],
  ['The service shall accept PDF, PNG, etc.', ['AMBIGUOUS_TERM']],
  ['The limit is TBD.', ['TBD']],
  ['The order shall be confirmed.', ['PASSIVE_NO_ACTOR']],
  ['The order shall be confirmed by the warehouse.', []],
  ['It shall reject the code.', ['PRONOUN_SUBJECT']],
  ['The shop shall reserve the stock and shall send a mail.', ['MULTIPLE_SHALL']],
  ['The shop shall refund the payment if possible.', ['ESCAPE_CLAUSE']],
  ['The shop shall always answer in German.', ['UNIVERSAL']],
  ['The shop sells version 1.4.1 of the easyCAD package.', []],
] as const)('%s', (statement, expected) => {
  expect(codes(statement)).toEqual(expected)
})

test('a finding names its text and points at the words', () => {
  const statement = 'The cart shall show the total. Loading must be quick.'
  const [finding] = lintWording('', statement, [])
  expect(finding).toMatchObject({ code: 'NO_MEASURE' })
  expect(statement.slice(finding!.span.start, finding!.span.end)).toBe('quick')
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  const criterion = { id: '1', position: 0, kind: 'CRITERION_KIND_RULE' as const, given: '', when: '', then: '' }
  expect(lintWording('Fast cart', '', [{ ...criterion, text: 'TBD' }]).map(({ message }) => message)).toEqual([
    'title: "Fast": give a number with a unit that a test can check',
    'criterion 1: "TBD": decide it, or remove it until it is decided',
  ])
})
