import { html, type Html } from '../support/html.ts'
import type { ItemPicture, Stated } from './types.ts'
import { shownStatus, shownWord, statusWords } from './words.ts'

/** The status of a condition, readable without its colour. */
export function badge(status: string | undefined): Html {
  const { tone, symbol } = statusWords(status)
  return html`<span class=${`badge ${tone}`}><span aria-hidden="true">${symbol}</span> ${shownStatus(status)}</span>`
}

/** A section with a heading; it says when there is nothing or when nothing is stated, and is absent where it has no place. */
export function titled<T>(
  title: string,
  list: Stated<T>,
  none: string,
  draw: (rows: readonly T[]) => Html,
): Html | null {
  if (list === undefined) return null
  return html`<section aria-label=${title}>
    <h2>${title}</h2>
    ${
      list === null
        ? html`<p class="quiet">Not stated by this deployment.</p>`
        : list.length === 0
          ? html`<p class="quiet">${none}</p>`
          : draw(list)
    }
  </section>`
}

/** Columns of text; the table scrolls where the screen is narrow. `label` names it for readers that do not see it. */
export function textTable(
  label: string,
  columns: readonly string[],
  rows: readonly (readonly (string | Html | undefined)[])[],
): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${label}>
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td class="team">${cell ?? html`<span class="quiet">not stated</span>`}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Items with their titles; a title that outsiders may have written is marked as theirs. */
export function itemTable(label: string, items: readonly ItemPicture[]): Html {
  return textTable(
    label,
    ['Item', 'Title', 'State', 'Why', 'Since'],
    items.map(({ key, title, isOutside, state, because, since, isNew }) => [
      html`<span><strong class="key">${key}</strong>${isNew ? html` <span class="badge new">new</span>` : ''}</span>`,
      title === undefined || title === '' ? '' : isOutside ? html`<span class="outside">${title}</span>` : title,
      state === undefined ? undefined : shownWord(state),
      because ?? '',
      since ?? '',
    ]),
  )
}
