import type { GateReport } from './findings.ts'
import { itemWords, moreLine } from './as-text.ts'

/** GitHub shows at most ten annotations of a kind in a step; the step summary has everything. */
const ANNOTATIONS = 10

/** Workflow commands of GitHub Actions: an error for each failing blocking condition, a warning for an advisory one. */
export function asGitHub({
  status,
  reason,
  settledBy,
  conditions,
  notes,
  allowance,
  product,
  scope,
}: GateReport): string {
  const failing = conditions.filter((condition) => condition.status === 'FAIL').slice(0, ANNOTATIONS)
  return [
    ...failing.map((condition) => {
      const lines = [condition.message, ...condition.items.map(itemWords), ...moreLine(condition)]
      return command(condition.isBlocking ? 'error' : 'warning', `Quality gate: ${condition.title}`, lines)
    }),
    command('notice', `Quality gate: ${status}`, [`${product}, ${scope}`, reason, settledBy, ...notes, allowance]),
  ].join('\n')
}

function command(level: 'error' | 'warning' | 'notice', title: string, lines: readonly string[]): string {
  const message = lines.filter((line) => line !== '').join('\n')
  return `::${level} title=${property(title)}::${data(message)}`
}

/** The escapes of workflow commands: a text cannot end its command or begin another. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
