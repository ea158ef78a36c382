import { setTimeout as sleep } from 'node:timers/promises'
import { PAUSE_MS, STEP } from '../../../sql/in-steps.ts'
import type { Database, Prepare } from '../../../sql/database.ts'

interface Seen {
  id: number
  made_at: number
  /** 1 while a body needs it. */
  used: number
}

/** Removes the dictionaries that no body needs, in small transactions with pauses, until the signal. */
export async function removeDictionaries({ db, signal }: { db: Database; signal: AbortSignal }): Promise<void> {
  let after: Seen | undefined = { id: 0, made_at: Number.MIN_SAFE_INTEGER, used: 0 }
  while (after !== undefined && !signal.aborted) {
    const from: Seen = after
    const seen = await db.batch((prepare) => removeUnused(prepare, from))
    after = seen.length < STEP ? undefined : seen.at(-1)
    if (after !== undefined) await sleep(PAUSE_MS)
  }
}

/** Looks at the next dictionaries by age, which an index lists without their texts. */
function removeUnused(prepare: Prepare, after: Seen): Seen[] {
  const seen = prepare(
    `SELECT id, made_at, EXISTS (SELECT 1 FROM occurrence WHERE dictionary_id = body_dictionary.id) AS used
     FROM body_dictionary WHERE (made_at, id) > (?, ?) ORDER BY made_at, id LIMIT ?`,
  ).all<Seen>(after.made_at, after.id, STEP)
  const remove = prepare('DELETE FROM body_dictionary WHERE id = ?')
  for (const { id, used } of seen) if (used === 0) remove.run(id)
  return seen
}
