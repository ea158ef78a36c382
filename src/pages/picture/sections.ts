import { html, type Html } from '../support/html.ts'
import { badge, itemTable, textTable, titled } from './pieces.ts'
import type { GatePicture, Stated } from './types.ts'
import { shownWord } from './words.ts'

export function noteSection(notes: readonly string[]): Html | null {
  if (notes.length === 0) return null
  return html`<section aria-label="To know before you decide">
    <ul>
      ${notes.map((sentence) => html`<li class="team">${sentence}</li>`)}
    </ul>
  </section>`
}

export function riskSection(risks: GatePicture['risks']): Html | null {
  return titled('Accepted risks', risks, 'Nobody has accepted a risk.', (rows) =>
    textTable(
      'Accepted risks',
      ['Conditions', 'State', 'Accepted by', 'Approved by', 'Until', 'Reason'],
      rows.map(({ conditions, state, acceptedBy, approvedBy, until, endsSoon, reason }) => [
        conditions,
        shownWord(state),
        acceptedBy,
        approvedBy ?? (state === 'PENDING_APPROVAL' ? 'nobody yet' : undefined),
        until === undefined || !endsSoon ? until : html`<span><strong>ends soon:</strong> ${until}</span>`,
        reason,
      ]),
    ),
  )
}

export function exclusionSection({
  exclusions,
  exclusionsTotal: total,
  exclusionsUnreviewed: unreviewed,
}: GatePicture): Html | null {
  const counts = [
    total === undefined ? '' : `${String(total)} in all`,
    unreviewed === undefined ? '' : `${String(unreviewed)} not reviewed by a person`,
  ].filter((words) => words !== '')
  return titled(
    'Exclusions',
    exclusions,
    'Nothing was taken out of a condition without an accepted risk.',
    (rows) =>
      html`<p class="quiet">
          Taken out of a condition without an accepted risk${counts.length === 0 ? '' : `: ${counts.join(', ')}`}.
        </p>
        ${textTable(
          'Exclusions',
          ['Item', 'What', 'By', 'At', 'Reviewed by', 'Reason'],
          rows.map(({ key, kind, by, byAgent, at, reviewedBy, reason }) => [
            html`<strong class="key">${key}</strong>`,
            shownWord(kind),
            by === undefined ? undefined : `${by}${byAgent === true ? ' (agent)' : ''}`,
            at,
            reviewedBy ?? html`<strong>no person yet</strong>`,
            reason ?? '',
          ]),
        )}`,
  )
}

/** Apart from all conditions, because whoever holds the public key decides what is in it. */
export function unvouchedSection(unvouched: GatePicture['unvouched']): Html | null {
  const title = 'Issues nobody vouches for'
  const list = unvouched === null || unvouched === undefined ? unvouched : unvouched.counts === '' ? [] : [unvouched]
  return titled(
    title,
    list,
    'There are none.',
    ([first]) =>
      html`<p>${first?.counts ?? ''}. Only events with a public key speak of them, and they fail no condition.</p>
        ${first === undefined || first.items.length === 0 ? null : itemTable(title, first.items)}`,
  )
}

export function runSection(runs: Stated<string>): Html | null {
  return titled(
    'Incomplete test runs',
    runs,
    'No test run lacks shards.',
    (rows) =>
      html`<ul>
        ${rows.map((sentence) => html`<li class="team">${sentence}</li>`)}
      </ul>`,
  )
}

export function historySection(history: GatePicture['history']): Html | null {
  return titled(
    'Earlier verdicts',
    history,
    'This is the first verdict of this scope.',
    (rows) =>
      html`<ol class="history">
        ${rows.map(({ status, computedAt }) => html`<li>${badge(status)} ${computedAt}</li>`)}
      </ol>`,
  )
}
