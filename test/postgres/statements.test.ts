import { expect, test } from 'vitest'
import { withNumbers } from '../../src/service/sql/postgres/postgres-parameters.ts'

test.each([
  ['a = ? AND b = ?', 'a = $1 AND b = $2'],
  ['a = ?2 AND b = ?1 AND c = ?2', 'a = $2 AND b = $1 AND c = $2'],
  ["a = '?' AND b = ?", "a = '?' AND b = $1"],
  [`a = 'it''s ?' AND "b?" = ?`, `a = 'it''s ?' AND "b?" = $1`],
  ['SELECT 1', 'SELECT 1'],
])('parameters of %j are numbered', (given, numbered) => {
  expect(withNumbers(given)).toBe(numbered)
})
