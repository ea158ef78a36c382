import { counted } from '../../../../lib/counted.ts'
import type { TriagedBody } from './schema.ts'

/** Issues that the summary names. */
const MOST_NAMED = 3

/** One triaged issue in a sentence, by keys and counts: titles are text of events. */
export function describe({ issue, priority, duplicates, suggested_status: status, reason }: TriagedBody): string {
  const facts = [
    `priority ${String(priority.score)}`,
    `${counted(issue.events_7d, 'event')} in 7 days`,
    ...(priority.regression ? ['came back'] : []),
    ...(priority.rising ? ['rising'] : []),
    ...(duplicates.length === 0 ? [] : [`may duplicate ${duplicates.map(({ key }) => key).join(', ')}`]),
  ]
  const suggestion = status === issue.status ? '' : ` Suggested status: ${status}. ${reason}`
  return `${issue.key}: ${facts.join(', ')}.${suggestion}`
}

/** What to do about an issue next. */
export function nextStep({ issue, duplicates, suggested_status: status, priority }: Omit<TriagedBody, 'next'>): string {
  const [oldest] = duplicates
  if (priority.regression)
    return `Run regression_bisect with issue ${issue.key}: it names the release in which it came back.`
  if (status !== issue.status) return `Check ${issue.key}, and set its status to ${status} if the reason holds.`
  if (oldest !== undefined) return `Compare ${issue.key} with ${oldest.key}: one fix may be enough for both.`
  return `Read the fix context of ${issue.key}.`
}

interface Summarised {
  triaged: readonly TriagedBody[]
  issues: number
  status: string
  apply: boolean
  applied: number
}

/** What a run found, and what to do next. */
export function summarise({ triaged, issues, status, apply, applied }: Summarised): string {
  const [first] = triaged
  if (first === undefined) return `No issue is ${status}.`
  const named = triaged.slice(0, MOST_NAMED).map(({ issue, priority }) => `${issue.key} (${String(priority.score)})`)
  const facts = [
    counted(triaged.filter(({ priority }) => priority.regression).length, 'regression'),
    `${counted(triaged.filter(({ duplicates }) => duplicates.length > 0).length, 'issue')} with duplicate candidates`,
    `${counted(triaged.filter(({ issue, suggested_status: other }) => other !== issue.status).length, 'status change')} suggested`,
    componentFact(triaged, { apply, applied }),
  ]
  const shown =
    triaged.length === issues
      ? counted(issues, `${status} issue`)
      : `${String(triaged.length)} of ${counted(issues, `${status} issue`)}`
  return `Triaged ${shown}. Highest priority: ${named.join(', ')}. ${facts.join(', ')}. Next: ${first.next}`
}

function componentFact(
  triaged: readonly TriagedBody[],
  { apply, applied }: Pick<Summarised, 'apply' | 'applied'>,
): string {
  if (apply) return `${counted(applied, 'component')} stored`
  const proposed = triaged.filter(({ component }) => component?.state === 'PROPOSED').length
  return proposed === 0 ? 'no component to store' : `${counted(proposed, 'component')} to store with apply`
}
