import type * as z from 'zod'
import { IssueStatus } from '../../../contract/base/common.ts'
import type { ReproducedIssue } from '../../../contract/tests.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'

export type IssueBody = z.input<typeof ReproducedIssue>

/** The issues by their ids; those that were deleted are omitted. */
export async function reproducedIssues(rows: Rows, ids: readonly string[]): Promise<Map<string, IssueBody>> {
  const issues = new Map<string, IssueBody>()
  for (const chunk of chunks([...new Set(ids)].filter((id) => id !== ''))) {
    const found = await rows
      .selectFrom('issue')
      .innerJoin('product', 'product.id', 'issue.product_id')
      .select(['issue.id', 'issue.number', 'issue.status', 'product.key_prefix'])
      .where('issue.id', 'in', chunk)
      .execute()
    for (const { id, number, status, key_prefix } of found)
      issues.set(id, { id, short_id: `${key_prefix}-${String(number)}`, status: IssueStatus.parse(status) })
  }
  return issues
}

/** The issue that each test reproduces, by the id of the test. */
export async function issuesOfTests(rows: Rows, testIds: readonly string[]): Promise<Map<string, IssueBody>> {
  const named: { id: string; issue_id: string }[] = []
  for (const chunk of chunks([...new Set(testIds)])) {
    const found = await rows
      .selectFrom('test')
      .select(['id', 'issue_id'])
      .where('id', 'in', chunk)
      .where('issue_id', '<>', '')
      .execute()
    named.push(...found)
  }
  const issues = await reproducedIssues(
    rows,
    named.map(({ issue_id }) => issue_id),
  )
  return new Map(named.flatMap(({ id, issue_id }) => (issues.has(issue_id) ? [[id, issues.get(issue_id)!]] : [])))
}
