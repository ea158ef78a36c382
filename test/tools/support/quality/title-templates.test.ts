import { expect, test } from 'vitest'
import { isTemplate } from '../../../../tools/support/quality/title-templates.ts'

test.each([
  'adds %s to %i',
  'rounds %.2f',
  '%# is refused',
  'adds $a to $b.value',
  '[{index}] {0} is refused',
  'refuses ${name}',
])('%j is the title of many cases', (title) => {
  expect(isTemplate(title)).toBe(true)
})

test.each([
  'gives 10% off',
  'gives 10 %, rounded',
  'costs $10',
  'is 100%safe',
  'prints %%s',
  'handles {} and []',
  'reads a < b and c > d',
  'test_total[eur-2]',
  'returns Promise<void>',
  'reads $HOME',
  'GET /users/{id} is refused',
])('%j is the title of one case', (title) => {
  expect(isTemplate(title)).toBe(false)
})
