import type { Prepare } from '../sql/database.ts'

const COUNTERS = {
  issue: 'next_issue_number',
  requirement: 'next_requirement_number',
  test: 'next_test_number',
} as const

/** Takes the next number of the keys of a product's issues, requirements or tests (contract §0.7). */
export function takeNumber(prepare: Prepare, productId: number, noun: keyof typeof COUNTERS): number {
  const counter = COUNTERS[noun]
  const row = prepare(
    `UPDATE product SET ${counter} = ${counter} + 1 WHERE id = ? RETURNING ${counter} - 1 AS number`,
  ).get<{ number: number }>(productId)
  if (row === undefined) throw new Error('the product disappeared inside the transaction')
  return row.number
}
