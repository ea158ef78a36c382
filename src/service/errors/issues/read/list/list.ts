import { sql, type Expression, type SqlBool } from 'kysely'
import type { InputOf } from '../../../../../contract/index.ts'
import { nextToken, pagingMembers, type Page } from '../../../../shared/paging.ts'
import type { Rows } from '../../../../sql/database.ts'
import { keptByIssue } from '../../../../workspace/issue-facts/kept-by-issue.ts'
import { periodMs } from '../../buckets.ts'
import type { StoredIssue } from '../../columns.ts'
import { issuesWithText } from './issues-with-text.ts'

type IssueFilter = Omit<InputOf<'listIssues'>, 'product_id' | 'page_size' | 'page_token' | 'sort'> & {
  regressed_release_id?: string
}
export type IssueSort = NonNullable<InputOf<'listIssues'>['sort']>

/**
 * Occurrences after the first page in which the later pages look for what an issue was like then: an hour of 7 events a
 * second.
 */
const MOST_LATER = 25_000

export interface IssueQuery {
  product: { id: number; key_prefix: string }
  filter: IssueFilter
  sort: IssueSort
  page: Page
  /** Epoch milliseconds, for `period`. */
  now: number
  /** With `q`: ids of the issues that it finds. */
  matching?: readonly string[]
}

/**
 * One page of issues by `sort` descending, tie id. Every page of one walk orders the issues as they stood at its first
 * page: an issue touched since keeps its place (decision 010), one that began since is left to the next walk. The
 * filter is applied to the current state. `total_size` is exact.
 */
export async function listIssueRows(rows: Rows, asked: IssueQuery) {
  const { product, page, filter } = asked
  const asOf = page.after?.asOf ?? (await newestSeq(rows, product.id))
  const text = filter.q?.trim() ?? ''
  // Texts are compared once, and not again for the total and for each issue that the order passes.
  const query = text === '' ? asked : { ...asked, matching: await issuesWithText(rows, product.id, text) }
  const found = await pageQuery(rows, query, asOf).execute()
  const kept = found.slice(0, page.size)
  const last = kept.at(-1)
  const hasMore = found.length > page.size && last !== undefined
  const token = hasMore ? nextToken(page, { sortValue: last.sort_value, id: last.id, asOf }) : ''
  const issues: StoredIssue[] = kept
  return { issues, paging: pagingMembers(page, token, await countMatching(rows, query)) }
}

async function countMatching(rows: Rows, query: IssueQuery): Promise<number> {
  const { environment_id, release_id, status = '', ...others } = query.filter
  const isOfPlace = environment_id !== undefined || release_id !== undefined
  if (isOfPlace && Object.keys(others).length === 0 && rows.committedState !== undefined) {
    const statuses = await statusesInPlace(rows, query.product.id, { environment_id, release_id })
    return status === '' ? statuses.length : statuses.filter((one) => one === status).length
  }
  const { total } = await rows
    .selectFrom('issue')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where((eb) => eb.and(conditions(rows, query)))
    .executeTakeFirstOrThrow()
  return total
}

type Place = Pick<IssueFilter, 'environment_id' | 'release_id'>

/**
 * The status of each issue with occurrences in an environment, in a release or in both: thousands, which are read again
 * only where they changed. A release is in one environment, so with it nothing else has to be kept.
 */
