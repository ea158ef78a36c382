import type { Prepare } from '../sql/database.ts'

const COUNTERS = {
  issue: 'next_issue_number',
  requirement: 'next_requirement_number',
  test: 'next_test_number',
} as const

/**
 * Takes the next number of the keys of a product's issues, requirements or tests (contract §0.7). A counter below zero
 * counts down: while a branch is replayed, its provisional numbers (contract §5).
 */
export async function takeNumber(prepare: Prepare, productId: number, noun: keyof typeof COUNTERS): Promise<number> {
  const counter = COUNTERS[noun]
  const row = await prepare(
    `UPDATE product SET ${counter} = ${counter} + CASE WHEN ${counter} < 0 THEN -1 ELSE 1 END WHERE id = ?
     RETURNING ${counter} + CASE WHEN ${counter} < 0 THEN 1 ELSE -1 END AS number`,
  ).get<{ number: number }>(productId)
  if (row === undefined) throw new Error('the product disappeared inside the transaction')
  return row.number
}
