import type * as z from 'zod'
import type { Condition } from '../../../contract/quality-gate/policy.ts'

/** How many of a sample a condition counted, and whether it judges the share or the number. */
export interface Counted {
  counted: number
  sample: number
  isShare: boolean
}

type Rule = Pick<z.output<typeof Condition>, 'comparator' | 'threshold'>

/** The number that is compared with the threshold; a share of nothing is 0. */
export function actualValue({ counted, sample, isShare }: Counted): number {
  if (!isShare) return counted
  return sample === 0 ? 0 : counted / sample
}

/** Whether the condition holds. */
export function holds({ comparator, threshold }: Rule, measure: Counted): boolean {
  const actual = actualValue(measure)
  return comparator === 'COMPARATOR_GTE' ? actual >= threshold : actual <= threshold
}

/** The least (≥) or greatest (≤) whole number with which the condition holds for this sample. */
export function bound({ comparator, threshold }: Rule, { sample, isShare }: Counted): number {
  const scale = isShare ? sample : 1
  if (scale === 0) return 0
  const isLeast = comparator === 'COMPARATOR_GTE'
  const near = isLeast ? Math.ceil(threshold * scale) : Math.floor(threshold * scale)
  // The product may be wrong by one rounding (0.07 · 100 = 7.000000000000001); the quotient is what `holds` compares.
  if (isLeast && (near - 1) / scale >= threshold) return near - 1
  if (!isLeast && (near + 1) / scale <= threshold) return near + 1
  if (isLeast && near / scale < threshold) return near + 1
  if (!isLeast && near / scale > threshold) return near - 1
  return near
}

/** The minimum number of items that must change for the condition to hold; 0 when it holds (contract §7). */
export function toPass(rule: Rule, measure: Counted): number {
  if (holds(rule, measure)) return 0
  return Math.abs(bound(rule, measure) - measure.counted)
}
