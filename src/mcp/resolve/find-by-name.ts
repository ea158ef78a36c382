import type { Api } from '../../client/api.ts'
import { counted } from '../../lib/counted.ts'
import { oncePer } from '../../lib/once.ts'
import { describeValue, TeachingError } from '../result/teach.ts'
import { compareName, isSameVersion, knownName } from '../text/untrusted.ts'
import { chooseByName } from './choose.ts'
import { noEvents } from './no-events.ts'
import { isUuid } from './ids.ts'
import { explainNotOffered, ifOffered, isNotOffered } from './offered.ts'
import { everyPage, rowsSearched, undefinedIfNotFound } from './requests.ts'
import type { Environment, Release, Resolver } from './types.ts'

type NameFinder = Pick<
  Resolver,
  'environments' | 'environment' | 'releases' | 'release' | 'judgedRelease' | 'components' | 'component' | 'hasEvents'
>

/** The part of a resolver that finds the environments, releases and components of a product by name. */
export function createNameFinder({ api, signal }: { api: Api; signal: AbortSignal }): NameFinder {
  const environments = oncePer((productId: string) =>
    everyPage((page) => api.listEnvironments({ product_id: productId, ...page }, { signal }), 'environments'),
  )
  const components = oncePer((productId: string) =>
    everyPage((page) => api.listComponents({ product_id: productId, ...page }, { signal }), 'components'),
  )
  const releases: NameFinder['releases'] = async (productId, filter = {}) => {
    const { releases: rows, reading } = await api.listReleases(
      {
        product_id: productId,
        ...(filter.environmentId !== undefined && { environment_id: filter.environmentId }),
        ...(filter.version !== undefined && { version: filter.version }),
        page_size: 50,
      },
      { signal },
    )
    return { rows, reading }
  }

  async function release(
    productId: string,
    given: string,
    environmentId: string | undefined,
    { isJudged = false } = {},
  ): Promise<Release> {
    const scope = environmentId === undefined ? {} : { environmentId }
    const searched = await unlessId('release', given, releases(productId, { ...scope, version: given }))
    if (searched === undefined) return { id: given }
    const versioned = searched.rows.filter((row) => compareName(row.version, given) !== undefined)
    const { rows } = versioned.length > 0 ? { rows: versioned } : await releases(productId, scope)
    if (rows.length === 0 && !(await hasEvents(productId))) throw nothingYet('release', given)
    if (versioned.length === 0 && isUuid(given) && rows.every(({ id }) => id !== given)) {
      const older = await undefinedIfNotFound(api.getRelease({ id: given }, { signal }))
      if (older?.release.product_id === productId) return older.release
    }
    const hasChoice = environmentId === undefined && versioned.length > 1
    const places = (hasChoice ? await ifOffered(environments(productId)) : undefined)?.rows ?? []
    return chooseByName(given, rows, {
      kind: 'release',
      parameter: 'release',
      names: (row) => [row.version],
      label: (row) =>
        [knownName(row.version, row.known), knownName(row.environment, row.environment_known)]
          .filter(Boolean)
          .join(' in '),
      isAlike: (row) => isSameVersion(row.version, given),
      ...(isJudged && { prefer: (matches) => mostExposed(matches, places) }),
      several: (matches) => tellApart(byExposure(matches, places), productId),
      among: rowsSearched(searched, 'version'),
      next: {
        tool: 'get_workspace_context',
        why: 'lists releases',
        args: { product: productId, include: ['releases'] },
      },
    })
  }

  const hasEvents = oncePer(async (productId: string) => {
    const { issues } = await api.listIssues({ product_id: productId, page_size: 1 }, { signal })
    return issues.length > 0
  })

  return {
    environments,
    async environment(productId, given) {
      const listed = await unlessId('environment', given, environments(productId))
      if (listed === undefined) return { id: given }
      const { rows } = listed
      if (rows.length === 0 && !(await hasEvents(productId))) throw nothingYet('environment', given)
      return chooseByName(given, rows, {
        kind: 'environment',
        parameter: 'environment',
        names: (row) => [row.name],
        label: (row) => knownName(row.name, row.known),
        among: rowsSearched(listed),
        next: {
          tool: 'get_workspace_context',
          why: 'lists environments',
          args: { product: productId, include: ['environments'] },
        },
      })
    },
    hasEvents,
    releases,
    release,
    judgedRelease: (productId, given, environmentId) => release(productId, given, environmentId, { isJudged: true }),
    components,
    async component(productId, given) {
      const listed = await unlessId('component', given, components(productId))
      if (listed === undefined) return { id: given }
      return chooseByName(given, listed.rows, {
        among: rowsSearched(listed),
        kind: 'component',
        parameter: 'component',
        names: (row) => [row.name, row.slug],
        label: (row) => row.name,
        next: {
          tool: 'get_workspace_context',
          why: 'lists components',
          args: { product: productId, include: ['components'] },
        },
      })
    },
  }
}

