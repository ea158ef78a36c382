import type * as z from 'zod'
import type { Issue } from '../../../../contract/issues.ts'
import type { Rows } from '../../../sql/database.ts'
import { environmentNames } from '../../../workspace/releases/names.ts'

/** Environments shown of one issue; events can name up to 100 (decision 011). */
const MOST = 10

type Environments = NonNullable<z.input<typeof Issue>['environments']>

/** By issue: the environments in which it occurs, at most 10, the one with the most events first. */
export async function readIssueEnvironments(
  rows: Rows,
  issueIds: readonly string[],
): Promise<ReadonlyMap<string, Environments>> {
  if (issueIds.length === 0) return new Map()
  const places = await rows
    .selectFrom('issue_environment')
    .select(['issue_id', 'environment_id', 'count'])
    .where('issue_id', 'in', issueIds)
    .where('environment_id', '<>', '')
    .orderBy('count', 'desc')
    .orderBy('environment_id')
    .execute()
  const names = await environmentNames(
    rows,
    places.map((place) => place.environment_id),
  )
  const view = ({ environment_id: id, count }: (typeof places)[number]) => ({
    id,
    name: names.get(id)?.name ?? '',
    known: names.get(id)?.known ?? false,
    events: count,
  })
  const byIssue = Map.groupBy(places, (place) => place.issue_id)
  return new Map([...byIssue].map(([id, own]) => [id, own.slice(0, MOST).map(view)]))
}
