import { compare, parse, type SemVer } from 'semver'

/** The members of a release that decide its place in the order of its environment. */
export interface OrderedRelease {
  id: string
  version: string
  released_at: number | null
  created_at: number
}

/** Longer versions count as names: SDKs do not generate any, and parsing time grows with length (decision 011). */
const LONGEST_VERSION = 64

interface Placed<R extends OrderedRelease> {
  release: R
  /** Undefined for a name that is not a version. */
  version: SemVer | undefined
}

/**
 * The releases of one environment, oldest first: the `sequence` of contract §6, by `released_at` where both have one,
 * then by semantic version when both parse, then by creation. This pairwise rule is not transitive, so the order is
 * built in steps: dated releases first, by their times, then each undated one is inserted where the rule puts it. Among
 * releases with the same time and among those without one, versions come before names. Each version is parsed once.
 */
export function orderReleases<R extends OrderedRelease>(releases: Iterable<R>): R[] {
  return placed(releases).map(({ release }) => release)
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

/** Inserts each of `added` (in order of creation) at its place in `ordered`, versions before names. */
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

function withVersion<R extends OrderedRelease>(release: R): Placed<R> {
  return { release, version: readVersion(release.version) }
}

/** The semantic version in a release's name, also behind `package@`, as SDKs write it; undefined without one. */
export function readVersion(name: string): SemVer | undefined {
  const text = name.slice(name.lastIndexOf('@') + 1)
  return text.length > LONGEST_VERSION ? undefined : (parse(text, { loose: true }) ?? undefined)
}

/** Index of the first element that is newer, by binary search. */
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
