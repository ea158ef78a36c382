import { sql } from 'kysely'
import type * as z from 'zod'
import type { Issue } from '../../../../contract/issues.ts'
import type { Rows } from '../../../sql/database.ts'
import { readOwnJson } from '../../../sql/json.ts'
import { knownPaths } from '../../../workspace/components/snapshot.ts'
import { environmentNames, type EnvironmentName } from '../../../workspace/releases/names.ts'

/** Environments shown of one issue; events can name up to 100 (decision 011). */
const MOST = 10

/** What other tables hold of an issue. */
export interface IssueParts {
  /** At most 10 in which it occurs, the one with the most events first. */
  environments: NonNullable<z.input<typeof Issue>['environments']>
  /** How many files of its in-app frames members provided. */
  files: number
  vouching: Vouching | undefined
}

interface Vouching {
  vouched_by: string
  status: string
}

interface PartsRow {
  id: string
  /** JSON. */
  paths: string
  environments: string
  vouched_by: string | null
  status: string | null
}

type Place = [id: string, events: number]

/** The parts of issues of one product, by the id of the issue. */
export async function readIssueParts(
  rows: Rows,
  productId: number,
  issueIds: readonly string[],
): Promise<ReadonlyMap<string, IssueParts>> {
  const found = (await selectParts(rows, issueIds)).map((row) => ({
    ...row,
    paths: [...new Set(readOwnJson<[string][]>(row.paths).flat())],
    places: readOwnJson<Place[]>(row.environments).filter(([id]) => id !== ''),
  }))
  // A server answers them at the same time.
  const [names, known] = await Promise.all([
    environmentNames(
      rows,
      found.flatMap(({ places }) => places.map(([id]) => id)),
    ),
    knownPaths(rows, productId, [...new Set(found.flatMap(({ paths }) => paths))]),
  ])
  return new Map(
    found.map(({ id, paths, places, vouched_by, status }) => [
      id,
      {
        environments: viewEnvironments(places, names),
        files: paths.filter((path) => known.has(path)).length,
        vouching: vouched_by === null || status === null ? undefined : { vouched_by, status },
      },
    ]),
  )
}

/** One statement and one row for each issue: a row for each of its frames takes longer to hand over than to find. */
async function selectParts(rows: Rows, issueIds: readonly string[]): Promise<PartsRow[]> {
  if (issueIds.length === 0) return []
  const { dialect } = rows
  const paths = dialect.jsonRows('path', sql`issue_frame WHERE issue_frame.issue_id = issue.id`)
  const environments = dialect.jsonRows(
    'environment_id, count',
    sql`issue_environment WHERE issue_environment.issue_id = issue.id`,
  )
  const found = await sql<PartsRow>`SELECT issue.id, ${paths} AS paths, ${environments} AS environments,
      vouched_by, vouched_issue.status
    FROM issue LEFT JOIN vouched_issue ON vouched_issue.issue_id = issue.id
    WHERE ${dialect.isOneOf('issue.id', issueIds)}`.execute(rows)
  return found.rows
}

function viewEnvironments(
  places: readonly Place[],
  names: ReadonlyMap<string, EnvironmentName>,
): IssueParts['environments'] {
  return places
    .toSorted(([id, events], [other, more]) => more - events || (id < other ? -1 : 1))
    .slice(0, MOST)
    .map(([id, events]) => ({ id, name: names.get(id)?.name ?? '', known: names.get(id)?.known ?? false, events }))
}
