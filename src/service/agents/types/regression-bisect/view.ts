import { IssueStatus, Level } from '../../../../contract/base/common.ts'
import { round } from '../../../../lib/round.ts'
import { dayMs, hourMs } from '../../../shared/times.ts'
import { bisect, wasLiveIn, type Judged, type KnownReleases } from './bisect.ts'
import type { BisectedEnvironment, BisectedIssue, Place, Presence } from './read.ts'
import { liveMs } from './release-lines.ts'
import type { BisectionBody } from './schema.ts'
import { expectedInGood, explain, judgeConfidence, nextStep, type Told } from './words.ts'

const MOST_RELEASES = 5
/** Releases before the first bad one that are shown. */
const SHOWN_BEFORE = 2
/** Environments of a release that are named. */
const MOST_ENVIRONMENTS = 5

/** What the bisections of one run share. */
export interface Facts {
  /** Those that count, the most exposed first. */
  environments: readonly BisectedEnvironment[]
  known: KnownReleases
  /** By issue. */
  presences: ReadonlyMap<string, readonly Presence[]>
  /** By issue. */
  files: ReadonlyMap<string, readonly string[]>
  keyPrefix: string
  /** The environment that was asked for. */
  onlyId: string | undefined
  now: number
}

/** The bisection of one issue, and the sentences that events and the summary have of it. */
export interface ViewedBisection {
  /** As the output has it. */
  body: BisectionBody
  /** The result in one sentence. */
  why: string
  /** What to do with the result. */
  next: string
}

/** The bisection of one issue. */
export function viewBisection(issue: BisectedIssue, facts: Facts): ViewedBisection {
  const { environments, known, keyPrefix, now, onlyId } = facts
  const everywhere = facts.presences.get(issue.id) ?? []
  const presence = everywhere.filter((place) => onlyId === undefined || place.environment_id === onlyId)
  const bisected = bisect(presence, known)
  const { firstBad, lastGood, line } = bisected
  const told: Told = {
    ...bisected,
    key: `${keyPrefix}-${issue.number}`,
    environmentNames: new Map(environments.map(({ id, name }) => [id, name])),
    events: countEvents(presence),
    liveDays: (one) => Math.max(hourMs, liveMs(line, line.indexOf(one), now)) / dayMs,
  }
  const commits = commitRange(lastGood, firstBad, environments)
  const body: BisectionBody = {
    issue: {
      id: issue.id,
      key: told.key,
      level: Level.parse(issue.level),
      status: IssueStatus.parse(issue.status),
      is_regression: issue.is_regression === 1,
      events: issue.times_seen,
    },
    kind: bisected.kind,
    first_bad: viewVersion(firstBad, environments),
    last_good: viewVersion(lastGood, environments),
    commits,
    ...judgeConfidence(told),
    expected_in_last_good: expectedInGood(told),
    releases: cutAroundBad(line, firstBad).map((one) => viewRow(one, told, environments)),
    events_outside: bisected.outside.events + countEvents(everywhere) - countEvents(presence),
    files: [...(facts.files.get(issue.id) ?? [])],
  }
  return { body, why: explain(told), next: nextStep(told, commits) }
}

function countEvents(presence: readonly Presence[]): number {
  return presence.reduce((sum, { count }) => sum + count, 0)
}

/** A window of the line that has the first bad release. */
function cutAroundBad(line: readonly Judged[], firstBad: Judged | undefined): readonly Judged[] {
  if (firstBad === undefined) return line.slice(-MOST_RELEASES)
  const from = Math.max(0, Math.min(line.indexOf(firstBad) - SHOWN_BEFORE, line.length - MOST_RELEASES))
  return line.slice(from, from + MOST_RELEASES)
}

function viewRow(one: Judged, told: Told, environments: readonly BisectedEnvironment[]) {
  const days = told.liveDays(one)
  const all = one.places.reduce((sum, { event_count: count }) => sum + count, 0)
  const isLive = told.firstBad !== undefined && wasLiveIn(one, told.firstBad.badIn)
  return {
    id: mainPlace(one, environments)?.id ?? one.id,
    version: one.version,
    state: one.events > 0 ? ('BAD' as const) : isLive ? ('GOOD' as const) : ('NOT_LIVE' as const),
    environments: placesInOrder(one, environments)
      .slice(0, MOST_ENVIRONMENTS)
      .map((place) => told.environmentNames.get(place.environment_id) ?? ''),
    events: one.events,
    other_events: Math.max(0, all - one.events),
    live_days: round(days, 1),
    events_per_day: round(one.events / days, 2),
  }
}

function viewVersion(one: Judged | undefined, environments: readonly BisectedEnvironment[]) {
  return one === undefined ? null : { id: mainPlace(one, environments)?.id ?? one.id, version: one.version }
}

/** The release of a version in its most exposed environment. */
function mainPlace(one: Judged, environments: readonly BisectedEnvironment[]): Place | undefined {
  return placesInOrder(one, environments)[0]
}

function placesInOrder({ places }: Judged, environments: readonly BisectedEnvironment[]): Place[] {
  return environments.flatMap(({ id }) => places.filter((place) => place.environment_id === id))
}

function commitRange(good: Judged | undefined, bad: Judged | undefined, environments: readonly BisectedEnvironment[]) {
  if (good === undefined || bad === undefined) return null
  const [from, to] = [good, bad].map((one) =>
    placesInOrder(one, environments).find(({ commit_sha: commit }) => isCommit(commit)),
  )
  return from && to ? { from: from.commit_sha, to: to.commit_sha } : null
}

/** The range becomes part of a command. */
function isCommit(text: string): boolean {
  return /^[0-9a-f]{7,64}$/i.test(text)
}
