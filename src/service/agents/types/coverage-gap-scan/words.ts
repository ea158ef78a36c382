import * as z from 'zod'
import { GapType } from '../../../../contract/test-context.ts'
import { capitalised, counted } from '../../../../lib/counted.ts'
import type { GapBody } from '../../../quality/gaps/view.ts'
import type { EventData } from '../../define.ts'
import type { Delta, ScannedKey } from './delta.ts'

type Type = z.output<typeof GapType>
type Key = z.input<typeof ScannedKey>

export const TypeCounts = z.record(GapType, z.int()).describe('Gaps by type.')

/** The number of gaps of each type. */
export function countTypes(gaps: readonly Key[]): Record<Type, number> {
  const count = (type: Type) => gaps.filter((gap) => gap.type === type).length
  return Object.fromEntries(GapType.options.map((type) => [type, count(type)])) as Record<Type, number>
}

const typeWords: Readonly<Record<Type, string>> = {
  GAP_TYPE_NO_TEST: 'without a test',
  GAP_TYPE_NOT_RUN: 'not run',
  GAP_TYPE_FAILING: 'failing',
  GAP_TYPE_SUSPECT: 'suspect',
  GAP_TYPE_STALE: 'with old results',
  GAP_TYPE_PARTIAL_CRITERIA: 'with untested criteria',
  GAP_TYPE_UNCLAIMED_HOT_FILE: 'in unclaimed files',
}

/** The message and the data of the finding for a gap. Events name files, so the path of a file is only in the data. */
export function describeGap(found: Key, gaps: readonly GapBody[]): [message: string, data: EventData] {
  const gap = gaps.find(({ id }) => id === found.gap_id)
  const reasons = gap === undefined || gap.reasons.length === 0 ? '' : `: ${gap.reasons.join('; ')}`
  return [`${capitalised(subject(found))} (score ${String(found.score)})${reasons}.`, { ...found }]
}

function subject({ key, requirement_id: id }: Key): string {
  return id === '' ? 'a file that no requirement claims' : key
}

interface Counts {
  min_score: number
  total: number
  below_min_score: number
  by_type: Readonly<Record<Type, number>>
}

/** What the scan found, what changed, and the next step for the worst gap. */
export function summarise(
  { min_score: least, total, below_min_score: below, by_type: byType }: Counts,
  { delta, worst }: { delta: z.input<typeof Delta> | undefined; worst: GapBody | undefined },
): string {
  const scored = `with a score of at least ${String(least)}`
  const lower = below === 0 ? '' : `; ${String(below)} more score lower`
  const change = delta === undefined ? '' : ` ${changeSentence(delta)}`
  if (worst === undefined) return `No coverage gap ${scored}${lower}.${change}`
  const types = GapType.options.flatMap((type) =>
    byType[type] > 0 ? [`${String(byType[type])} ${typeWords[type]}`] : [],
  )
  const first = `Worst: ${worst.requirement?.key ?? 'a file that no requirement claims'} (score ${String(worst.score)}).`
  return `${counted(total, 'coverage gap')} ${scored}: ${types.join(', ')}${lower}.${change} ${first} ${nextStep(worst)}`
}

function changeSentence({ new: fresh, gone, changed, new_gaps: [worstNew] }: z.input<typeof Delta>): string {
  if (fresh + gone + changed === 0) return 'Nothing has changed since the last scan.'
  const worst = worstNew === undefined ? '' : `, the worst ${subject(worstNew)}`
  return `Since the last scan: ${String(gone)} gone, ${String(changed)} changed, ${String(fresh)} new${worst}.`
}

function nextStep({ suggested_action: action, requirement, reproduced_issues: issues }: GapBody): string {
  const key = requirement?.key ?? ''
  switch (action) {
    case 'GAP_ACTION_WRITE_TEST':
      return `Next: write a test for ${key}; get_test_context says what it must prove.`
    case 'GAP_ACTION_ADD_CRITERION_TEST':
      return `Next: test the remaining criteria of ${key}; get_test_context lists them.`
    case 'GAP_ACTION_RUN_TEST':
      return `Next: run the tests of ${key} and send their report with ingest_test_report.`
    case 'GAP_ACTION_FINISH_TEST':
      return `Next: finish the skipped tests of ${key}; get_requirement lists them.`
    case 'GAP_ACTION_FIX_TEST':
      return `Next: find out why the tests of ${key} fail; get_requirement lists them.`
    case 'GAP_ACTION_FIX_CODE': {
      const open = issues.find(({ status }) => status !== 'resolved')?.short_id ?? ''
      return `Next: fix ${open}, which the failing tests of ${key} reproduce; get_fix_context has its code.`
    }
    case 'GAP_ACTION_CONFIRM_LINK':
      return `Next: review the tests of ${key} and confirm their links; get_requirement lists them.`
    case 'GAP_ACTION_WRITE_REQUIREMENT':
      return 'Next: ask what that file must do and record it with save_requirement.'
  }
}
