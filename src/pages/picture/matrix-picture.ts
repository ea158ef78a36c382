import { html, type Html } from '../support/html.ts'
import { textTable } from './pieces.ts'
import type { MatrixPicture, MatrixRowPicture } from './types.ts'
import { shownWord } from './words.ts'

/** Rows that can be asked for, with the words of the choice. */
export const matrixFilters = {
  all: 'All',
  holes: 'Without working tests',
  suspect: 'In doubt',
  failing: 'Failing',
} as const
export type MatrixFilterName = keyof typeof matrixFilters

/** Requirements against tests and issues; `choice` is how the reader filters it. */
export function matrixPicture({ rows, totals }: MatrixPicture, choice: Html | null): Html {
  return html`<section aria-label="Traceability">
    <h2>Traceability</h2>
    ${totals.length === 0 ? null : html`<p>${totals.map(({ label, value }) => `${label}: ${value}`).join(' · ')}</p>`}
    ${choice}
    ${
      rows.length === 0
        ? html`<p class="quiet">No requirement matches.</p>`
        : textTable('Traceability', ['Requirement', 'Title', 'State', 'Tests', 'Issues', 'Risks'], rows.map(cells))
    }
  </section>`
}

function cells({ key, title, state, failing, suspect, tests, issues, risks }: MatrixRowPicture) {
  const marks = [state === undefined ? 'not stated' : shownWord(state), failing && 'failing', suspect && 'in doubt']
  return [
    html`<strong class="key">${key}</strong>`,
    title ?? '',
    marks.filter((mark) => mark !== false).join(', '),
    tests.join(', '),
    issues.join(', '),
    risks === undefined || risks === 0 ? '' : String(risks),
  ]
}

/** Whether the filter shows the row. */
export function showsRow(filter: MatrixFilterName, { state, failing, suspect }: MatrixRowPicture): boolean {
  if (filter === 'holes') return state === 'no_test' || state === 'not_run'
  if (filter === 'suspect') return suspect
  return filter === 'all' || failing
}
