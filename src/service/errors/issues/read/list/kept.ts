import { sql } from 'kysely'
import { keptByIssue } from '../../../../workspace/issue-facts/kept-by-issue.ts'
import type { Rows } from '../../../../sql/database.ts'
import {
  existsEnvironment,
  periodStart,
  placeSql,
  type IssueFilter,
  type IssueQuery,
  type Place,
} from './conditions.ts'

/** What filters compare of an issue in a place. */
interface Compared {
  status: string
  level: string
  platform: string
  componentId: string
  isRegression: boolean
  timesSeen: number
  /** Of its occurrences in the place, epoch milliseconds. */
  lastSeen: number
}

/** Of an issue; issues share their texts. */
const COMPARED_BYTES = 100

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

export type KeptIssue = readonly [id: string, issue: Compared]

/**
 * The issues that a query finds, in no order, from facts that are kept for each place and read again only for issues that
 * changed (decision 089). Undefined where the database finds them as fast, by status and component in an order that has an
 * index, and for filters that are not kept.
 */
export async function findKept(rows: Rows, query: IssueQuery): Promise<readonly KeptIssue[] | undefined> {
  const { product, filter, matching } = query
  const names = Object.keys(filter) as (keyof IssueFilter)[]
  const isIndexed = names.every((name) => indexed.includes(name)) && !isFirstLoudest(query)
  if (isIndexed || rows.committedState === undefined || !names.every((name) => compared.includes(name)))
    return undefined
  if (!(await isPlace(rows, filter))) return []
  const issues = await comparedIn(rows, product.id, filter)
  const isFound = comparison(query)
  const found: KeptIssue[] = []
  for (const id of matching ?? issues.keys()) {
    const issue = issues.get(id)
    if (issue !== undefined && isFound(issue)) found.push([id, issue])
  }
  return found
}

/** Whether a query asks for the first page in the order without an index, which every event would write (decision 092). */
export function isFirstLoudest({ sort, page }: IssueQuery): boolean {
  return sort === 'times_seen' && page.after === undefined
}

/** The ids of so many found issues with most events, in no order; of equals the last ones, as the page orders them. */
export function loudest(found: readonly KeptIssue[], size: number): string[] {
  // Numbers are sorted much faster than issues.
  const counts = Float64Array.from(found, ([, issue]) => issue.timesSeen).toSorted()
  const least = counts.at(-size) ?? 0
  const louder = found.flatMap(([id, issue]) => (issue.timesSeen > least ? [id] : []))
  const equal = found.flatMap(([id, issue]) => (issue.timesSeen === least ? [id] : []))
  return [...louder, ...equal.toSorted().slice(louder.length - size)]
}

/** The same as the SQL of `conditions`. */
function comparison(query: IssueQuery): (issue: Compared) => boolean {
  const {
    status = '',
    levels = [],
    platforms = [],
    component_id: componentId,
    is_regression: isRegression,
  } = query.filter
  const since = periodStart(query) ?? -Infinity
  return (issue) =>
    issue.lastSeen >= since &&
    (status === '' || issue.status === status) &&
    (levels.length === 0 || levels.some((level) => level === issue.level)) &&
    (platforms.length === 0 || platforms.includes(issue.platform)) &&
    (componentId === undefined || issue.componentId === componentId) &&
    (isRegression === undefined || issue.isRegression === isRegression)
}

/** False for a deleted environment, and for a release of another one. */
async function isPlace(rows: Rows, { environment_id: environmentId, release_id: releaseId }: Place): Promise<boolean> {
  if (environmentId === undefined) return true
  const exists = existsEnvironment(environmentId, releaseId)
  const { found } = await rows.selectNoFrom(exists.as('found')).executeTakeFirstOrThrow()
  return Boolean(found)
}

/** By issue, those with occurrences in the place. A release is in one environment, so with it nothing else is kept. */
function comparedIn(rows: Rows, productId: number, filter: Place): Promise<ReadonlyMap<string, Compared>> {
  const { environment_id, release_id } = filter
  const place = release_id === undefined ? { environment_id } : { release_id }
  return keptByIssue(rows, productId, {
    name: `compared by filters in ${JSON.stringify(place)}`,
    follows: 'every change',
    size: () => COMPARED_BYTES,
    async read(issueIds) {
      const here = placeSql(place)
      const lastSeen =
        here === undefined
          ? sql.ref<number>('issue.last_seen')
          : sql<number | null>`(SELECT here.last_seen FROM ${here})`
      const found = await rows
        .selectFrom('issue')
        .select([
          'id',
          'status',
          'level',
          'platform',
          'component_id',
          'is_regression',
          'times_seen',
          lastSeen.as('seen'),
        ])
        .where('product_id', '=', productId)
        .$if(issueIds !== undefined, (of) => of.where(rows.dialect.isOneOf('id', issueIds ?? [])))
        .execute()
      const shared = sharedTexts()
      const issues = new Map<string, Compared>()
      for (const { id, seen, component_id: componentId, is_regression: isRegression, ...row } of found) {
        if (seen === null) continue
        issues.set(id, {
          status: shared(row.status),
          level: shared(row.level),
          platform: shared(row.platform),
          componentId: shared(componentId),
          isRegression: isRegression === 1,
          timesSeen: row.times_seen,
          lastSeen: seen,
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
