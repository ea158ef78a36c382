import { readJson } from '../../../sql/json.ts'
import { ResolvedIn, StoredFixedIn, StoredIgnoreUntil, type IgnoreUntil } from '../columns.ts'
import type { EventPlace } from './event-place.ts'
import type { KnownReleases, OriginRelease } from './known-releases.ts'
import { judge, type Fix, type Occurred } from './reopens.ts'

/** A resolved or ignored issue as it was before an occurrence. */
export interface ClosedIssue {
  status: string
  resolved_in: string | null
  fixed_in: string | null
  ignore_until: string | null
  times_seen: number
}

export interface NewOccurrence {
  productId: number
  place: EventPlace
  namesRelease: boolean
}

/**
 * What an occurrence means for a closed issue (contract §10.3): it `regressed`, its ignoring ended, the occurrence is
 * `held` because nothing shows whether it has the fix, or the status stays.
 */
export type Outcome = 'stays' | 'held' | 'regressed' | 'ignore_ended'

/** The outcome by the releases given; writes nothing. `now` is epoch milliseconds. */
export async function judgeClosed(
  issue: ClosedIssue,
  occurrence: NewOccurrence,
  { releases, now }: { releases: KnownReleases; now: number },
): Promise<Outcome> {
  if (issue.status === 'resolved') {
    const fix = await readFix(releases, issue, occurrence)
    const judgement = await judge(fix, await occurred(releases, occurrence))
    return judgement === 'older' ? 'stays' : judgement === 'unproven' ? 'held' : 'regressed'
  }
  if (issue.ignore_until === null) return 'stays'
  const until = readJson(StoredIgnoreUntil, issue.ignore_until)
  return (await hasEnded(until, issue, occurrence, { releases, now })) ? 'ignore_ended' : 'stays'
}

/** Whether the occurrence ends the ignoring: the one beyond the count, after the time, or in a newer known release. */
async function hasEnded(
  until: IgnoreUntil,
  issue: ClosedIssue,
  occurrence: NewOccurrence,
  { releases, now }: { releases: KnownReleases; now: number },
): Promise<boolean> {
  if (until.kind === 'count') return issue.times_seen + 1 - until.from > until.count
  if (until.kind === 'time') return now >= until.until
  const newest = await newestThen(releases, until.newest, occurrence.place)
  return (await judge({ kind: 'next', newest }, await occurred(releases, occurrence))) === 'reopens'
}

async function readFix(releases: KnownReleases, issue: ClosedIssue, { place, productId }: NewOccurrence): Promise<Fix> {
  const context = issue.resolved_in === null ? {} : readJson(ResolvedIn, issue.resolved_in)
  const newest = await newestThen(releases, context, place)
  if (issue.fixed_in === null) return { kind: 'plain', newest }
  const fixedIn = readJson(StoredFixedIn, issue.fixed_in)
  if (fixedIn.kind === 'next') return { kind: 'next', newest }
  const release = await (fixedIn.kind === 'release'
    ? releases.find(fixedIn.release_id)
    : releases.withCommit(productId, fixedIn.commit))
  return release === undefined ? { kind: 'next', newest } : { kind: 'release', release }
}

/** The newest known release that the environment of the occurrence had at the time of the status. */
async function newestThen(
  releases: KnownReleases,
  context: Readonly<Record<string, string>>,
  place: EventPlace,
): Promise<OriginRelease | undefined> {
  const id = context[place.environmentId]
  return id === undefined ? undefined : releases.find(id)
}

async function occurred(releases: KnownReleases, { place, namesRelease }: NewOccurrence): Promise<Occurred> {
  return {
    namesRelease,
    release: place.releaseId === '' ? undefined : await releases.find(place.releaseId),
    known: () => releases.list(place.environmentId),
  }
}
