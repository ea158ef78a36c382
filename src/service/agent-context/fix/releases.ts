import { sql } from 'kysely'
import { viewReleases } from '../../workspace/releases/release-view.ts'
import { isKnownRelease } from '../../workspace/releases/rules.ts'
import type { Presence } from '../../errors/issues/read/presence.ts'
import type { Rows } from '../../sql/database.ts'
import type { ReleasesBody } from './bodies.ts'
import { byEnvironment } from './environments.ts'

const none: ReleasesBody = { first: null, last: null, last_good: null, commit_range: null }

/**
 * The suspect releases in the environment with the most occurrences (contract §10.4): `first` is the release of the
 * first occurrence there, or of the first since a regression; `last` that of the newest occurrence with a release;
 * `last_good` the predecessor of `first`, null if the issue has occurred in it since; `commit_range` spans `last_good`
 * to `first` if both have a commit.
 */
export async function suspectReleases(
  rows: Rows,
  issue: { id: string; is_regression: number },
  presence: readonly Presence[],
): Promise<ReleasesBody> {
  const environmentId = byEnvironment(presence).find(({ id }) => id !== '')?.id
  if (environmentId === undefined) return none
  const here = presence.filter((place) => place.environment_id === environmentId)
  const start =
    issue.is_regression === 1
      ? await firstSinceRegression(rows, issue.id, environmentId)
      : here.toSorted((left, right) => left.first_seen - right.first_seen)[0]
  const lastId = here.find(({ release_id: id }) => id !== '')?.release_id ?? ''
  const [first, last] = await Promise.all([findRelease(rows, start?.release_id ?? ''), findRelease(rows, lastId)])
  const predecessor = await findPredecessor(rows, first)
  const since = start?.first_seen ?? 0
  const isBad = here.some(({ release_id: id, last_seen }) => id === predecessor?.id && last_seen >= since)
  const good = isBad ? undefined : predecessor
  const [from, to] = [good?.commit_sha ?? '', first?.commit_sha ?? '']
  return {
    first: toReleaseRef(first),
    last: toReleaseRef(last),
    last_good: toReleaseRef(good),
    commit_range: from === '' || to === '' ? null : { from, to },
  }
}

type Release = NonNullable<Awaited<ReturnType<typeof findRelease>>>

async function findRelease(rows: Rows, id: string) {
  return rows.selectFrom('release').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The release before it in the order of its environment; undefined for the oldest. */
async function findPredecessor(rows: Rows, release: Release | undefined): Promise<Release | undefined> {
  if (release === undefined) return undefined
  const [view] = await viewReleases(rows, [release])
  return findRelease(rows, view?.predecessor_id ?? '')
}

function toReleaseRef(release: Release | undefined): ReleasesBody['first'] {
  if (release === undefined) return null
  return { id: release.id, key: '', title: release.version, known: isKnownRelease(release) }
}

interface RegressionStart {
  release_id: string
  /** Epoch milliseconds. */
  first_seen: number
}

/**
 * The first occurrence in an environment since the issue last regressed; undefined if it has not regressed there yet.
 */
async function firstSinceRegression(
  rows: Rows,
  issueId: string,
  environmentId: string,
): Promise<RegressionStart | undefined> {
  const change = await rows
    .selectFrom('issue_history')
    .select(['id', 'reason', 'at'])
    .where('issue_id', '=', issueId)
    .where((eb) => eb.or([eb('to_status', '=', 'resolved'), eb('reason', '=', 'regression')]))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (change?.reason !== 'regression') return markedRegression(rows, issueId, { environmentId, since: change?.at ?? 0 })
  // The occurrence that reopened the issue is the last one created before the history row, in the same transaction.
  const reopening = await rows
    .selectFrom('occurrence')
    .select('seq')
    .where('id', '<', change.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return rows
    .selectFrom('occurrence')
    .innerJoin('place', 'place.id', 'place_id')
    .select(['release_id', 'timestamp as first_seen'])
    .where('issue_id', '=', issueId)
    .where('environment_id', '=', environmentId)
    .where('seq', '>=', reopening?.seq ?? 0)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
}

/** The same for products that do not reopen issues: only the releases in which they regressed are known. */
async function markedRegression(
  rows: Rows,
  issueId: string,
  { environmentId, since }: { environmentId: string; since: number },
): Promise<RegressionStart | undefined> {
  return rows
    .selectFrom('issue_regression')
    .innerJoin('release', 'release.id', 'issue_regression.release_id')
    .select(['issue_regression.release_id', sql<number>`issue_regression.at`.as('first_seen')])
    .where('issue_regression.issue_id', '=', issueId)
    .where('release.environment_id', '=', environmentId)
    .where('issue_regression.at', '>=', since)
    .orderBy('issue_regression.at')
    .limit(1)
    .executeTakeFirst()
}
