import { counted } from '../../../src/lib/counted.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { BlockContent } from '../../../src/mcp/text/untrusted.ts'
import { describeVariation, type VariationLimits } from '../../../src/mcp/variation/index.ts'
import type { Kept } from '../cuts.ts'
import { occurrenceNames } from '../errors/occurrence-names.ts'
import { sampleEvents, type EventSample, type SampledIssue } from './sample-events.ts'

export const variationLimits = {
  /** The lines that matter for a fix. */
  few: { lines: 4, values: 3, characters: 300, rest: false },
  section: { lines: 10, values: 5, characters: 300, rest: true },
  /** For a reader who wants every value. */
  full: { lines: 30, values: 40, characters: 2_000, rest: true },
} as const satisfies Record<string, VariationLimits>

interface ReadVariation {
  /** What was compared, for the facts; undefined where there is nothing to compare. */
  compared: string | undefined
  content: { [name: string]: BlockContent }
  own: Record<string, Kept>
}

/** What differs between the occurrences of an issue, for the untrusted block. */
export async function readVariation(
  issue: SampledIssue & { times_seen?: number | undefined },
  limits: VariationLimits,
  context: Context,
): Promise<ReadVariation> {
  const { times_seen: total } = issue
  return (total ?? 2) < 2 ? NOTHING : compareSample(await sampleEvents(issue, context), limits, total)
}

const NOTHING: ReadVariation = { compared: undefined, content: {}, own: {} }

/** The same for occurrences that were read before; `total` is how many the issue has, if the deployment says so. */
export function compareSample(
  { events, newest, unread }: EventSample,
  limits: VariationLimits,
  total: number | undefined,
): ReadVariation {
  if (events.length < 2) return NOTHING
  const { varies, same, distinct, total: lines } = describeVariation(events, limits, occurrenceNames(newest))
  const of = total === undefined || total <= events.length ? '' : ` of ${String(total)}`
  const missing = unread === 0 ? '' : `, ${String(unread)} more were not read`
  const found = varies.length === 0 && distinct === undefined ? '; they say the same' : ''
  return {
    compared: `${events.length === total ? 'all ' : ''}${counted(events.length, 'occurrence')}${of}${missing}${found}`,
    content: { varies, same_in_all: same, different_in_each: distinct },
    own: { varies: { shown: varies.length, total: lines } },
  }
}
