import { sql } from 'kysely'
import { issuesToRead, keptByIssue } from '../../../../workspace/issue-facts/kept-by-issue.ts'
import type { Rows } from '../../../../sql/database.ts'
import {
  existsEnvironment,
  periodStart,
  placeSql,
  type IssueFilter,
  type IssueQuery,
  type IssueSort,
  type Place,
} from './conditions.ts'

/** What filters compare of an issue, and what lists are ordered by. */
export interface KeptIssue {
  id: string
  status: string
  level: string
  platform: string
  componentId: string
  isRegression: boolean
  times_seen: number
  /** Epoch milliseconds. */
  first_seen: number
  last_seen: number
  /** The same in the place that a query asks for. */
  lastSeenHere: number
}

/** Of an issue; issues share their texts. */
const COMPARED_BYTES = 140

/** What the database has an index for. */
const indexed: readonly (keyof IssueFilter)[] = ['status', 'component_id']
const compared: readonly (keyof IssueFilter)[] = [
  ...indexed,
  'levels',
  'platforms',
  'is_regression',
  'environment_id',
  'release_id',
  'period',
  'q',
]

/**
 * The issues that a query finds, in no order, from facts that are kept and read again only for issues that changed (decision
 * 089). Undefined where the database finds them as fast, by status and component in an order that has an index, and for
 * filters that are not kept. `hasPlace` is what `placeExists` says of the filter.
 */
export async function findKept(
  rows: Rows,
  query: IssueQuery,
  { hasPlace }: { hasPlace: boolean },
): Promise<readonly KeptIssue[] | undefined> {
  const { product, filter, matching, sort } = query
  const names = Object.keys(filter) as (keyof IssueFilter)[]
  // Every event would write an index by `times_seen` (decision 092).
  const isIndexed = names.every((name) => indexed.includes(name)) && sort !== 'times_seen'
  if (isIndexed || rows.committedState === undefined || !names.every((name) => compared.includes(name)))
    return undefined
  if (!hasPlace) return []
  const issues = await comparedIn(rows, product.id, filter)
  const isFound = comparison(query)
  const found: KeptIssue[] = []
  const asked = matching === undefined ? issues.values() : matching.map((id) => issues.get(id))
  for (const issue of asked) if (issue !== undefined && isFound(issue)) found.push(issue)
  return found
}

/** One accessor for each order: `issue[sort]`, with the name in a variable, takes 7 % of the time of a page. */
const sortValues: Readonly<Record<IssueSort, (issue: KeptIssue) => number>> = {
  last_seen: (issue) => issue.last_seen,
  first_seen: (issue) => issue.first_seen,
  times_seen: (issue) => issue.times_seen,
}

/** The ids of the issues of one page, and of the one after it, in the order of the page. */
export function idsOnPage(found: readonly KeptIssue[], { sort, page: { after, size } }: IssueQuery): string[] {
  const readValue = sortValues[sort]
  const first: Sorted[] = []
  const end = after && { id: after.id, value: Number(after.sortValue) }
  for (const issue of found) {
    const { id } = issue
    const value = readValue(issue)
    if (end !== undefined && !comesAfter(id, value, end)) continue
    const last = first.length > size ? first.at(-1) : undefined
    if (last !== undefined) {
      if (comesAfter(id, value, last)) continue
      first.pop()
    }
    const sorted = { id, value }
    const place = first.findIndex((other) => comesAfter(other.id, other.value, sorted))
    first.splice(place === -1 ? first.length : place, 0, sorted)
  }
  return first.map(({ id }) => id)
}

interface Sorted {
  id: string
  value: number
}

/** As SQL orders rows by their sort value and their id, both descending. */
function comesAfter(id: string, value: number, other: Sorted): boolean {
  return value < other.value || (value === other.value && id < other.id)
}

/** The same as the SQL of `conditions`. */
function comparison(query: IssueQuery): (issue: KeptIssue) => boolean {
  const {
    status = '',
    levels = [],
    platforms = [],
    component_id: componentId,
    is_regression: isRegression,
  } = query.filter
  const since = periodStart(query) ?? -Infinity
  return (issue) =>
    issue.lastSeenHere >= since &&
    (status === '' || issue.status === status) &&
    (levels.length === 0 || levels.some((level) => level === issue.level)) &&
    (platforms.length === 0 || platforms.includes(issue.platform)) &&
    (componentId === undefined || issue.componentId === componentId) &&
    (isRegression === undefined || issue.isRegression === isRegression)
}

/** Whether the place of a filter exists: false for a deleted environment, and for a release of another one. */
export async function placeExists(
  rows: Rows,
  { environment_id: environmentId, release_id: releaseId }: Place,
): Promise<boolean> {
  if (environmentId === undefined) return true
  const exists = existsEnvironment(environmentId, releaseId)
  const { found } = await rows.selectNoFrom(exists.as('found')).executeTakeFirstOrThrow()
  return Boolean(found)
}

/**
 * By issue, those with occurrences in the place. A release is in one environment, so with it nothing else is kept. Each
 * place has one map with all that filters compare: after a commit every map takes queries that find what has changed.
 */
function comparedIn(rows: Rows, productId: number, filter: Place): Promise<ReadonlyMap<string, KeptIssue>> {
  const { environment_id, release_id } = filter
  const place = release_id === undefined ? { environment_id } : { release_id }
  return keptByIssue(rows, productId, {
    name: `compared by filters in ${JSON.stringify(place)}`,
    follows: 'every change',
    size: () => COMPARED_BYTES,
    async read(issueIds) {
      const here = placeSql(place)
      const seenHere = here === undefined ? sql.ref('issue.last_seen') : sql`(SELECT here.last_seen FROM ${here})`
      const found = await rows
        .selectFrom('issue')
        .select(['id', 'status', 'level', 'platform', 'component_id', 'is_regression'])
        .select(['times_seen', 'first_seen', 'last_seen', sql<number | null>`${seenHere}`.as('seen')])
        .where(issuesToRead(rows, productId, issueIds))
        .execute()
      const shared = sharedTexts()
      const issues = new Map<string, KeptIssue>()
      for (const { id, seen, component_id: componentId, is_regression: isRegression, ...row } of found) {
        if (seen === null) continue
        issues.set(id, {
          id,
          status: shared(row.status),
          level: shared(row.level),
          platform: shared(row.platform),
          componentId: shared(componentId),
          isRegression: isRegression === 1,
          times_seen: row.times_seen,
          first_seen: row.first_seen,
          last_seen: row.last_seen,
          lastSeenHere: seen,
        })
      }
      return issues
    },
  })
}

/** Equal texts as one: a driver makes a new one for each row. */
function sharedTexts(): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const first = known.get(text) ?? text
    known.set(text, first)
    return first
  }
}
