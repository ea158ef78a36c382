import { escapeMarkdown } from '../../lib/escape-markdown.ts'
import type { ConditionFinding, GateReport } from './findings.ts'
import { moreLine } from './as-text.ts'

const icons: Readonly<Record<string, string>> = {
  PASS: '✅',
  PASS_WITH_RISK: '🟡',
  WARN: '🟡',
  FAIL: '❌',
  INCONCLUSIVE: '❔',
  WAIVED: '🟡',
  NOT_EVALUATED: '❔',
}

/** The verdict as GitHub-flavoured Markdown: for a step summary or a comment. Titles of outsiders are code, never links. */
export function asMarkdown(report: GateReport): string {
  const { status, product, scope, reason, settledBy, conditions, notes, allowance, verdictId, digest } = report
  return [
    `## ${icons[status] ?? ''} Quality gate: ${escapeMarkdown(status)}`,
    `**${escapeMarkdown(product)}**, ${escapeMarkdown(scope)}. ${escapeMarkdown(reason)}${settledBy === '' ? '' : ` ${escapeMarkdown(settledBy)}`}`,
    ['| | Condition | Result |', '| --- | --- | --- |', ...conditions.map(conditionRow)].join('\n'),
    ...conditions.filter(({ items, status: state }) => items.length > 0 && state !== 'PASS').map(conditionList),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${escapeMarkdown(note.trim())}`).join('\n')]),
    ...(allowance === '' ? [] : [escapeMarkdown(allowance)]),
    `<sub>Verdict ${escapeMarkdown(verdictId)}, inputs ${escapeMarkdown(digest)}</sub>`,
  ].join('\n\n')
}

function conditionRow({ status, isBlocking, title, message }: ConditionFinding): string {
  const weight = isBlocking ? '' : ' (advisory)'
  return `| ${icons[status] ?? ''} ${escapeMarkdown(status)} | ${escapeMarkdown(title)}${weight} | ${escapeMarkdown(message)} |`
}

function conditionList(condition: ConditionFinding): string {
  return [
    `<details><summary>${escapeMarkdown(condition.title)}</summary>`,
    '',
    ...condition.items.map(
      ({ key, title, because, isNew }) =>
        `- **${escapeMarkdown(key)}**${isNew ? ' (new)' : ''} ${asCode(title)}${because === '' ? '' : `: ${escapeMarkdown(because)}`}`,
    ),
    ...moreLine(condition).map((line) => `- ${line}`),
    '',
    '</details>',
  ].join('\n')
}

/** Outsiders' text as code, which shows every character as it is; the fence is longer than any in the text. */
function asCode(text: string): string {
  if (text === '') return ''
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${text.replaceAll('|', '\\|')} ${fence}`
}
