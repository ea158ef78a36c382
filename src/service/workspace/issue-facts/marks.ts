import { sql } from 'kysely'
import type { Rows } from '../../sql/database.ts'

/** `facts revision`: no event changes what is read without a new revision. */
export type Follows = 'every change' | 'facts revision'

/** The newest changes of a product's issues: by events, and all others. */
export interface IssueMarks {
  lastSeq: number
  factsRevision: number
}

/** Read before what the marks say something of: what changes meanwhile is found by the next call. */
export async function readIssueMarks(rows: Rows, productId: number): Promise<IssueMarks> {
  const { rows: found } = await sql<IssueMarks>`
    SELECT (SELECT coalesce(max(last_seq), 0) FROM issue WHERE product_id = ${productId}) AS "lastSeq",
      (SELECT coalesce(max(facts_revision), 0) FROM issue WHERE product_id = ${productId} AND facts_revision > 0)
        AS "factsRevision"`.execute(rows)
  return found[0] ?? { lastSeq: 0, factsRevision: 0 }
}

/** The ids of the issues that changed since. */
export async function changedIssues(
  rows: Rows,
  productId: number,
  { since, until, follows }: { since: IssueMarks; until: IssueMarks; follows: Follows },
): Promise<string[]> {
  const ids = rows.selectFrom('issue').select('id').where('product_id', '=', productId)
  const byEvents = ids.where('last_seq', '>', since.lastSeq)
  // The second condition is that of the index.
  const byOthers = ids.where('facts_revision', '>', since.factsRevision).where(sql<boolean>`facts_revision > 0`)
  const found = [
    ...(follows === 'every change' && until.lastSeq > since.lastSeq ? await byEvents.execute() : []),
    ...(until.factsRevision > since.factsRevision ? await byOthers.execute() : []),
  ]
  return [...new Set(found.map(({ id }) => id))]
}
