import { Priority } from '../../../src/contract/base/common.ts'
import type { Requirement } from '../../../src/mcp/resolve/types.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'

/** The least first. */
export const priorities = ['low', 'medium', 'high', 'critical'] as const
export type PriorityWord = (typeof priorities)[number]

/** A priority in the contract's words. */
export function parsePriority(word: PriorityWord) {
  return Priority.parse(`PRIORITY_${word.toUpperCase()}`)
}

/** `high`; undefined where the deployment does not state it. */
export function priorityWord({ priority }: Requirement): string | undefined {
  return withoutPrefix(priority, 'PRIORITY_')
}

/** Whether a requirement of high or critical priority or risk is neither with this priority (contract §7.2). */
export function isLowered(wanted: PriorityWord | undefined, before: Requirement): boolean {
  const risk = withoutPrefix(before.risk, 'RISK_LEVEL_')
  const was = priorityWord(before)
  return isHigh(was) && !isHigh(wanted ?? was) && !isHigh(risk)
}

function isHigh(word: string | undefined): boolean {
  return word === 'high' || word === 'critical'
}
