import { html, type Html } from '../support/html.ts'
import { itemTable } from './pieces.ts'
import type { ConditionPicture } from './types.ts'

/** Whether the condition does not hold. */
export function isFailing({ status }: ConditionPicture): boolean {
  return status === 'FAIL'
}

/** What keeps the verdict from green: each failing condition, blocking ones first, with what has to change. */
export function blockerSection(conditions: readonly ConditionPicture[]): Html | null {
  const failing = conditions.filter(isFailing)
  if (failing.length === 0) return null
  const ordered = failing.toSorted(
    (one, other) => Number(one.isBlocking === false) - Number(other.isBlocking === false),
  )
  return html`<section aria-label="Path to green">
    <h2>Path to green</h2>
    ${ordered.map(blocker)}
  </section>`
}

function blocker(condition: ConditionPicture): Html {
  const { id, title, isBlocking, message, items } = condition
  const label = `Items of ${title === '' ? id : title}`
  return html`<section class=${isBlocking === false ? 'blocker advisory' : 'blocker'}>
    <h3 class="team">${title}${isBlocking === false ? html` <span class="quiet">(advisory)</span>` : ''}</h3>
    <p class="team">${message ?? ''} <strong>${pathWords(condition)}</strong></p>
    ${items.length === 0 ? null : itemTable(label, items)}${moreWords(condition)}
  </section>`
}

function pathWords({ toPass, total }: ConditionPicture): string {
  if (toPass === undefined) return ''
  const all = total === undefined || total < toPass ? '' : ` of ${String(total)}`
  return `To pass: ${String(toPass)}${all} must change.`
}

function moreWords({ total, items }: ConditionPicture): Html | null {
  if (total === undefined || total <= items.length) return null
  return html`<p class="quiet">And ${String(total - items.length)} more.</p>`
}
