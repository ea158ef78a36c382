import { html, type Html } from '../support/html.ts'
import { isFailing, blockerSection } from './blockers.ts'
import { exclusionSection, historySection, noteSection, riskSection, runSection, unvouchedSection } from './sections.ts'
import { badge, titled } from './pieces.ts'
import type { ConditionPicture, GatePicture } from './types.ts'
import { shownStatus, statusWords } from './words.ts'

/**
 * The verdict first, large and in words, then what blocks it with the path to green, all conditions, and what people
 * decided or left out. Every text is a text node.
 */
export function gatePicture(picture: GatePicture): Html {
  return html`${verdict(picture)}${noteSection(picture.notes)}${blockerSection(picture.conditions ?? [])}
  ${conditionSection(picture)}${riskSection(picture.risks)}${exclusionSection(picture)}
  ${unvouchedSection(picture.unvouched)}${runSection(picture.incompleteRuns)}${historySection(picture.history)}`
}

function verdict({ status, product, scope, reason, settledBy, computedAt, isStale, conditions }: GatePicture): Html {
  const { tone, symbol, says } = statusWords(status)
  const blocking = conditions?.filter((one) => one.isBlocking !== false && isFailing(one)).length ?? 0
  return html`<section class=${`verdict ${tone}`} aria-label="Verdict">
    <p class="verdict-word"><span aria-hidden="true">${symbol}</span> ${shownStatus(status)}</p>
    <p class="verdict-says">${says}${blocking === 0 ? '' : `: ${blocked(blocking)}`}</p>
    <p class="team">${reason ?? 'The reason is not stated.'}</p>
    ${settledBy === undefined || settledBy === '' ? null : html`<p class="team">${settledBy}</p>`}
    <p class="quiet">
      <span class="team">${[product, scope].filter(Boolean).join(', ')}</span>, computed
      ${computedAt === undefined ? ' at a time that is not stated' : ` at ${computedAt}`}
    </p>
    ${isStale ? html`<p><strong>Stale:</strong> requirements, tests, results or issues have changed since.</p>` : null}
  </section>`
}

function blocked(count: number): string {
  return count === 1 ? '1 blocking condition fails' : `${String(count)} blocking conditions fail`
}

function conditionSection({ conditions }: GatePicture): Html | null {
  return titled('Conditions', conditions, 'The policy has no conditions.', (rows) => conditionTable(rows))
}

function conditionTable(rows: readonly ConditionPicture[]): Html {
  const hasNumbers = rows.some(({ limit, actual }) => limit !== undefined || actual !== undefined)
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Conditions">
    <table>
      <thead>
        <tr>
          <th scope="col">Result</th>
          <th scope="col">Condition</th>
          ${hasNumbers ? html`<th scope="col">Required</th>` : null}${hasNumbers ? html`<th scope="col">Actual</th>` : null}
          <th scope="col">Details</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => conditionRow(row, hasNumbers))}
      </tbody>
    </table>
  </div>`
}

function conditionRow(
  { title, status, isBlocking, limit, actual, message }: ConditionPicture,
  hasNumbers: boolean,
): Html {
  const weight = isBlocking === undefined ? '' : isBlocking ? 'blocking' : 'advisory'
  return html`<tr>
    <td>${badge(status)}</td>
    <th scope="row" class="team">${title}${weight === '' ? '' : html` <span class="quiet">(${weight})</span>`}</th>
    ${hasNumbers ? html`<td>${limit ?? 'not stated'}</td>` : null}${hasNumbers ? html`<td>${actual ?? 'not stated'}</td>` : null}
    <td class="team">${message ?? ''}</td>
  </tr>`
}
