import type { ConditionFinding, GateReport } from './findings.ts'

/** The verdict for a terminal. */
export function asText(report: GateReport): string {
  const [open, passed] = [
    report.conditions.filter(({ status }) => status !== 'PASS'),
    report.conditions.filter(({ status }) => status === 'PASS'),
  ]
  return [
    `${report.status}: ${report.product}, ${report.scope}`,
    report.reason,
    report.settledBy,
    ...open.flatMap(conditionLines),
    passed.length === 0 ? '' : `passed: ${passed.map(({ id }) => id).join(', ')}`,
    ...report.notes,
    report.allowance,
    `verdict ${report.verdictId}`,
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function conditionLines(condition: ConditionFinding): string[] {
  const { status, isBlocking, title, message, toPass } = condition
  return [
    `  ${status} ${isBlocking ? 'blocking' : 'advisory'}  ${title}: ${withPath(message, toPass)}`,
    ...condition.items.map((item) => `    ${itemWords(item)}`),
    ...moreLine(condition).map((line) => `    ${line}`),
  ]
}

/** The message and how much has to change, as two sentences where the message is one. */
function withPath(message: string, toPass: number | undefined): string {
  if (toPass === undefined || toPass === 0) return message
  const path = `${String(toPass)} of these must change`
  return message.endsWith('.') ? `${message} ${path}.` : `${message}; ${path}`
}

/** One item: `REQ-12 (new) Cart totals - no test verifies it`. */
export function itemWords({ key, title, because, isNew }: ConditionFinding['items'][number]): string {
  return `${key}${isNew ? ' (new)' : ''}${title === '' ? '' : ` ${title}`}${because === '' ? '' : ` - ${because}`}`
}

/** Says how many items are not listed. */
export function moreLine({ items, total }: ConditionFinding): string[] {
  return total === undefined || total <= items.length ? [] : [`and ${String(total - items.length)} more`]
}
