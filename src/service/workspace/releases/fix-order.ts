import { compare, type SemVer } from 'semver'
import { readVersion, type OrderedRelease } from './release-order.ts'

/**
 * The order that decides whether an event's release has a fix (contract §10.3): negative when `left` comes before
 * `right`, 0 when they are the same. Versions of one package follow semantic versioning, whatever their dates, so that a
 * hotfix of an older line stays older. Otherwise the dates of release decide where both have one, then creation. Compares
 * releases of different environments too: the same version is the same release.
 */
export function compareFixes(left: OrderedRelease, right: OrderedRelease): number {
  if (left.version === right.version) return 0
  const bySemver = compareVersions(left.version, right.version)
  if (bySemver !== 0) return bySemver
  const [leftTime, rightTime] = [left.released_at, right.released_at]
  if (leftTime !== null && rightTime !== null && leftTime !== rightTime) return leftTime - rightTime
  return left.created_at - right.created_at || (left.id < right.id ? -1 : 1)
}

/**
 * The newest of the releases, among those of the package that `version` belongs to where it has any; undefined when there
 * are none.
 */
export function newestFor<R extends OrderedRelease>(releases: readonly R[], version: string): R | undefined {
  const packageName = packagePart(version)
  const own = releases.filter((release) => packagePart(release.version) === packageName)
  const [first, ...others] = own.length > 0 ? own : releases
  return others.reduce((newest, one) => (newest && compareFixes(one, newest) > 0 ? one : newest), first)
}

/**
 * The releases that `version` can be compared with: those of its package or, if there are none, those that name no package.
 * A release of another package says nothing about it.
 */
export function selectLine<R extends OrderedRelease>(releases: readonly R[], version: string): R[] {
  const packageName = packagePart(version)
  const own = releases.filter((release) => packagePart(release.version) === packageName)
  return own.length > 0 ? own : releases.filter((release) => packagePart(release.version) === '')
}

/** 0 when the two are not versions of one package, or equal apart from build metadata. */
function compareVersions(left: string, right: string): number {
  if (packagePart(left) !== packagePart(right)) return 0
  const versions: (SemVer | undefined)[] = [readVersion(left), readVersion(right)]
  const [one, other] = versions
  return one && other ? compare(one, other) : 0
}

/** The package of a version: `shop` of `shop@1.4.0`, empty without one. */
export function packagePart(version: string): string {
  return version.slice(0, Math.max(0, version.lastIndexOf('@')))
}
