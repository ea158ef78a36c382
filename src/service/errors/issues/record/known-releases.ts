import type { Prepare } from '../../../sql/database.ts'
import type { OrderedRelease } from '../../../workspace/releases/release-order.ts'
import { commitRange, isSameCommit } from '../../../workspace/releases/commits.ts'
import { knownOrigin } from '../../../workspace/releases/rules.ts'

/** A release with what says whether anyone vouches for it. */
export interface OriginRelease extends OrderedRelease {
  origin: string
}

/** The releases that one transaction compares. */
export interface KnownReleases {
  /** Any release, also one that only events named. */
  find(id: string): OriginRelease | undefined
  /** The known releases of an environment, read once. */
  list(environmentId: string): readonly OriginRelease[]
  /** The first known release of the commit, in whichever environment. */
  withCommit(productId: number, commit: string): OriginRelease | undefined
  /** Call for every known release that the transaction creates. */
  added(environmentId: string, release: OriginRelease): void
}

const COLUMNS = 'id, version, released_at, created_at, origin'

/** Valid until the transaction ends or is rolled back: there is no other writer meanwhile. */
export function knownReleases(prepare: Prepare): KnownReleases {
  const lists = new Map<string, OriginRelease[]>()

  return {
    find: (id) => prepare(`SELECT ${COLUMNS} FROM release WHERE id = ?`).get<OriginRelease>(id),

    list(environmentId) {
      const before = lists.get(environmentId)
      if (before !== undefined) return before
      const statement = prepare(`SELECT ${COLUMNS} FROM release WHERE environment_id = ? AND ${knownOrigin}`)
      const found = statement.all<OriginRelease>(environmentId)
      lists.set(environmentId, found)
      return found
    },

    withCommit(productId, commit) {
      const { from, below } = commitRange(commit)
      return prepare(
        `SELECT ${COLUMNS}, commit_sha FROM release WHERE product_id = ? AND commit_sha >= ? AND commit_sha < ?
           AND commit_sha <> '' AND ${knownOrigin} ORDER BY created_at, id`,
      )
        .all<OriginRelease & { commit_sha: string }>(productId, from, below)
        .find((release) => isSameCommit(release.commit_sha, commit))
    },

    added: (environmentId, release) => lists.get(environmentId)?.push(release),
  }
}
