import { sql, type Expression, type SqlBool } from 'kysely'
import { nextToken, pagingMembers, type Page } from '../../../../shared/paging.ts'
import { countRows } from '../../../../sql/count-rows.ts'
import type { Rows } from '../../../../sql/database.ts'
import { periodMs } from '../../buckets.ts'
import type { StoredIssue } from '../../columns.ts'
import { conditions, type IssueQuery, type IssueSort } from './conditions.ts'
import { issuesWithText } from './issues-with-text.ts'
import { findKept, idsOnPage, placeExists, type KeptIssue } from './kept.ts'

/**
 * Occurrences after the first page in which the later pages look for what an issue was like then: an hour of 7 events a
 * second.
 */
const MOST_LATER = 25_000

/**
 * One page of issues by `sort` descending, tie id. Every page of one walk orders the issues as they stood at its first
 * page: an issue touched since keeps its place (decision 010), one that began since is left to the next walk. The
 * filter is applied to the current state. `total_size` is exact. `changesAt` is when time alone makes it another page, in epoch
 * milliseconds.
 */
export async function listIssueRows(rows: Rows, asked: IssueQuery) {
  const { product, page, filter } = asked
  const [asOf, hasPlace] = await Promise.all([
    page.after?.asOf ?? newestSeq(rows, product.id),
    placeExists(rows, filter),
  ])
  const text = filter.q?.trim() ?? ''
  // Texts are compared once, and not again for the total and for each issue that the order passes.
  const query = text === '' ? asked : { ...asked, matching: await issuesWithText(rows, product.id, text) }
  const known = await findKept(rows, query, { hasPlace })
  const [found, total] = await Promise.all([
    findPage(rows, query, asOf, known),
    known?.length ?? countRows(matchingIssues(rows, query)),
  ])
  const kept = found.slice(0, page.size)
  const last = kept.at(-1)
  const hasMore = found.length > page.size && last !== undefined
  const token = hasMore ? nextToken(page, { sortValue: last.sort_value, id: last.id, asOf }) : ''
  const issues: StoredIssue[] = kept
  return { issues, paging: pagingMembers(page, token, total), changesAt: firstLeaves(query, known) }
}

/** When the first of the issues leaves the window of the query; for issues that are not known it moves all the time. */
function firstLeaves({ filter: { period }, now }: IssueQuery, known: readonly KeptIssue[] | undefined): number {
  if (period === undefined) return Infinity
  if (known === undefined) return now
  let oldest = Infinity
  for (const issue of known) if (issue.lastSeenHere < oldest) oldest = issue.lastSeenHere
  return oldest + periodMs[period] + 1
}

async function findPage(rows: Rows, query: IssueQuery, asOf: number, known: readonly KeptIssue[] | undefined) {
  return (await knownPage(rows, query, asOf, known)) ?? (await pageQuery(rows, query, asOf).execute())
}

/** The page of known issues, read by their ids; undefined where they have changed since the walk began. */
async function knownPage(rows: Rows, query: IssueQuery, asOf: number, known: readonly KeptIssue[] | undefined) {
  if (known === undefined) return undefined
  // Events since `asOf` may have moved issues to other pages.
  if ((await newestSeq(rows, query.product.id)) !== asOf) return undefined
  const matching = idsOnPage(known, query)
  const found = await untouchedIssues(rows, { ...query, matching }, asOf).execute()
  // Fewer match when an event was stored or a status was changed meanwhile.
  return found.length === matching.length ? found : undefined
}

/** The newest commit that touched an issue of the product; 0 before the first. */
async function newestSeq(rows: Rows, productId: number): Promise<number> {
  const row = await rows
    .selectFrom('issue')
    .select((eb) => eb.fn.max('last_seq').as('seq'))
    .where('product_id', '=', productId)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * The query of one page: a single statement for both parts, so that no issue can move from one to the other between two
 * reads.
 */
export function pageQuery(rows: Rows, query: IssueQuery, asOf: number) {
  const { page, sort } = query
  const untouched = untouchedIssues(rows, query, asOf)
  // Only issues that were touched since the first page.
  const touched = matchingIssues(rows, query)
    .leftJoin(firstLater(rows, asOf).as('later'), 'later.issue_id', 'issue.id')
    .where('last_seq', '>', asOf)
    .where('first_seq', '<=', asOf)
    .selectAll('issue')
    .select(valueBefore(sort).as('sort_value'))
  return rows
    .selectFrom(
      rows
        .selectFrom(untouched.as('untouched'))
        .selectAll()
        .unionAll(rows.selectFrom(touched.as('touched')).selectAll())
        .as('candidate'),
    )
    .selectAll()
    .where(after(page, 'sort_value'))
    .orderBy('sort_value', 'desc')
    .orderBy('id', 'desc')
    .limit(page.size + 1)
}

/** The issues of a page that no event has touched since `asOf`. */
function untouchedIssues(rows: Rows, query: IssueQuery, asOf: number) {
  const { page, sort } = query
  // In index order: only as many rows are read as the page needs, except by times_seen, which has no index, because every
  // event would move an entry (decision 092). Without the sum SQLite would read all issues by last_seq
  // and sort them: 32 ms instead of 0.4 with 10,000 issues.
  return matchingIssues(rows, query)
    .where(sql<SqlBool>`last_seq + 0 <= ${asOf}`)
    .selectAll('issue')
    .select((eb) => eb.ref(sort).as('sort_value'))
    .where(after(page, sort))
    .orderBy(sort, 'desc')
    .orderBy('id', 'desc')
    .limit(page.size + 1)
}

function matchingIssues(rows: Rows, query: IssueQuery) {
  return rows.selectFrom('issue').where((eb) => eb.and(conditions(rows, query)))
}

function after({ after: cursor }: Page, column: IssueSort | 'sort_value'): Expression<SqlBool> {
  if (cursor === undefined) return sql<SqlBool>`true`
  return sql<SqlBool>`(${sql.ref(column)}, id) < (${cursor.sortValue}, ${cursor.id})`
}

/**
 * The first occurrence of each issue that was committed after `asOf`, read from the end of the table: an index of the
 * occurrences of an issue by `seq` would be written for each event (decision 092).
 */
function firstLater(rows: Rows, asOf: number) {
  return (
    rows
      .selectFrom('occurrence')
      .select((eb) => [eb.fn.min<string>('issue_id').as('issue_id'), eb.fn.min<number>('seq').as('seq')])
      .where('seq', '>', asOf)
      .where('seq', '<=', asOf + MOST_LATER)
      // Not the column alone, by which SQLite would read an index of all occurrences.
      .groupBy(sql`issue_id || ''`)
  )
}

/** The sort value that the issue had at `asOf`, which its first later occurrence recorded. */
function valueBefore(sort: IssueSort) {
  const noted = sql.ref<number | null>(`noted.before_${sort}`)
  return sql<number>`coalesce((SELECT ${noted} FROM occurrence AS noted WHERE noted.seq = later.seq), ${sql.ref(`issue.${sort}`)})`
}
