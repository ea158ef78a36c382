import { valid } from 'semver'
import { compareReleases } from '../issues/release-order.ts'
import type { OrderedRelease } from '../issues/release-order.ts'

/**
 * The releases of one environment, oldest first: the `sequence` of CONTRACT §6. The pairwise rule can run in a circle
 * where some releases have a time and others only a version, so the order is built: dated ones first, then each undated
 * one is put where the rule finds its place, versions before names.
 */
export function orderReleases<R extends OrderedRelease>(releases: Iterable<R>): R[] {
  const all = [...releases].toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
  const dated = all.filter(({ released_at }) => released_at !== null).toSorted(compareReleases)
  const undated = all.filter(({ released_at }) => released_at === null)
  const versions = undated.filter(isVersion).toSorted(compareReleases)
  const ordered = [...dated]
  for (const release of versions) ordered.splice(placeFor(ordered, release), 0, release)
  for (const release of undated) if (!isVersion(release)) ordered.splice(placeFor(ordered, release), 0, release)
  return ordered
}

function isVersion({ version }: OrderedRelease): boolean {
  return valid(version.slice(version.lastIndexOf('@') + 1), { loose: true }) !== null
}

/** Index of the first element that is newer, by halving. */
function placeFor(ordered: readonly OrderedRelease[], release: OrderedRelease): number {
  let low = 0
  let high = ordered.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = ordered[middle]
    if (other !== undefined && compareReleases(other, release) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
