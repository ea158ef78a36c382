import { html, type Html } from '../support/html.ts'
import type { EvidencePicture, IssuePicture, Mark, SeenPicture } from './issue-types.ts'
import { sparkline } from './sparkline.ts'

/** What the place where the list is drawn adds to each issue. */
export interface IssueExtras {
  /** What a person can do about it. */
  action(this: void, issue: IssuePicture, index: number): Html | null
  /** What is shown on demand. */
  details(this: void, issue: IssuePicture, index: number): Html | null
}

/** Error issues, one below the other; columns that nothing has are left out. Every text is a text node. */
export function issueList(issues: readonly IssuePicture[], { action, details }: IssueExtras): Html {
  // The result of a tool has neither trends nor first occurrences.
  const isWhole = issues.some(({ trend }) => trend !== undefined)
  return html`<div class=${isWhole ? 'issues' : 'issues few'}>
    <div class="issue-head" aria-hidden="true">
      <span>Issue</span>${isWhole ? html`<span>Trend</span>` : null}<span class="number">Events</span
      ><span class="number">Users</span><span>Last seen</span>${isWhole ? html`<span>First seen</span>` : null}<span
        >Evidence</span
      ><span></span>
    </div>
    <ol>
      ${issues.map(
        (issue, index) =>
          html`<li class="issue">
            <div class="issue-row">
              ${subject(issue)}${isWhole ? trendCell(issue) : null}${cell('Events', counted(issue.events), 'number')}
              ${cell('Users', issue.users === 0 ? 'not named' : counted(issue.users), 'number')}
              ${cell('Last seen', seenCell(issue.last))}${isWhole ? cell('First seen', seenCell(issue.first)) : null}${cell('Evidence', evidenceCell(issue.evidence))}
              <div class="issue-action">${action(issue, index)}</div>
            </div>
            ${details(issue, index)}
          </li>`,
      )}
    </ol>
  </div>`
}

function subject({ key, title, culprit, status, level, marks, component, environments, since }: IssuePicture): Html {
  const all: readonly Mark[] = status === undefined ? marks : [{ word: status, tone: 'open' }, ...marks]
  const places = [level, component, environments, since && `since ${since}`].filter(
    (place) => place !== undefined && place !== '',
  )
  return html`<div class="issue-subject">
    <p class="issue-marks">
      <strong class="key">${key}</strong
      >${all.map(({ word, tone }) => html` <span class=${`mark ${tone}`}>${word}</span>`)}
    </p>
    <h2 class="issue-title"><bdi>${title === '' ? 'No title' : title}</bdi></h2>
    <p class="issue-places">
      ${culprit === undefined || culprit === '' ? null : html`<bdi class="issue-culprit">${culprit}</bdi>`}
      <span>${places.join(' · ')}</span>
    </p>
  </div>`
}

function trendCell({ trend }: IssuePicture): Html {
  return html`<div class="issue-cell issue-trend">
    ${trend === null || trend === undefined ? html`<span class="quiet">not stated</span>` : sparkline(trend)}
  </div>`
}

function cell(label: string, value: string | Html, kind = ''): Html {
  return html`<p class=${`issue-cell ${kind}`.trim()}><span class="label">${label}</span> ${value}</p>`
}

function counted(value: number | undefined): string {
  return value === undefined ? 'not stated' : value.toLocaleString('en')
}

function seenCell(seen: SeenPicture | undefined): string | Html {
  if (seen === undefined) return 'not stated'
  const { at, ago, release } = seen
  return html`<span title=${at}>${ago ?? at}</span>${
      release === undefined ? null : html`<span class="issue-release"><bdi>${release}</bdi></span>`
    }`
}

function evidenceCell(evidence: EvidencePicture | undefined): string | Html {
  if (evidence === undefined) return html`<span class="quiet">usual</span>`
  const { word, tone, says } = evidence
  return html`<span class=${`evidence ${tone}`} title=${says}>${word}</span>`
}
