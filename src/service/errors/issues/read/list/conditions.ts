import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { InputOf } from '../../../../../contract/index.ts'
import type { Page } from '../../../../shared/paging.ts'
import { isOfProduct } from '../../../../sql/conditions.ts'
import type { Rows } from '../../../../sql/database.ts'
import { periodMs } from '../../buckets.ts'

export type IssueFilter = Omit<InputOf<'listIssues'>, 'product_id' | 'page_size' | 'page_token' | 'sort'> & {
  regressed_release_id?: string
}

export type IssueSort = NonNullable<InputOf<'listIssues'>['sort']>

/** What a list of issues is asked for. */
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

/** So many ids are looked up one by one: more than the largest page has. */
const FEW = 300

/** What an issue has to fulfil, as SQL of the table `issue`. */
export function conditions(rows: Rows, query: IssueQuery): Expression<SqlBool>[] {
  const { product, filter, matching } = query
  // Few issues came back in a release.
  const isFew = filter.regressed_release_id !== undefined || (matching !== undefined && matching.length <= FEW)
  const all: Expression<SqlBool>[] = [
    isFew ? isOfProduct('issue.product_id', product.id) : sql<SqlBool>`issue.product_id = ${product.id}`,
  ]
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
  if (matching !== undefined) all.push(sql<SqlBool>`${rows.dialect.isOneOf('issue.id', matching)}`)
  if (filter.regressed_release_id !== undefined) {
    all.push(sql<SqlBool>`issue.id IN (SELECT back.issue_id FROM issue_regression AS back
      WHERE back.release_id = ${filter.regressed_release_id})`)
  }
  const since = periodStart(query)
  if (filter.environment_id !== undefined) all.push(existsEnvironment(filter.environment_id))
  const place = placeSql(filter)
  if (place !== undefined) {
    const inTime = since === undefined ? sql`` : sql` AND here.last_seen >= ${since}`
    all.push(sql<SqlBool>`EXISTS (SELECT 1 FROM ${place}${inTime})`)
  } else if (since !== undefined) all.push(sql<SqlBool>`issue.last_seen >= ${since}`)
  return all
}

/** Epoch milliseconds at which the period of a query begins. */
export function periodStart({ filter: { period }, now }: IssueQuery): number | undefined {
  return period === undefined ? undefined : now - periodMs[period]
}

/** Whether the environment is there and not deleted, and has the release if one is given. */
export function existsEnvironment(id: string, releaseId?: string) {
  const has = releaseId === undefined ? sql`` : sql` AND environment.id = ${ownEnvironment(releaseId)}`
  return sql<SqlBool>`EXISTS (SELECT 1 FROM environment WHERE environment.id = ${id} AND environment.deleted_at IS NULL${has})`
}

export type Place = Pick<IssueFilter, 'environment_id' | 'release_id'>

/** The rows `here` of an issue in an environment and a release: at most one, and undefined where neither is asked for. */
export function placeSql({ environment_id, release_id }: Place): RawBuilder<unknown> | undefined {
  if (environment_id === undefined && release_id === undefined) return undefined
  const parts = [sql`here.issue_id = issue.id`]
  if (environment_id !== undefined) parts.push(sql`here.environment_id = ${environment_id}`)
  // With its environment, so that one row is looked up for each issue.
  if (release_id !== undefined)
    parts.push(sql`here.release_id = ${release_id} AND here.environment_id = ${ownEnvironment(release_id)}`)
  const places = sql.table(release_id === undefined ? 'issue_environment' : 'issue_presence')
  return sql`${places} AS here WHERE ${sql.join(parts, sql` AND `)}`
}

function ownEnvironment(releaseId: string) {
  return sql`(SELECT release.environment_id FROM release WHERE release.id = ${releaseId})`
}

/** `SHOP-31` in any case -> 31; -1, which no issue has, for a key of another product or text that is not a key. */
function parseShortId(shortId: string, keyPrefix: string): number {
  const [, prefix, number] = /^([a-z][a-z0-9]*)-(\d{1,15})$/i.exec(shortId.trim()) ?? []
  return prefix?.toUpperCase() === keyPrefix ? Number(number) : -1
}
