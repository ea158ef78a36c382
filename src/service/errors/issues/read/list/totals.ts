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

/**
 * The number of issues that a query finds, from facts that are kept for each place and read again only for issues that
 * changed (decision 089). Undefined where the database has to count: by status and component, and by
 * filters that are not kept.
 */
export async function keptTotal(rows: Rows, query: IssueQuery): Promise<number | undefined> {
  const { product, filter, matching } = query
  const names = Object.keys(filter) as (keyof IssueFilter)[]
  const isKept = names.some((name) => !indexed.includes(name)) && names.every((name) => compared.includes(name))
  if (!isKept || rows.committedState === undefined) return undefined
  if (!(await isPlace(rows, filter))) return 0
  const issues = await comparedIn(rows, product.id, filter)
  const isFound = comparison(query)
  let total = 0
  for (const issue of matching?.map((id) => issues.get(id)) ?? issues.values()) {
    if (issue !== undefined && isFound(issue)) total += 1
  }
  return total
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
        .select(['id', 'status', 'level', 'platform', 'component_id', 'is_regression', lastSeen.as('seen')])
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
