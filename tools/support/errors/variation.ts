import { counted } from '../../../src/lib/counted.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { BlockContent } from '../../../src/mcp/text/untrusted.ts'
import { describeVariation, type VariationLimits } from '../../../src/mcp/variation/index.ts'
import type { Kept } from '../cuts.ts'
import { sampleEvents, type SampledIssue } from './sample-events.ts'

export const variationLimits = {
  /** The lines that matter for a fix. */
  few: { lines: 4, same: 0, values: 4 },
  section: { lines: 14, same: 8, values: 6 },
} as const satisfies Record<string, VariationLimits>

interface ReadVariation {
  /** What was compared, for the facts; undefined where there is nothing to compare. */
  compared: string | undefined
  content: { [name: string]: BlockContent }
  own: Record<string, Kept>
}

/** What differs between the occurrences of an issue, for the untrusted block. */
export async function readVariation(
  issue: SampledIssue,
  limits: VariationLimits,
  context: Context,
): Promise<ReadVariation> {
  if ((issue.times_seen ?? 2) < 2) return { compared: undefined, content: {}, own: {} }
  const { events, unread, total } = await sampleEvents(issue, context)
  if (events.length < 2) return { compared: undefined, content: {}, own: {} }
  const { varies, same, distinct, totals } = describeVariation(events, limits)
  const of = total === undefined || total <= events.length ? '' : ` of ${String(total)}`
  const missing = unread === 0 ? '' : `, ${String(unread)} more were not read`
  const found = varies.length === 0 ? '; they say the same' : ''
  return {
    compared: `${counted(events.length, 'occurrence')}${of}${missing}${found}`,
    content: { varies, same_in_all: same, different_in_each: limits.same > 0 ? distinct : undefined },
    own: {
      varies: { shown: varies.length, total: totals.varies },
      ...(limits.same > 0 && { same_in_all: { shown: same.length, total: totals.same } }),
    },
  }
}
