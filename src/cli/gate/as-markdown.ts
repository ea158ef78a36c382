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
    `## ${icons[status] ?? ''} Quality gate: ${escaped(status)}`,
    `**${escaped(product)}**, ${escaped(scope)}. ${escaped(reason)}${settledBy === '' ? '' : ` ${escaped(settledBy)}`}`,
    ['| | Condition | Result |', '| --- | --- | --- |', ...conditions.map(conditionRow)].join('\n'),
    ...conditions.filter(({ items, status: state }) => items.length > 0 && state !== 'PASS').map(conditionList),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${escaped(note.trim())}`).join('\n')]),
    ...(allowance === '' ? [] : [escaped(allowance)]),
    `<sub>Verdict ${escaped(verdictId)}, inputs ${escaped(digest)}</sub>`,
  ].join('\n\n')
}

function conditionRow({ status, isBlocking, title, message }: ConditionFinding): string {
  const weight = isBlocking ? '' : ' (advisory)'
  return `| ${icons[status] ?? ''} ${escaped(status)} | ${escaped(title)}${weight} | ${escaped(message)} |`
}

function conditionList(condition: ConditionFinding): string {
  return [
    `<details><summary>${escaped(condition.title)}</summary>`,
    '',
    ...condition.items.map(
      ({ key, title, because, isNew }) =>
        `- **${escaped(key)}**${isNew ? ' (new)' : ''} ${asCode(title)}${because === '' ? '' : `: ${escaped(because)}`}`,
    ),
    ...moreLine(condition).map((line) => `- ${line}`),
    '',
    '</details>',
  ].join('\n')
}

/** Text in which no character is markup: a title cannot become a link, a mention or a table cell. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~@&]/g, (character) =>
    character === '<'
      ? '&lt;'
      : character === '>'
        ? '&gt;'
        : character === '&'
          ? '&amp;'
          : character === '@'
            ? '@\u200b'
            : `\\${character}`,
  )
}

/** Outsiders' text as code, which shows every character as it is; the fence is longer than any in the text. */
function asCode(text: string): string {
  if (text === '') return ''
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${text.replaceAll('|', '\\|')} ${fence}`
}