/**
 * The list to find `given` in. Where this deployment does not offer it: undefined for an id, which needs no list; throws
 * an error that names the list for a name.
 */
async function unlessId<T>(kind: string, given: string, list: Promise<T>): Promise<T | undefined> {
  try {
    return await list
  } catch (error) {
    if (isNotOffered(error) && isUuid(given)) return undefined
    return explainNotOffered(`the list of ${kind}s`, {
      sent: `${kind} = ${describeValue(given)}`,
      expected: `the id of the ${kind}: only names need the list`,
      change: { leaveOut: kind },
    })(error)
  }
}

/** Where an issue can be new for the gate (contract §10.6), the worst place first; then where a version is before it is there. */
const judged = ['ENVIRONMENT_KIND_PRODUCTION', 'ENVIRONMENT_KIND_STAGING', 'ENVIRONMENT_KIND_TEST']

interface PlacedRelease {
  release: Release
  /** 0 for production, 1 for staging, 2 for tests, 3 for any other place. */
  place: number
}

/** Releases of one version by their environments, production first. */
function byExposure(releases: readonly Release[], environments: readonly Environment[]): PlacedRelease[] {
  const kinds = new Map(environments.map(({ id, kind }) => [id, judged.indexOf(kind ?? '')]))
  const placed = releases.map((release) => {
    const place = kinds.get(release.environment_id ?? '') ?? -1
    return { release, place: place < 0 ? judged.length : place }
  })
  return placed.toSorted((one, other) => one.place - other.place)
}

/** The only release of a version in production, or in staging where none is in production, or else where it is tested. */
function mostExposed(releases: readonly Release[], environments: readonly Environment[]): Release | undefined {
  const [first, second] = byExposure(releases, environments)
  if (first === undefined || first.place === judged.length || second?.place === first.place) return undefined
  return first.release
}

/** Releases of one version differ by their environment; what members did not name is only shown in a result. */
function tellApart(placed: readonly PlacedRelease[], productId: string) {
  const releases = placed.map(({ release }) => release)
  const environments = releases.map((row) => knownName(row.environment, row.environment_known))
  const [first] = environments
  const isMeant = placed.slice(0, 1).some(({ place }) => place < judged.length - 1)
  const isOne = environments.indexOf(first, 1) === -1
  if (first !== undefined && isOne && (isMeant || !environments.includes(undefined))) {
    const has = releases.map(({ counts }, index) =>
      counts?.events === undefined ? [] : `${environments[index] ?? 'another'} ${counted(counts.events, 'event')}`,
    )
    const what = has.flat().length === 0 ? '' : ` (${has.flat().join(', ')})`
    const expected = `the version exists in several environments${what}: pass environment too, or a release id`
    return { expected, change: { add: 'environment', value: first } }
  }
  const args = { product: productId, include: ['releases'] }
  return {
    expected: 'one release id',
    next: { tool: 'get_workspace_context', why: 'shows their environments and times', args },
  }
}

function nothingYet(kind: 'environment' | 'release', given: string): TeachingError {
  return new TeachingError('not_found', `${kind} not found`, {
    sent: `${kind} = ${describeValue(given)}`,
    expected: `there is no ${kind} yet: the first event or test report that names one adds it`,
    hint: noEvents,
  })
}
