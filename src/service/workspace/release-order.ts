import { compare, parse, type SemVer } from 'semver'

/** What the place of a release among those of its environment rests on. */
export interface OrderedRelease {
  id: string
  version: string
  released_at: number | null
  created_at: number
}

/** The releases of one environment in their order, which stays one while releases are added. */
export interface ReleaseOrder {
  add(release: OrderedRelease): void
  /** Does `id` stand before `other`? A release that is not of the environment stands before all of it. */
  isBefore(id: string, other: string): boolean
}

/** Longer versions are names: SDKs invent none, and reading one takes time that grows with it (decision 011). */
const LONGEST_VERSION = 64

interface Placed<R extends OrderedRelease> {
  release: R
  /** Undefined for a name that is no version. */
  version: SemVer | undefined
}

/**
 * The releases of one environment, oldest first: the `sequence` of contract §6, by `released_at` where both have one, then
 * by semantic version when both parse, then by creation. This pairwise rule can run in a circle, so the order is built:
 * dated ones first, by their times, then each undated one is put where the rule finds its place; of those with the same
 * time and of those without one, versions come before names. Each version is read once.
 */
export function orderReleases<R extends OrderedRelease>(releases: Iterable<R>): R[] {
  return placed(releases).map(({ release }) => release)
}

/**
 * The same order, to be asked while releases come. What is added later is put where the rule finds its place, which can
 * be another one than `orderReleases` gives it only where the rule runs in a circle.
 */
export function releaseOrder(releases: Iterable<OrderedRelease>): ReleaseOrder {
  const ordered = placed(releases)
  const index = (id: string) => ordered.findIndex(({ release }) => release.id === id)
  return {
    add: (release) => insert(ordered, [withVersion(release)]),
    isBefore: (id, other) => index(id) < index(other),
  }
}

function placed<R extends OrderedRelease>(releases: Iterable<R>): Placed<R>[] {
  const all = Array.from(releases, withVersion).toSorted(byCreation)
  const groups = Map.groupBy(all, ({ release }) => release.released_at)
  const undated = groups.get(null) ?? []
  groups.delete(null)
  const dated = [...groups].toSorted(([left], [right]) => Number(left) - Number(right))
  const ordered = dated.flatMap(([, together]) => insert([], together))
  return insert(ordered, undated)
}

/** Puts each of `added` (in the order of creation) where it belongs in `ordered`, versions before names. */
function insert<R extends OrderedRelease>(ordered: Placed<R>[], added: readonly Placed<R>[]): Placed<R>[] {
  const versions = added.filter(({ version }) => version !== undefined).toSorted(compareReleases)
  const names = added.filter(({ version }) => version === undefined)
  for (const one of [...versions, ...names]) ordered.splice(placeFor(ordered, one), 0, one)
  return ordered
}

function compareReleases(left: Placed<OrderedRelease>, right: Placed<OrderedRelease>): number {
  const [leftTime, rightTime] = [left.release.released_at, right.release.released_at]
  if (leftTime !== null && rightTime !== null && leftTime !== rightTime) return leftTime - rightTime
  const order = left.version && right.version ? compare(left.version, right.version) : 0
  return order === 0 ? byCreation(left, right) : order
}

function byCreation({ release: left }: Placed<OrderedRelease>, { release: right }: Placed<OrderedRelease>): number {
  return left.created_at - right.created_at || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
}

/** SDKs write releases as `package@version` as well. */
function withVersion<R extends OrderedRelease>(release: R): Placed<R> {
  const { version } = release
  const text = version.slice(version.lastIndexOf('@') + 1)
  const read = text.length > LONGEST_VERSION ? null : parse(text, { loose: true })
  return { release, version: read ?? undefined }
}

/** Index of the first element that is newer, by halving. */
function placeFor(ordered: readonly Placed<OrderedRelease>[], one: Placed<OrderedRelease>): number {
  let low = 0
  let high = ordered.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = ordered[middle]
    if (other !== undefined && compareReleases(other, one) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
