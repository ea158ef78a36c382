import { counted } from '../../../../lib/counted.ts'
import { cutWithEllipsis } from '../../../../lib/text.ts'
import type { EventData } from '../../define.ts'
import type { GateWatchOutput } from './output.ts'

/** Characters of the summary, and of the parts of the verdict in it. */
const SUMMARY_CHARACTERS = 500
const SCOPE_CHARACTERS = 80
const REASON_CHARACTERS = 140
const NEXT_CHARACTERS = 140

/**
 * The newly failing items as findings: one for each item, with all conditions in which it fails. At the first verdict of a
 * scope, the items to fix.
 */
export function describeFindings(output: GateWatchOutput): [message: string, data: EventData][] {
  const { compared_with: before } = output
  const verb = before === null ? 'fails' : 'newly fails'
  const failing: readonly Failing[] = before === null ? itemsToFix(output) : output.newly_failing
  const items = Map.groupBy(failing, ({ type, key }) => `${type}:${key}`)
  return [...items.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const conditions = same.map(({ condition_id: id }) => id)
    const { type, id, key, because } = first
    return [[`${key} ${verb} ${conditions.join(', ')}: ${because}`, { type, id, key, condition_ids: conditions }]]
  })
}

type Failing = Pick<GateWatchOutput['newly_failing'][number], 'condition_id' | 'type' | 'id' | 'key' | 'because'>

function itemsToFix({ to_green: conditions }: GateWatchOutput): Failing[] {
  return conditions.flatMap(({ condition_id, cheapest }) => cheapest.map((item) => ({ condition_id, ...item })))
}

/** Status, what changed, what ends soon, and the next step. */
export function summarise(output: GateWatchOutput): string {
  const sentences = [statusSentence(output), changeSentence(output), riskSentence(output), nextStep(output)]
  return cutWithEllipsis(sentences.filter((sentence) => sentence !== '').join(' '), SUMMARY_CHARACTERS)
}

function statusSentence({ verdict, scope, compared_with: before }: GateWatchOutput): string {
  const was = before === null || before.status === verdict.status ? '' : ` (was ${before.status})`
  const place = cutWithEllipsis(scope.name, SCOPE_CHARACTERS)
  return `${verdict.status}${was} for ${place}: ${cutWithEllipsis(verdict.status_reason, REASON_CHARACTERS)}`
}

function changeSentence(output: GateWatchOutput): string {
  const { compared_with: before, newly_failing_total: fresh, changes } = output
  if (before === null) return 'This is its first verdict, so there is nothing to compare with.'
  const since = before.source === 'last_run' ? 'the last run' : 'the previous verdict'
  const better = improvedSentence(output)
  if (fresh === 0 && changes.length === 0) return `Nothing newly fails since ${since}.${better}`
  const moved = changes.length === 0 ? '' : ` and ${counted(changes.length, 'changed condition')}`
  return `Since ${since}: ${counted(fresh, 'newly failing item')}${moved}.${better}`
}

function improvedSentence({ improved }: GateWatchOutput): string {
  const [first] = improved
  if (first === undefined) return ''
  const items = new Set(improved.map(({ type, key }) => `${type}:${key}`)).size
  const how =
    first.to === null
      ? `${first.key} no longer fails ${first.condition_id}`
      : `${first.key} ${first.from} -> ${first.to}`
  return ` ${counted(items, 'item')} improved, first ${how}.`
}

function riskSentence({ risks: { ending, ended } }: GateWatchOutput): string {
  const soon = counted(ending.length, 'accepted risk ends', 'accepted risks end')
  const over = counted(ended.length, 'accepted risk has', 'accepted risks have')
  return [
    ...(ending.length === 0 ? [] : [`${soon} within 7 days.`]),
    ...(ended.length === 0 ? [] : [`${over} ended.`]),
  ].join(' ')
}

function nextStep({ verdict, to_green: [first], risks }: GateWatchOutput): string {
  if (verdict.stale) return 'Next: run again with recompute true, because its inputs have changed since.'
  if (verdict.settled_by !== '') return `Next: ${cutWithEllipsis(verdict.settled_by, NEXT_CHARACTERS)}`
  const [item] = first?.cheapest ?? []
  if (first !== undefined && item !== undefined) {
    const why = cutWithEllipsis(item.because, NEXT_CHARACTERS)
    const many = counted(first.to_pass, 'item')
    return `Next: ${item.do} for ${item.key}, the first of ${many} that must change for ${first.condition_id}: ${why}`
  }
  return risks.ending.length === 0
    ? ''
    : 'Next: fix what the ending risks cover, or accept them again with accept_gate_risk.'
}
