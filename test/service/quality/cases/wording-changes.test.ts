import { expect, test } from 'vitest'
import { describeChange } from '../../../../src/service/quality/cases/wording-changes.ts'

const wording = (title: string, statement = '', criteria: string[] = []) => ({
  title,
  statement,
  acceptance_criteria: JSON.stringify(
    criteria.map((text, position) => {
      // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
      const steps = { given: '', when: '', then: '' }
      return { id: String(position), position, kind: 'CRITERION_KIND_RULE', text, ...steps }
    }),
  ),
})

test('only the lines that changed are told, with what was removed and added', () => {
  const before = wording('The cart shows the sum', 'In the currency of the shop.', ['It adds up.', 'It rounds.'])
  const after = wording('The cart shows the total', 'In the currency of the shop.', [
    'It adds up.',
    'It rounds to cents.',
  ])
  expect(describeChange(before, after)).toBe('The cart shows the [-sum-]{+total+}\n2. It rounds{+ to cents+}.')
  expect(describeChange(before, before)).toBe('')
  expect(describeChange(before, wording(before.title, before.statement, ['It adds up.']))).toBe('[-2. It rounds.-]')
})

test('a long text is told by what is around its change, and one that has nothing in common as new', () => {
  const long = Array.from({ length: 200 }, (_, index) => `word${String(index)}`).join(' ')
  const changed = describeChange(wording('T', long), wording('T', long.replace('word100 ', 'other ')))
  expect(changed).toMatch(/^word0 .{30,40} … .{30,40}\[-word100-\]\{\+other\+\} word101 .* … .* word199$/)
  const words = (letter: string) => Array.from({ length: 2000 }, (_, index) => `${letter}${String(index)}`).join(' ')
  expect(describeChange(wording('T', words('a')), wording('T', words('b')))).toBe('the wording is new as a whole')
})