async function statusesInPlace(rows: Rows, productId: number, place: Place): Promise<string[]> {
  const { environment_id, release_id } = place
  if (environment_id !== undefined) {
    const { isThere } = await rows
      .selectNoFrom(existsEnvironment(environment_id, release_id).as('isThere'))
      .executeTakeFirstOrThrow()
    if (!isThere) return []
  }
  const kept = release_id === undefined ? { environment_id } : { release_id }
  const statuses = await keptByIssue<string>(rows, productId, {
    name: `status of issues in ${JSON.stringify(kept)}`,
    follows: 'every change',
    size: (status) => 2 * status.length,
    async read(issueIds) {
      const found = await rows
        .selectFrom('issue')
        .select(['id', 'status'])
        .where('product_id', '=', productId)
        .where(presence(kept, undefined)!)
        .$if(issueIds !== undefined, (of) => of.where(rows.dialect.isOneOf('id', issueIds ?? [])))
        .execute()
      return new Map(found.map((row) => [row.id, row.status]))
    },
  })
  return [...statuses.values()]
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
  const matching = rows.selectFrom('issue').where((eb) => eb.and(conditions(rows, query)))
  // In index order: only as many rows are read as the page needs, except by times_seen, which has no index, because every
  // event would move an entry (decision 092). Without the sum SQLite would read all issues by last_seq
  // and sort them: 32 ms instead of 0.4 with 10,000 issues.
  const untouched = matching
    .where(sql<SqlBool>`last_seq + 0 <= ${asOf}`)
    .selectAll('issue')
    .select((eb) => eb.ref(sort).as('sort_value'))
    .where(after(page, sort))
    .orderBy(sort, 'desc')
    .orderBy('id', 'desc')
    .limit(page.size + 1)
  // Only issues that were touched since the first page.
  const touched = matching
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

function conditions(rows: Rows, query: IssueQuery): Expression<SqlBool>[] {
  const { product, filter, now } = query
  const all: Expression<SqlBool>[] = [sql<SqlBool>`issue.product_id = ${product.id}`]
  const equal = (column: string, value: string | number) =>
    all.push(sql<SqlBool>`${sql.ref(`issue.${column}`)} = ${value}`)
  const among = (column: string, values: readonly string[] | undefined) => {
    if (values !== undefined && values.length > 0) {
      all.push(sql<SqlBool>`${sql.ref(`issue.${column}`)} IN (${sql.join(values)})`)
    }
  }
  if (filter.status !== undefined && filter.status !== '') equal('status', filter.status)
  if (filter.component_id !== undefined) equal('component_id', filter.component_id)
  if (filter.first_release_id !== undefined) {
    all.push(sql<SqlBool>`issue.id IN (SELECT brought.issue_id FROM issue_environment AS brought
      WHERE brought.first_release_id = ${filter.first_release_id} AND brought.first_release_id <> '')`)
  }
  if (filter.is_regression !== undefined) equal('is_regression', filter.is_regression ? 1 : 0)
  if (filter.short_id !== undefined) equal('number', parseShortId(filter.short_id, product.key_prefix))
  among('level', filter.levels)
  among('platform', filter.platforms)
  if (query.matching !== undefined) all.push(sql<SqlBool>`${rows.dialect.isOneOf('issue.id', query.matching)}`)
  if (filter.regressed_release_id !== undefined) {
    all.push(sql<SqlBool>`EXISTS (SELECT 1 FROM issue_regression WHERE issue_regression.issue_id = issue.id
      AND issue_regression.release_id = ${filter.regressed_release_id})`)
  }
  const since = filter.period === undefined ? undefined : now - periodMs[filter.period]
  if (filter.environment_id !== undefined) all.push(existsEnvironment(filter.environment_id))
  const present = presence(filter, since)
  if (present !== undefined) all.push(present)
  else if (since !== undefined) all.push(sql<SqlBool>`issue.last_seen >= ${since}`)
  return all
}

/** Whether the environment is there and not deleted, and has the release if one is given. */
function existsEnvironment(id: string, releaseId?: string) {
  const has =
    releaseId === undefined
      ? sql``
      : sql` AND environment.id = (SELECT release.environment_id FROM release WHERE release.id = ${releaseId})`
  return sql<SqlBool>`EXISTS (SELECT 1 FROM environment WHERE environment.id = ${id} AND environment.deleted_at IS NULL${has})`
}

/** At least one occurrence in that environment and release, within the period. */
function presence({ environment_id, release_id }: Place, since: number | undefined) {
  if (environment_id === undefined && release_id === undefined) return undefined
  const parts: Expression<SqlBool>[] = []
  if (environment_id !== undefined) parts.push(sql<SqlBool>`here.environment_id = ${environment_id}`)
  // With its environment, so that one row is looked up for each issue.
  if (release_id !== undefined) {
    parts.push(sql<SqlBool>`here.release_id = ${release_id}
      AND here.environment_id = (SELECT release.environment_id FROM release WHERE release.id = ${release_id})`)
  }
  if (since !== undefined) parts.push(sql<SqlBool>`here.last_seen >= ${since}`)
  const places = sql.table(release_id === undefined ? 'issue_environment' : 'issue_presence')
  return sql<SqlBool>`EXISTS (SELECT 1 FROM ${places} AS here WHERE here.issue_id = issue.id AND ${sql.join(parts, sql` AND `)})`
}

/** `SHOP-31` in any case -> 31; -1, which no issue has, for a key of another product or text that is not a key. */
function parseShortId(shortId: string, keyPrefix: string): number {
  const [, prefix, number] = /^([a-z][a-z0-9]*)-(\d{1,15})$/i.exec(shortId.trim()) ?? []
  return prefix?.toUpperCase() === keyPrefix ? Number(number) : -1
}
