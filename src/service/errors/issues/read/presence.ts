import type { Rows } from '../../../sql/database.ts'

/** How often an issue occurred in one environment and release, ever. */
export interface Presence {
  environment_id: string
  /** '' for occurrences without a release. */
  release_id: string
  count: number
  first_seen: number
  last_seen: number
}

/** Every environment and release the issue occurred in, the one with the newest occurrence first. */
export async function readPresence(rows: Rows, issueId: string): Promise<Presence[]> {
  return rows
    .selectFrom('issue_presence')
    .select(['environment_id', 'release_id', 'count', 'first_seen', 'last_seen'])
    .where('issue_id', '=', issueId)
    .orderBy('last_seen', 'desc')
    .execute()
}
