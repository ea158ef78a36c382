import { compareFixes, packagePart } from '../../../workspace/releases/fix-order.ts'
import { readVersion } from '../../../workspace/releases/release-order.ts'
import type { Place } from './read.ts'

/** A version with its releases, one for each environment. */
export interface Version {
  id: string
  version: string
  released_at: number | null
  created_at: number
  places: readonly Place[]
}

/**
 * The versions of each package, oldest first: by semantic version, so that a hotfix of an older line stays older; names
 * that are not versions come after all that were released before them.
 */
export function orderLines(places: readonly Place[]): Map<string, Version[]> {
  const versions = [...Map.groupBy(places, ({ version }) => version).values()].map(asVersion)
  const lines = Map.groupBy(versions, ({ version }) => packagePart(version))
  return new Map([...lines].map(([name, line]) => [name, orderLine(line)]))
}

function asVersion(places: readonly Place[]): Version {
  const dates = places.flatMap(({ released_at: at }) => at ?? [])
  const ids = places.map(({ id }) => id).toSorted()
  return {
    id: ids[0] ?? '',
    version: places[0]?.version ?? '',
    released_at: dates.length === 0 ? null : Math.min(...dates),
    created_at: Math.min(...places.map((place) => place.created_at)),
    places,
  }
}

function orderLine(versions: readonly Version[]): Version[] {
  const isVersion = ({ version }: Version) => readVersion(version) !== undefined
  const ordered = versions.filter(isVersion).toSorted(compareFixes)
  const names = versions.filter((one) => !isVersion(one)).toSorted((left, right) => startTime(left) - startTime(right))
  for (const name of names) {
    const before = ordered.findLastIndex((one) => startTime(one) <= startTime(name))
    ordered.splice(before + 1, 0, name)
  }
  return ordered
}

function startTime({ released_at: released, created_at: created }: Version): number {
  return released ?? created
}

/** When a release went live in its environment: its date, else its first event or its record, whichever was first. */
function liveFrom({ released_at: released, first_event_at: event, created_at: created }: Place): number {
  return released ?? Math.min(event ?? created, created)
}

/** Whether anything shows that a release was live in its environment: a date of release, or events of any issue. */
export function wasLive({ released_at: released, event_count: events }: Place): boolean {
  return released !== null || events > 0
}

/**
 * Milliseconds in which the version was live in at least one of its environments: until a higher version was released
 * there, or until `now`.
 */
export function liveMs(line: readonly Version[], index: number, now: number): number {
  const own = line[index]?.places ?? []
  const spans = own.map((place) => {
    const from = liveFrom(place)
    const later = line
      .slice(index + 1)
      .flatMap(({ places }) => places.filter((other) => other.environment_id === place.environment_id))
      .filter(wasLive)
      .map(liveFrom)
      .filter((start) => start >= from)
    return { from, until: Math.max(from, Math.min(now, ...later)) }
  })
  return unionMs(spans)
}

function unionMs(spans: readonly { from: number; until: number }[]): number {
  let sum = 0
  let covered = Number.NEGATIVE_INFINITY
  for (const { from, until } of spans.toSorted((left, right) => left.from - right.from)) {
    sum += Math.max(0, until - Math.max(from, covered))
    covered = Math.max(covered, until)
  }
  return sum
}
