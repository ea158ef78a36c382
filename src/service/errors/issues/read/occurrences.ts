import { sql, type Expression, type SqlBool } from 'kysely'
import type { InputOf } from '../../../../contract/index.ts'
import { notFound } from '../../../../errors.ts'
import { cutPage, type Page } from '../../../shared/paging.ts'
import type { Rows } from '../../../sql/database.ts'
import { periodMs } from '../buckets.ts'
import type { StoredOccurrence } from './event-view.ts'

/** Every column but the body. */
const listed = [
  'id',
  'issue_id',
  'sdk_event_id',
  'timestamp',
  'received_at',
  'environment_id',
  'release_id',
  'user_hash',
  'summary',
] as const

export type OccurrenceFilter = Pick<
  InputOf<'listIssueEvents'>,
  'environment_id' | 'release_id' | 'period' | 'sdk_event_id'
>

/** One page of an issue's occurrences, newest first (by the event's own time, tie id); they are not counted. */
export async function listOccurrenceRows(
  rows: Rows,
  { issueId, filter, page, now }: { issueId: string; filter: OccurrenceFilter; page: Page; now: number },
) {
  const after = page.after
  let select = rows
    .selectFrom('occurrence')
    .select(listed)
    .where('issue_id', '=', issueId)
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(page.size + 1)
  if (filter.environment_id !== undefined) select = select.where(inEnvironment(filter.environment_id))
  if (filter.release_id !== undefined) select = select.where('release_id', '=', filter.release_id)
  if (filter.period !== undefined) select = select.where('timestamp', '>=', now - periodMs[filter.period])
  if (filter.sdk_event_id !== undefined) {
    select = select.where('sdk_event_id', '=', filter.sdk_event_id.replaceAll('-', '').toLowerCase())
  }
  if (after !== undefined) {
    select = select.where((eb) => eb(eb.refTuple('timestamp', 'id'), '<', eb.tuple(Number(after.sortValue), after.id)))
  }
  return cutPage(page, await select.execute(), -1, (row) => ({ sortValue: row.timestamp, id: row.id }))
}

/** The newest occurrence, of one environment if given; undefined when there is none. */
export async function latestOccurrence(
  rows: Rows,
  issueId: string,
  environmentId: string | undefined,
): Promise<StoredOccurrence | undefined> {
  return rows
    .selectFrom('occurrence')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where(environmentId === undefined ? sql<SqlBool>`true` : inEnvironment(environmentId))
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A deleted environment matches nothing: its occurrences only keep its name (contract §6). */
function inEnvironment(id: string): Expression<SqlBool> {
  return sql<SqlBool>`environment_id = ${id}
    AND EXISTS (SELECT 1 FROM environment WHERE environment.id = ${id} AND environment.deleted_at IS NULL)`
}

/** The occurrence of the issue. For an id that an SDK generated, the `not_found` error says how to look it up. */
export async function findOccurrence(rows: Rows, issueId: string, eventId: string): Promise<StoredOccurrence> {
  const found = await rows
    .selectFrom('occurrence')
    .selectAll()
    .where('id', '=', eventId)
    .where('issue_id', '=', issueId)
    .executeTakeFirst()
  if (found !== undefined) return found
  const isSdkId = /^[0-9a-f]{32}$/i.test(eventId)
  throw notFound(
    'event',
    eventId,
    isSdkId
      ? 'this is an id made by an SDK: list the events of the issue with sdk_event_id to get the id made by the service'
      : 'list the events of the issue',
  )
}
