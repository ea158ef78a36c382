import { setTimeout as sleep } from 'node:timers/promises'
import { PAUSE_MS, STEP } from '../../../sql/in-steps.ts'
import type { Database, Prepare } from '../../../sql/database.ts'

interface Seen {
  id: number
  made_at: number
}

/** Removes the dictionaries that no body needs, in small transactions with pauses, until the signal. */
export async function removeDictionaries({ db, signal }: { db: Database; signal: AbortSignal }): Promise<void> {
  let after: Seen | undefined = { id: 0, made_at: Number.MIN_SAFE_INTEGER }
  while (after !== undefined && !signal.aborted) {
    const from: Seen = after
    const seen = await db.batch((prepare) => removeUnused(prepare, from))
    after = seen.length < STEP ? undefined : seen.at(-1)
    if (after !== undefined) await sleep(PAUSE_MS)
  }
}

/**
 * Looks at the next dictionaries by age, which an index lists without their texts. Events that need one mostly happened
 * after it was made, so that the first of them is found at once, however many the issue has. `EXISTS` in place of the second
 * search would let PostgreSQL read all events into a table first.
 */
async function removeUnused(prepare: Prepare, after: Seen): Promise<Seen[]> {
  const using = `SELECT 1 FROM occurrence WHERE occurrence.issue_id = of_issue.issue_id AND dictionary_id = body_dictionary.id`
  const seen = await prepare(
    `SELECT id, made_at, EXISTS (SELECT 1 FROM body_dictionary_issue AS of_issue WHERE dictionary_id = body_dictionary.id
       AND ((${using} AND timestamp >= made_at ORDER BY timestamp, seq LIMIT 1) IS NOT NULL
         OR (${using} AND timestamp < made_at LIMIT 1) IS NOT NULL)) AS used
     FROM body_dictionary WHERE (made_at, id) > (?, ?) ORDER BY made_at, id LIMIT ?`,
  ).all<Seen & { used: number }>(after.made_at, after.id, STEP)
  const [remove, removeIssues] = [
    prepare('DELETE FROM body_dictionary WHERE id = ?'),
    prepare('DELETE FROM body_dictionary_issue WHERE dictionary_id = ?'),
  ]
  const unused = seen.filter(({ used }) => used === 0)
  await Promise.all(unused.flatMap(({ id }) => [remove.run(id), removeIssues.run(id)]))
  return seen
}
