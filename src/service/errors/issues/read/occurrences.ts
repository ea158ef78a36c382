import { sql, type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { InputOf } from '../../../../contract/index.ts'
import { notFound } from '../../../../errors.ts'
import type { ViewTime } from '../../../shared/view-time.ts'
import { cutPage, lastRowChanged, type Page } from '../../../shared/paging.ts'
import type { Cursor } from '../../../shared/page-token.ts'
import type { Rows } from '../../../sql/database.ts'
import type { Schema } from '../../../sql/schema.ts'
import { madeEventId, readEventId } from '../../event/sdk-event-id.ts'
import { periodMs } from '../buckets.ts'
import type { StoredOccurrence } from './event-view.ts'
import { searchOccurrences } from './search-occurrences.ts'

/** What a summary shows of an occurrence. */
const listed = [
  'occurrence.id',
  'seq',
  'issue_id',
  'sdk_event_id',
  'timestamp',
  'received_at',
  'user_hash',
  'summary',
] as const

export type OccurrenceFilter = Pick<
  InputOf<'listIssueEvents'>,
  'environment_id' | 'release_id' | 'period' | 'sdk_event_id' | 'q'
>

interface OccurrenceQuery extends ViewTime {
  issueId: string
  productId: number
  filter: OccurrenceFilter
  page: Page
}

type Matching = (eb: ExpressionBuilder<Schema, 'occurrence'>) => Expression<SqlBool>

/**
 * One page of an issue's occurrences, newest first (by the event's own time, then by arrival). `total_size` is exact, and with
 * `q` -1 unless the first page saw everything. `changesAt` is told when the first occurrence leaves the period.
 */
export async function listOccurrenceRows(rows: Rows, query: OccurrenceQuery) {
  const { filter, page, now, changesAt } = query
  const all = conditions(query)
  const places = await readPlaces(rows, query)
  if (places !== undefined) all.push(...inPlaces(rows, places))
  const matching: Matching = (eb) => eb.and(all)
  const newest = (last: Cursor | undefined, count: number) => {
    const first = rows.selectFrom('occurrence').where(matching).where(after(last)).$call(newestFirst).limit(count)
    // For a place PostgreSQL reads all rows of the issue, except where nothing but what the index has is asked for.
    const wanted: Matching = (eb) => (places === undefined ? matching(eb) : eb('seq', 'in', first.select('seq')))
    return selectPlaced(rows).where(wanted).where(after(last)).$call(newestFirst).limit(count)
  }
  const text = filter.q?.trim() ?? ''
  if (text !== '') {
    // Which of them leaves the period first is not known.
    if (filter.period !== undefined) changesAt?.(now)
    return searchOccurrences(rows, (last, count) => newest(last, count).selectAll('occurrence').execute(), text, page)
  }
  const [found, counted] = await Promise.all([
    newest(page.after, page.size + 1)
      .select(listed)
      .execute(),
    countMatching(rows, query, { places, matching }),
  ])
  const { total, oldest } = counted
  if (filter.period !== undefined && oldest !== null) changesAt?.(oldest + periodMs[filter.period] + 1)
  return cutPage(page, found, total, (row) => ({ sortValue: row.timestamp, id: String(row.seq) }))
}

/**
 * Only the occurrences of a period, or with the id of an SDK, are counted here: `oldest` is then the time of the first one, in
 * epoch milliseconds. Every other total is kept up to date as occurrences are recorded and removed.
 */
async function countMatching(
  rows: Rows,
  { issueId, filter }: OccurrenceQuery,
  { places, matching }: { places: readonly IssuePlace[] | undefined; matching: Matching },
): Promise<{ total: number; oldest: number | null }> {
  if (filter.period !== undefined || filter.sdk_event_id !== undefined) {
    const counted = rows
      .selectFrom('occurrence')
      .select((eb) => [eb.fn.countAll<number>().as('total'), eb.fn.min<number | null>('timestamp').as('oldest')])
    return counted.where(matching).executeTakeFirstOrThrow()
  }
  if (places !== undefined) return { total: places.reduce((sum, { kept }) => sum + kept, 0), oldest: null }
  const { total } = await rows
    .selectFrom('issue_presence')
    .select(sql<number>`coalesce(sum(count - removed), 0)`.as('total'))
    .where('issue_id', '=', issueId)
    .executeTakeFirstOrThrow()
  return { total, oldest: null }
}

/** Occurrences with the ids of their environment and release. */
function selectPlaced(rows: Rows) {
  return rows
    .selectFrom('occurrence')
    .innerJoin('place', 'place.id', 'place_id')
    .select(['place.environment_id', 'place.release_id'])
}

function conditions({ issueId, productId, filter, now }: OccurrenceQuery): Expression<SqlBool>[] {
  const all = [sql<SqlBool>`issue_id = ${issueId}`]
  if (filter.period !== undefined) all.push(sql`timestamp >= ${now - periodMs[filter.period]}`)
  if (filter.sdk_event_id !== undefined) {
    const id = readEventId(filter.sdk_event_id) ?? madeEventId(filter.sdk_event_id) ?? ''
    all.push(sql`product_id = ${productId} AND sdk_event_id = ${id}`)
  }
  return all
}

/** Where an issue occurred: epoch milliseconds of the first and the last time, and the occurrences that are kept. */
interface IssuePlace {
  id: number
  first: number
  last: number
  kept: number
}

/** The places of the issue in the environment and the release of the filter; undefined when it names neither. */
async function readPlaces(rows: Rows, { issueId, filter }: OccurrenceQuery): Promise<IssuePlace[] | undefined> {
  const { environment_id: environmentId, release_id: releaseId } = filter
  if (environmentId === undefined && releaseId === undefined) return undefined
  return rows
    .selectFrom('issue_presence as here')
    .innerJoin('place', (join) =>
      join.onRef('place.environment_id', '=', 'here.environment_id').onRef('place.release_id', '=', 'here.release_id'),
    )
    .select(['place.id', 'here.first_seen as first', 'here.last_seen as last'])
    .select(sql<number>`here.count - here.removed`.as('kept'))
    .where('here.issue_id', '=', issueId)
    .$if(environmentId !== undefined, (of) =>
      of.where(
        sql<SqlBool>`here.environment_id IN (SELECT id FROM environment WHERE id = ${environmentId} AND deleted_at IS NULL)`,
      ),
    )
    .$if(releaseId !== undefined, (of) => of.where('here.release_id', '=', releaseId ?? ''))
    .execute()
}

/**
 * The index has the occurrences of the issue by time, so those of other releases are hardly looked at, and their places behind
 * it: where they are given as values, PostgreSQL compares them before it reads a row.
 */
function inPlaces(rows: Rows, places: readonly IssuePlace[]): Expression<SqlBool>[] {
  const [place, ...others] = places
  // Without an occurrence there is no time either.
  if (place === undefined) return [sql`false`]
  // Nearly every release has one place, and SQLite compares a number twice as fast as it looks one up in a list.
  const isThere =
    others.length === 0
      ? sql<SqlBool>`place_id = ${place.id}`
      : rows.dialect.isOneNumber(
          'place_id',
          places.map(({ id }) => id),
        )
  const first = places.reduce((least, one) => Math.min(least, one.first), place.first)
  const last = places.reduce((most, one) => Math.max(most, one.last), place.last)
  return [isThere, sql`timestamp BETWEEN ${first} AND ${last}`]
}

function newestFirst<DB, Table extends keyof DB, Output>(select: SelectQueryBuilder<DB, Table, Output>) {
  return select.orderBy(sql`timestamp`, 'desc').orderBy(sql`seq`, 'desc')
}

function after(last: Cursor | undefined): Expression<SqlBool> {
  if (last === undefined) return sql<SqlBool>`true`
  const seq = Number(last.id)
  // A token of a version that ordered by id.
  if (!Number.isInteger(seq)) throw lastRowChanged()
  return sql<SqlBool>`(timestamp, seq) < (${Number(last.sortValue)}, ${seq})`
}

/** The newest occurrence, of one environment if given; undefined when there is none. */
export async function latestOccurrence(
  rows: Rows,
  issueId: string,
  environmentId: string | undefined,
): Promise<StoredOccurrence | undefined> {
  return selectPlaced(rows)
    .selectAll('occurrence')
    .where('issue_id', '=', issueId)
    .where(environmentId === undefined ? sql<SqlBool>`true` : inEnvironment(environmentId))
    .orderBy('timestamp', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A deleted environment matches nothing: its occurrences only keep its name (contract §6). */
function inEnvironment(id: string) {
  return sql<SqlBool>`place_id IN (SELECT place.id FROM place JOIN environment ON environment.id = environment_id
    WHERE environment.id = ${id} AND deleted_at IS NULL)`
}

/** The occurrence of the issue. For an id that an SDK generated, the `not_found` error says how to look it up. */
export async function findOccurrence(rows: Rows, issueId: string, eventId: string): Promise<StoredOccurrence> {
  const found = await selectPlaced(rows)
    .selectAll('occurrence')
    .where('occurrence.id', '=', eventId)
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

/** Those of the occurrences that the issue has, in the order of their ids. */
export async function findOccurrences(
  rows: Rows,
  issueId: string,
  ids: readonly string[],
): Promise<StoredOccurrence[]> {
  const found = await selectPlaced(rows).selectAll('occurrence').where('occurrence.id', 'in', ids).execute()
  // As a condition of the query, the issue would make SQLite read the index of all its occurrences.
  const own = new Map(found.filter((row) => row.issue_id === issueId).map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => own.get(id) ?? [])
}
