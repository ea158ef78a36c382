import { sql } from 'kysely'
import type { Writing } from '../../shared/context.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { endExclusions, recordExclusion, type ADDITIONS, type ExcludedItem } from '../../workspace/exclusions.ts'
import { casesUnder } from './links.ts'

/** `was` of an addition that can be undone: the link was not there before. */
const NEW = 'new'

const passed = sql<boolean>`status IN ('RESULT_STATUS_PASSED', 'RESULT_STATUS_FLAKY')`

/**
 * Records that an agent lets a test, or the cases of a suite, count for more than before, if one of them has passed
 * already (contract §7.2). People may: their change is its own review.
 */
export async function noteAddition(
  rows: Rows,
  call: Writing,
  addition: ExcludedItem & { kind: (typeof ADDITIONS)[number] },
  testId: string,
  { isNew }: { isNew: boolean },
): Promise<void> {
  if (!call.byAgent || !(await hasResult(rows, testId, passed))) return
  await recordExclusion(rows, call, { ...addition, was: isNew ? NEW : '' })
}

/**
 * `noteAddition` for a case of a report of an agent: results of its own run, '' for none, came with the change and may
 * prove something.
 */
export async function noteReportedAddition(
  rows: Rows,
  call: Writing,
  addition: ExcludedItem & { kind: (typeof ADDITIONS)[number] },
  { testId, runId, isNew }: { testId: string; runId: string; isNew: boolean },
): Promise<void> {
  if (!call.byAgent) return
  const before = await rows
    .selectFrom('test_result')
    .select(sql<number | null>`max(executed_at)`.as('newest'))
    .select(sql<number | null>`max(CASE WHEN ${passed} THEN 1 ELSE 0 END)`.as('has_passed'))
    .where('test_id', '=', testId)
    .where('run_id', '!=', runId)
    .executeTakeFirst()
  if (before?.has_passed !== 1) return
  const at = runId === '' ? undefined : (before.newest ?? undefined)
  await recordExclusion(rows, call, { ...addition, was: isNew ? NEW : '', at })
}

/**
 * Ends what `noteAddition` recorded of a link. True when an agent takes a new link back that no person has seen and that no
 * result has followed: then nothing is left of it.
 */
export async function undoesAddition(rows: Rows, call: Writing, item: ExcludedItem, testId: string): Promise<boolean> {
  const [added] = await endExclusions(rows, call, { ...item, kinds: ['link_added'] })
  if (!call.byAgent || added === undefined || added.isReviewed || added.was !== NEW) return false
  return !(await hasResult(rows, testId, sql`executed_at > ${added.at}`))
}

async function hasResult(rows: Rows, testId: string, condition: ReturnType<typeof sql<boolean>>): Promise<boolean> {
  const cases = (await casesUnder(rows, [testId])).get(testId) ?? []
  for (const chunk of chunks(cases.map(({ id }) => id))) {
    const found = await rows
      .selectFrom('test_result')
      .select('id')
      .where('test_id', 'in', chunk)
      .where(condition)
      .limit(1)
      .executeTakeFirst()
    if (found !== undefined) return true
  }
  return false
}
