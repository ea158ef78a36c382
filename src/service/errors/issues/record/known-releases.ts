import type { Prepare } from '../../../sql/database.ts'
import type { OrderedRelease } from '../../../workspace/releases/release-order.ts'
import { commitRange, isSameCommit } from '../../../workspace/releases/commits.ts'
import { recordedOrigin } from '../../../workspace/releases/rules.ts'

/** A release with what says whether anyone vouches for it. */
export interface OriginRelease extends OrderedRelease {
  origin: string
}

/** The releases that one transaction compares; `Vouched` says which of them count. */
export interface KnownReleases {
  /** Any release, also one that only events named. */
  find(id: string): Promise<OriginRelease | undefined>
  /** The known releases of an environment, read once. */
  list(environmentId: string): Promise<readonly OriginRelease[]>
  /** The first known release of the commit, in whichever environment. */
  withCommit(productId: number, commit: string): Promise<OriginRelease | undefined>
  /** Call after the transaction has created or changed a release of the environment. */
  changed(environmentId: string): void
}

/** The columns of an ordered release, and which rows count as known. */
interface Selection {
  columns: string
  known: string
}

const everyone: Selection = { columns: 'id, version, released_at, created_at, origin', known: recordedOrigin }

/** A release counts from when a token or an event with a server key named it, whatever public keys sent before. */
const vouched: Selection = {
  columns: 'id, version, released_at, coalesce(vouched_at, created_at) AS created_at, origin',
  known: `${recordedOrigin} AND vouched_at IS NOT NULL`,
}

/** Valid until the transaction ends or is rolled back: there is no other writer meanwhile. */
export function knownReleases(prepare: Prepare): KnownReleases {
  return selectReleases(prepare, everyone)
}

/** The same without what events with a public key have said (decision 057). */
export function vouchedReleases(prepare: Prepare): KnownReleases {
  return selectReleases(prepare, vouched)
}

function selectReleases(prepare: Prepare, { columns, known }: Selection): KnownReleases {
  const lists = new Map<string, OriginRelease[]>()

  return {
    find: (id) => prepare(`SELECT ${columns} FROM release WHERE id = ?`).get<OriginRelease>(id),

    async list(environmentId) {
      const before = lists.get(environmentId)
      if (before !== undefined) return before
      const statement = prepare(`SELECT ${columns} FROM release WHERE environment_id = ? AND ${known}`)
      const found = await statement.all<OriginRelease>(environmentId)
      lists.set(environmentId, found)
      return found
    },

    async withCommit(productId, commit) {
      const { from, below } = commitRange(commit)
      const statement = prepare(
        `SELECT ${columns}, commit_sha FROM release WHERE product_id = ? AND commit_sha >= ? AND commit_sha < ?
           AND commit_sha <> '' AND ${known} ORDER BY created_at, id`,
      )
      const near = await statement.all<OriginRelease & { commit_sha: string }>(productId, from, below)
      return near.find((release) => isSameCommit(release.commit_sha, commit))
    },

    changed: (environmentId) => void lists.delete(environmentId),
  }
}
