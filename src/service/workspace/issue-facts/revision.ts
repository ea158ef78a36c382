import { sql } from 'kysely'
import type { Prepare } from '../../sql/database.ts'

/** The next number of a change of an issue; in a statement that updates `issue`. */
const next = `(SELECT coalesce(max(other.facts_revision), 0) + 1 FROM issue AS other
  WHERE other.product_id = issue.product_id AND other.facts_revision > 0)`

/** The value of `facts_revision` in an update of an issue: each change that is not an event's takes one (decision 089). */
export const nextFactsRevision = sql<number>`${sql.raw(next)}`

/**
 * Notes, inside the caller's transaction, that its files or something else changed of an issue without an event, or
 * that an event brought files.
 */
export async function noteIssueChange(prepare: Prepare, issueId: string): Promise<void> {
  await prepare(`UPDATE issue SET facts_revision = ${next} WHERE id = ?`).run(issueId)
}
