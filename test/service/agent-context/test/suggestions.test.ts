import { expect, test } from 'vitest'
import { suggestCases, targetFile } from '../../../../src/service/agent-context/test/suggestions.ts'

test('a new test goes into a file that exists: that of a linked test, or the one named after the code', () => {
  const file = (path: string) => ({ path, isKnown: false })
  const pattern = { test_file_pattern: 'test/<dir>/<name>.test.ts' }
  const facts = {
    linked: undefined,
    codeFiles: ['src/**', 'src/cart/total.ts'],
    testFiles: [file('test/money/total.test.ts')],
  }
  expect(targetFile(pattern, facts)?.path).toBe('test/money/total.test.ts')
  expect(targetFile(pattern, { ...facts, linked: file('test/other.test.ts') })?.path).toBe('test/other.test.ts')
  expect(targetFile(pattern, { ...facts, testFiles: [file('test/subtotal.test.ts')] })).toBeUndefined()
})

test.each([
  ['The answer is 409 when the voucher is used.', []],
  ['An order of 1 piece costs 4.90.', []],
  ['At most 3 attempts are made.', ['3 attempts']],
  ['Shipping is free from 50 EUR on.', ['50 EUR']],
  ['A code has 8 digits or more and fewer than 12.', ['8 digits', '12']],
  ['The mail arrives within 5 minutes, in at least 99.5 % of cases.', ['5 minutes', '99.5 %']],
])('limits have boundaries, other numbers have none: %s', (statement, limits) => {
  const cases = suggestCases({ key: 'REQ-1', title: '', statement, criteria: [], hasCriteria: false, issueKeys: [] })
  const boundaries = cases.filter(({ technique }) => technique === 'boundary').map(({ notes }) => notes)
  expect(boundaries).toEqual(limits.map((limit) => `just below, exactly at and just above ${limit}`))
})

test('what a criterion takes as given is not tested at its boundaries', () => {
  const given = { id: 'c', text: '', given: 'a cart with at most 1 piece and no answer without a retry' }
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  const criterion = { ...given, when: 'the order is placed', then: 'the provider is asked at most 3 times' }
  const empty = { ...criterion, given: '', when: '' }
  // oxlint-disable-next-line unicorn/no-thenable -- as above
  const written = { ...empty, then: '', text: 'Given at most 1 piece, when it is placed, then at most 3 times' }
  for (const one of [criterion, written]) {
    const cases = suggestCases({
      key: 'REQ-1',
      title: '',
      statement: '',
      criteria: [one],
      hasCriteria: true,
      issueKeys: [],
    })
    expect(cases.map(({ technique, notes }) => `${technique} ${notes}`)).toEqual([
      'happy_path ',
      'boundary just below, exactly at and just above 3 times',
    ])
  }
})

test('cases are suggested by rule: boundaries for numbers, negatives for refusals, states for time', () => {
  const techniques = (statement: string) =>
    suggestCases({ key: 'REQ-1', title: '', statement, criteria: [], hasCriteria: false, issueKeys: [] }).map(
      ({ technique, title }) => `${technique} ${title}`,
    )
  expect(techniques('The cart shall hold 1 to 100 lines.')).toEqual([
    'happy_path The cart shall hold 1 to 100 lines.',
    'boundary at the boundary of 1 to 100 lines: The cart shall hold 1 to 100 lines.',
  ])
  expect(techniques('If the card is expired, then the shop shall refuse it.').map((one) => one.split(' ')[0])).toEqual([
    'happy_path',
    'negative',
  ])
  expect(techniques('While the payment is open, the cart shall be locked.').map((one) => one.split(' ')[0])).toEqual([
    'happy_path',
    'state',
  ])
  expect(techniques('The cart shows the total.').map((one) => one.split(' ')[0])).toEqual(['happy_path'])
})
