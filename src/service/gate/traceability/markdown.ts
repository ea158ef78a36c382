import { escapeMarkdown } from '../../../lib/escape-markdown.ts'
import { heading, toLines, type Line } from './lines.ts'
import type { Matrix } from './model.ts'

/** The columns of the table; the other formats have all of them. */
const shown = ['requirement', 'title', 'coverage', 'test', 'test_title', 'result', 'link', 'issues'] as const

/** The matrix as a GitHub-flavoured Markdown document with one table, as pull requests show it. */
export function asMarkdown(matrix: Matrix, product: string): string {
  const facts = heading(matrix, product).map(
    ([label, value]) => `- ${label.replaceAll('_', ' ')}: ${escapeMarkdown(value)}`,
  )
  const table = [
    `| ${shown.join(' | ')} |`,
    `|${shown.map(() => ' --- |').join('')}`,
    ...toLines(matrix.rows).map((line) => `| ${shown.map((column) => cell(line, column)).join(' | ')} |`),
  ]
  return ['# Traceability matrix', facts.join('\n'), table.join('\n'), orphanList(matrix)].join('\n\n') + '\n'
}

function cell(line: Line, column: (typeof shown)[number]): string {
  const flags = [line.failing === 'yes' ? 'failing' : '', line.suspect === 'yes' ? 'suspect' : ''].filter(Boolean)
  const value = column === 'coverage' && flags.length > 0 ? `${line.coverage} (${flags.join(', ')})` : line[column]
  return escapeMarkdown(value)
}

function orphanList({ orphans }: Matrix): string {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['Requirements without a test', orphans.requirements_without_test.map(({ key, title }) => `${key} ${title}`)],
    ['Tests without a requirement', orphans.tests_without_requirement.map(({ key, title }) => `${key} ${title}`)],
    [
      'Files with errors and without a requirement',
      orphans.files_with_errors_without_requirement.map(({ path }) => path),
    ],
  ]
  return lists
    .map(([title, items]) => `## ${title}\n\n${items.map((item) => `- ${escapeMarkdown(item)}`).join('\n') || 'none'}`)
    .join('\n\n')
}
