import { toMinute } from '../../../src/mcp/result/present.ts'
import { counted } from '../../../src/lib/counted.ts'
import { vouchedWords } from '../columns.ts'
import type { Issue } from './issues.ts'

type Reopening = NonNullable<Issue['reopening']>
type Place = NonNullable<Reopening['environments']>[number]

/** What `it` is in a sentence: one issue, or each of several. */
export type Pronoun = 'it' | 'its issue'

/**
 * What reopens a resolved or ignored issue, in a sentence or two; undefined of an unresolved one, and where the deployment
 * does not say it.
 */
export function reopeningSentence(issue: Issue, it: Pronoun = 'it'): string | undefined {
  if (issue.status !== 'resolved' && issue.status !== 'ignored') return undefined
  const { ignore_until: until, reopening } = issue
  if (until?.count !== undefined) {
    const { remaining: left } = until
    if (left === undefined)
      return `It is ignored for ${counted(until.count, 'event')}; how many are left is not stated.`
    return left === 0
      ? `The next event reopens ${it}.`
      : `It is ignored for ${counted(left, 'more event')}; the one after that reopens ${it}.`
  }
  if (until?.until !== undefined) return `The first event at or after ${toMinute(until.until) ?? ''} reopens ${it}.`
  if (reopening?.reopens === undefined || reopening.environments === undefined) return undefined
  if (issue.status === 'ignored' && until === undefined) return `No event reopens ${it}.`
  return `${commitSentence(issue)}${byRelease(reopening, it)}`
}

function commitSentence({ fixed_in: fix }: Issue): string {
  if (fix?.kind !== 'commit') return ''
  const commit = fix.commit?.slice(0, 12) ?? ''
  return fix.release
    ? `Commit ${commit} is in ${releaseName(fix.release)}. `
    : `No recorded release has commit ${commit} yet, so the next one counts. `
}

function byRelease({ reopens, without_release: isBare, environments = [] }: Reopening, it: Pronoun): string {
  const does = reopens === false ? `marks ${it} as regressed but does not reopen it` : `reopens ${it}`
  const anyEvent = environments.filter(({ rule }) => rule === 'any_event')
  const others = environments.filter(({ rule }) => rule !== 'any_event')
  const sentences = [
    anyEvent.length === 0 ? undefined : `Any event${inPlaces(anyEvent)} ${does}, because no release is recorded there.`,
    anyEvent.length > 0 && others.length === 0
      ? undefined
      : `An event${clauses(others)}${isBare === true ? ', or one without a release,' : ''} ${does}; ` +
        'events of older or unknown releases do not.',
  ]
  return sentences.filter((sentence) => sentence !== undefined).join(' ')
}

/** ` in production from shop@1.4.2 or later, or in staging from …`; the same rule is said once. */
function clauses(places: readonly Place[]): string {
  if (places.length === 0) return ' of a recorded release'
  const byRule = Map.groupBy(places, (place) => fromRelease(place))
  return [...byRule.values()].map((same) => `${inPlaces(same)}${fromRelease(same[0])}`).join(', or')
}

function fromRelease(place: Place | undefined): string {
  const name = releaseName(place?.release)
  if (place?.rule === 'at_or_after') return ` from ${name} or later`
  return place?.rule === 'after' ? ` from a release after ${name}` : ' from any recorded release'
}

function inPlaces(places: readonly Place[]): string {
  const names = places.map((place) =>
    place.environment_known === false
      ? 'an environment that only events named'
      : (vouchedWords('an environment', place.environment, place.environment_known) ?? 'an environment without a name'),
  )
  return ` in ${[...new Set(names)].join(' and ')}`
}

function releaseName(release: Place['release']): string {
  return vouchedWords('a release', release?.version, release?.known) ?? 'an unnamed release'
}
