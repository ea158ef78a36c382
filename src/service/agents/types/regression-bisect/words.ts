import { capitalised, counted } from '../../../../lib/counted.ts'
import { round } from '../../../../lib/round.ts'
import { cutWithEllipsis } from '../../../../lib/text.ts'
import { isSameCommit } from '../../../workspace/releases/commits.ts'
import type { Bisected, Judged } from './bisect.ts'
import type { BisectionBody } from './schema.ts'

/** Characters of a version in a sentence. */
const LONGEST_VERSION = 60
/** Characters of a commit in a sentence. */
const SHOWN_HASH = 12

/** With fewer expected events, the chance that there are none at all is above 5 %. */
const FEW = 3
/** Environments or releases that a sentence names. */
const MOST_NAMED = 3

/** The facts that the sentences about one issue tell. */
export interface Told extends Bisected {
  key: string
  environmentNames: ReadonlyMap<string, string>
  /** Events of the issue, ever. */
  events: number
  liveDays(this: void, version: Judged): number
}

export const shown = (version: string) => cutWithEllipsis(version, LONGEST_VERSION)

/** The result for one issue in one sentence. */
export function explain(told: Told): string {
  const { kind, key, firstBad, lastGood, line } = told
  if (firstBad === undefined) return `The first bad release of ${key} is not known.`
  const bad = `${counted(firstBad.events, 'event')} in ${shown(firstBad.version)}`
  if (lastGood === undefined) return `${key} has ${bad}, and no good release before it is known.`
  const where = nameEnvironments(firstBad, told)
  const good = `${shown(lastGood.version)}, which was live in ${where} for ${days(told.liveDays(lastGood))}`
  if (kind === 'INTRODUCED') return `${key} has ${bad} and none in ${good}.`
  const earlier = line.slice(0, line.indexOf(lastGood)).findLast(({ events }) => events > 0)
  return `${key} was in ${shown(earlier?.version ?? '')}, was resolved, was absent from ${good}, and came back with ${bad}.`
}

/** How sure the result is, and the data behind it or what is missing. */
export function judgeConfidence(told: Told): Pick<BisectionBody, 'confidence' | 'confidence_reason'> {
  const { firstBad, lastGood, skipped, outside } = told
  const low = (reason: string) => ({ confidence: 'LOW' as const, confidence_reason: reason })
  if (firstBad === undefined) return low(`${capitalised(whyUnknown(told))}.`)
  if (lastGood === undefined) return low(whyOldest(told, firstBad))
  if (skipped.length > 0)
    return low(
      `Nothing shows that ${listSome(skipped.map(({ version }) => shown(version)))}, between the two, ${skipped.length === 1 ? 'was' : 'were'} live in ${nameEnvironments(firstBad, told)}.`,
    )
  if (outside.earlier > 0)
    return low(`${counted(outside.earlier, 'earlier event')} of the issue named no known release, so it may be older.`)
  const proof = `No known release is between the two, and ${shown(lastGood.version)} ${proveLive(lastGood, firstBad)}.`
  return { confidence: 'HIGH', confidence_reason: `${proof}${sayDoubt(told)}` }
}

/** Events of the issue that the good release would have had at the rate of the bad one; null without both. */
export function expectedInGood({ firstBad, lastGood, liveDays }: Told): number | null {
  if (firstBad === undefined || lastGood === undefined) return null
  return round((firstBad.events / liveDays(firstBad)) * liveDays(lastGood), 1)
}

function sayDoubt(told: Told): string {
  const expected = expectedInGood(told)
  if (expected === null || expected >= FEW) return ''
  return ` The issue is rare: at its rate only ${counted(expected, 'event')} would be expected there, so their absence may be chance.`
}

/** What to do with the result. */
export function nextStep({ firstBad, lastGood, key }: Told, commits: BisectionBody['commits']): string {
  if (firstBad === undefined) return 'Set `release` in the SDK, and record each release when it is deployed.'
  if (lastGood === undefined) return `Read the fix context of ${key}: the change may be older than all known releases.`
  if (commits === null)
    return `Record both releases with their commit_sha, or compare ${shown(lastGood.version)} with ${shown(firstBad.version)} in the repository.`
  if (isSameCommit(commits.from, commits.to))
    return 'Both releases name the same commit: look for a change of configuration or data, not of code.'
  return `Read git log -p ${commits.from.slice(0, SHOWN_HASH)}..${commits.to.slice(0, SHOWN_HASH)}, the files of the crash first.`
}

function whyUnknown({ key, events }: Told): string {
  if (events === 0) return `${key} has no events in the environment asked for`
  return `none of the ${counted(events, 'event')} of ${key} names a release that a token made known`
}

function whyOldest(told: Told, firstBad: Judged): string {
  const before = told.line.slice(0, told.line.indexOf(firstBad))
  const where = nameEnvironments(firstBad, told)
  if (told.line.length === 1) return `${shown(firstBad.version)} is the only known release in ${where}.`
  if (before.length === 0) return `${shown(firstBad.version)} is the oldest known release in ${where}.`
  return `No release before ${shown(firstBad.version)} is known to have been live in ${where}.`
}

/** What shows that a release was live where the issue occurred later. */
function proveLive(good: Judged, { badIn }: Judged): string {
  const there = good.places.filter((place) => badIn.has(place.environment_id))
  const events = there.reduce((sum, { event_count: count }) => sum + count, 0)
  if (events > 0) return `had ${counted(events, 'event')} of other issues`
  const dates = there.flatMap(({ released_at: at }) => at ?? [])
  return `was released on ${new Date(Math.min(...dates)).toISOString().slice(0, 10)}, without any event`
}

function nameEnvironments({ badIn, places }: Judged, { environmentNames }: Told): string {
  const named = places.filter((place) => badIn.has(place.environment_id))
  return listSome(named.map((place) => environmentNames.get(place.environment_id) ?? ''))
}

const lists = new Intl.ListFormat('en-GB')

/** `a, b, c and 2 more`. */
export function listSome(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return lists.format([...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${String(more)} more`] : [])])
}

function days(count: number): string {
  return counted(round(count, 1), 'day')
}
