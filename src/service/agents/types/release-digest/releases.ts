import type { Selectable } from 'kysely'
import { notFound, ServiceError } from '../../../../errors.ts'
import type { Rows } from '../../../sql/database.ts'
import type { EnvironmentRow } from '../../../sql/schema.ts'
import { compareFixes, selectLine } from '../../../workspace/releases/fix-order.ts'
import { orderReleases } from '../../../workspace/releases/release-order.ts'
import type { StoredRelease } from '../../../workspace/releases/releases.ts'
import { isRecordedRelease } from '../../../workspace/releases/rules.ts'

type Environment = Selectable<EnvironmentRow>

/** A release of a product with its live environment. */
export interface PlacedRelease {
  release: StoredRelease
  environment: Environment
}

export interface ChosenReleases {
  current: PlacedRelease
  /** The newest known release of its package in the environment that is older. */
  predecessor: StoredRelease | undefined
  /** The oldest known release of its package in the environment that is newer. */
  successor: StoredRelease | undefined
  /** The same version in other environments, in the order of their names. */
  elsewhere: PlacedRelease[]
}

/**
 * The release to digest and its neighbours. Without a name it is the newest known release; a version that is in several
 * environments means the one in production, else the newest. Throws `not_found` if there is none.
 */
export async function chooseReleases(
  rows: Rows,
  productId: number,
  { named, environmentId }: { named: string | undefined; environmentId: string | undefined },
): Promise<ChosenReleases> {
  const all = await readPlaced(rows, productId)
  const here = all.filter(({ environment }) => environmentId === undefined || environment.id === environmentId)
  const current = named === undefined ? newestKnown(here) : findNamed(here, named)
  const { release, environment } = current
  const siblings = all.filter((one) => one.environment.id === environment.id && one.release.id !== release.id)
  const known = isRecordedRelease(release) ? siblings.map((one) => one.release).filter(isRecordedRelease) : []
  const older = known.filter((one) => compareFixes(one, release) < 0)
  const newer = known.filter((one) => compareFixes(one, release) > 0)
  return {
    current,
    predecessor: selectLine(older, release.version).toSorted(compareFixes).at(-1),
    successor: selectLine(newer, release.version).toSorted(compareFixes)[0],
    elsewhere: all
      .filter((one) => one.release.version === release.version && one.environment.id !== environment.id)
      .toSorted((left, right) => (left.environment.name_key < right.environment.name_key ? -1 : 1)),
  }
}

async function readPlaced(rows: Rows, productId: number): Promise<PlacedRelease[]> {
  const environments = await rows
    .selectFrom('environment')
    .selectAll()
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .execute()
  const releases = await rows.selectFrom('release').selectAll().where('product_id', '=', productId).execute()
  const byId = new Map(environments.map((environment) => [environment.id, environment]))
  return releases.flatMap((release) => {
    const environment = byId.get(release.environment_id)
    return environment === undefined ? [] : [{ release, environment }]
  })
}

function newestKnown(all: readonly PlacedRelease[]): PlacedRelease {
  const newest = inOrder(all.filter(({ release }) => isRecordedRelease(release))).at(-1)
  if (newest !== undefined) return newest
  const message = 'no release has been recorded by a member or CI; record one with record_release, or name a release'
  throw new ServiceError('not_found', message)
}

function findNamed(all: readonly PlacedRelease[], named: string): PlacedRelease {
  const found = all.filter(({ release }) => release.id === named || release.version === named)
  const live = found.filter(({ environment }) => environment.kind === 'ENVIRONMENT_KIND_PRODUCTION')
  const release = found.find((one) => one.release.id === named) ?? inOrder(live.length > 0 ? live : found).at(-1)
  if (release === undefined) throw notFound('release', named, 'list the releases of the product')
  return release
}

function inOrder(all: readonly PlacedRelease[]): PlacedRelease[] {
  const byId = new Map(all.map((one) => [one.release.id, one]))
  return orderReleases(all.map(({ release }) => release)).flatMap(({ id }) => byId.get(id) ?? [])
}
