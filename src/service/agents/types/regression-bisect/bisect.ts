import { packagePart } from '../../../workspace/releases/fix-order.ts'
import type { Place, Presence } from './read.ts'
import { wasLive, type Version } from './release-lines.ts'

/** A version as one issue sees it: only its releases in environments in which the issue occurs. */
export interface Judged extends Version {
  /** Events of the issue that name it. */
  events: number
  /** Environments of these events. */
  badIn: ReadonlySet<string>
}

export interface Bisected {
  kind: 'INTRODUCED' | 'CAME_BACK' | 'IN_OLDEST_RELEASE' | 'UNKNOWN'
  /** Versions of the package in which the issue occurs most, oldest first. */
  line: readonly Judged[]
  firstBad?: Judged | undefined
  lastGood?: Judged | undefined
  /** Versions between the two that are not known to have been live where the issue occurs. */
  skipped: readonly Judged[]
  /** Events that name no version of the line, and those of them that came before the first of `firstBad`. */
  outside: { events: number; earlier: number }
}

/** The known releases, by id and as ordered lines. */
export interface KnownReleases {
  places: ReadonlyMap<string, Place>
  lines: ReadonlyMap<string, readonly Version[]>
}

/**
 * The first version of the series with the issue that matters now, and the one before it that was live in the same
 * environment without it. The series is the one in which the issue came back; of an issue that never did, the oldest.
 */
export function bisect(presence: readonly Presence[], known: KnownReleases): Bisected {
  const packageName = mainPackage(presence, known)
  const named = presence.filter(({ release_id: id }) => belongsTo(known.places.get(id), packageName))
  const line = judgeLine(known.lines.get(packageName ?? '') ?? [], named)
  const oldest = line.findIndex(({ events }) => events > 0)
  const others = presence.filter((place) => !named.includes(place))
  const events = others.reduce((sum, { count }) => sum + count, 0)
  if (oldest === -1) return { kind: 'UNKNOWN', line, skipped: [], outside: { events, earlier: 0 } }
  const came = startOfReturn(line, named)
  const start = came ?? oldest
  const firstBad = line[start]
  const good = previousLive(line, start)
  const lastGood = good === undefined ? undefined : line[good]
  const seen = firstSeen(named, firstBad)
  const earlier = others.filter((place) => place.first_seen < seen).reduce((sum, { count }) => sum + count, 0)
  return {
    kind: lastGood === undefined ? 'IN_OLDEST_RELEASE' : came === undefined ? 'INTRODUCED' : 'CAME_BACK',
    line,
    firstBad,
    lastGood,
    skipped: good === undefined ? [] : line.slice(good + 1, start),
    outside: { events, earlier: came === undefined ? earlier : 0 },
  }
}

/** Whether a version was live where an issue with these environments could have occurred. */
export function wasLiveIn({ places }: Version, environmentIds: ReadonlySet<string>): boolean {
  return places.some((place) => environmentIds.has(place.environment_id) && wasLive(place))
}

/** The package with the most events of the issue; undefined when none names a known release. */
function mainPackage(presence: readonly Presence[], { places }: KnownReleases): string | undefined {
  const counts = new Map<string, number>()
  for (const { release_id: id, count } of presence) {
    const place = places.get(id)
    if (place === undefined) continue
    const name = packagePart(place.version)
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  const [most] = [...counts].toSorted(
    ([leftName, left], [rightName, right]) => right - left || (leftName < rightName ? -1 : 1),
  )
  return most?.[0]
}

function belongsTo(place: Place | undefined, packageName: string | undefined): boolean {
  return place !== undefined && packagePart(place.version) === packageName
}

function judgeLine(line: readonly Version[], named: readonly Presence[]): Judged[] {
  const environmentIds = new Set(named.map((place) => place.environment_id))
  const byRelease = new Map(named.map((place) => [place.release_id, place]))
  return line.flatMap((version) => {
    const places = version.places.filter((place) => environmentIds.has(place.environment_id))
    if (places.length === 0) return []
    const bad = places.flatMap(({ id }) => byRelease.get(id) ?? [])
    const events = bad.reduce((sum, { count }) => sum + count, 0)
    return [{ ...version, places, events, badIn: new Set(bad.map((place) => place.environment_id)) }]
  })
}

/**
 * Index of the version in which the issue came back after it was resolved: the first of the series that holds the newest
 * regression. Undefined when it never did, or when no version before that series is known to have been without it.
 */
function startOfReturn(line: readonly Judged[], named: readonly Presence[]): number | undefined {
  const [newest] = named
    .filter((place) => place.regressed_at !== null)
    .toSorted((left, right) => (right.regressed_at ?? 0) - (left.regressed_at ?? 0))
  if (newest === undefined) return undefined
  let start = line.findIndex(({ places }) => places.some(({ id }) => id === newest.release_id))
  for (let before = previousSeen(line, start); before !== undefined; before = previousSeen(line, start)) start = before
  const introduced = line.findIndex(({ events }) => events > 0)
  return start > introduced ? start : undefined
}

/** The version with the issue right before one, unless another was live without it in between. */
function previousSeen(line: readonly Judged[], index: number): number | undefined {
  const before = line.slice(0, index).findLastIndex(({ events }) => events > 0)
  const good = previousLive(line, index)
  return before === -1 || (good !== undefined && good > before) ? undefined : before
}

/** The newest version before one that was live in an environment of its events, without the issue. */
function previousLive(line: readonly Judged[], index: number): number | undefined {
  const environmentIds = line[index]?.badIn ?? new Set()
  const found = line.slice(0, index).findLastIndex((one) => one.events === 0 && wasLiveIn(one, environmentIds))
  return found === -1 ? undefined : found
}

function firstSeen(named: readonly Presence[], firstBad: Judged | undefined): number {
  const ids = new Set(firstBad?.places.map(({ id }) => id))
  return Math.min(...named.filter(({ release_id: id }) => ids.has(id)).map((place) => place.first_seen))
}
