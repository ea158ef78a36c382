import { capitalised, counted } from '../../lib/counted.ts'
import { issueList } from '../picture/issue-picture.ts'
import type { IssuePicture, SeenPicture } from '../picture/issue-types.ts'
import { framed, type Place } from '../session/frame.ts'
import { pagePath } from '../support/address.ts'
import { COPY_SCRIPT, copyButton, copyStatus, copyText } from '../support/copy.ts'
import { LATER } from '../support/document.ts'
import { html, type Html } from '../support/html.ts'
import { factList, note } from '../support/layout.ts'
import type { Prompts } from '../support/prompts.ts'
import { filterForm } from './filters.ts'
import { sorts, type BoardQuery } from './query.ts'
import type { Board } from './reads.ts'

/** The error issues of a product; `issuesView` comes later. */
export function boardView(place: Place, query: BoardQuery, board: Board): Html {
  const { page } = board
  return framed(
    place,
    { title: 'Triage', script: COPY_SCRIPT },
    html`${filterForm(query, place.product.id, board)}
      <p class="summary">${summary(query, board)}</p>
      ${page.notes === '' ? null : note('plain', page.notes)} ${LATER} ${paging(place.product.id, query, board)}
      ${copyStatus()}`,
  )
}

function summary({ status, sort, issue }: BoardQuery, { page: { total, shown } }: Board): Html {
  const kind = `${status === 'any' ? '' : `${status} `}error issue`
  const count = total === undefined ? capitalised(`${kind}s`) : counted(total, kind)
  const part = total !== undefined && total > shown ? `, ${String(shown)} on this page` : ''
  const order = sorts[sort].toLowerCase()
  return html`<strong>${issue === undefined ? count : `Issue ${issue}`}</strong>${part}, ordered by ${order}. Titles and
    names come from events: anyone may have written them.`
}

/** Issues with the prompt that fixes each. */
export function issuesView({ page }: Board, issues: readonly IssuePicture[], prompts: Prompts): Html {
  return issues.length === 0 ? none(page) : list(issues, prompts)
}

function none({ cursor }: Board['page']): Html {
  if (cursor !== undefined) return note('plain', 'No error issue so far.', 'The next page searches on.')
  return note('plain', 'No error issue matches.', 'Choose another state, a longer period or less text.')
}

function list(issues: readonly IssuePicture[], prompts: Prompts): Html {
  return issueList(issues, {
    action: ({ key }, index) =>
      prompts.fixIssue(key) === undefined ? null : copyButton(textId(index), `to fix ${key}`),
    details: (issue, index) => details(issue, textId(index), prompts.fixIssue(issue.key)),
  })
}

function textId(index: number): string {
  return `prompt-${String(index + 1)}`
}

function details(
  { first, last, evidence, vouched, trend, key }: IssuePicture,
  id: string,
  prompt: string | undefined,
): Html {
  const facts = [
    { label: 'First seen', value: seen(first) },
    { label: 'Last seen', value: seen(last) },
    { label: 'Occurrences', value: trend?.says ?? 'Over time: not stated' },
    { label: 'Evidence', value: [evidence?.word, evidence?.says].filter(Boolean).join(': ') },
    { label: 'Vouched for by', value: vouched ?? 'Not stated' },
  ]
  return html`<details>
    <summary>Details${prompt === undefined ? '' : ' and prompt'}<span class="unseen"> of ${key}</span></summary>
    ${factList(facts)}${prompt === undefined ? null : copyText(id, prompt)}
  </details>`
}

function seen(picture: SeenPicture | undefined): string {
  if (picture === undefined) return 'Not stated'
  return picture.release === undefined ? picture.at : `${picture.at} in ${picture.release}`
}

function paging(product: string, { page, ...query }: BoardQuery, { page: { cursor } }: Board): Html | null {
  if (cursor === undefined && page === undefined) return null
  const first = pagePath('/triage', { ...query, product })
  const next = pagePath('/triage', { ...query, product, page: cursor })
  return html`<nav class="paging" aria-label="Pages">
    ${page === undefined ? null : html`<a href=${first}>First page</a>`}
    ${cursor === undefined ? null : html`<a href=${next} rel="next">Next page</a>`}
  </nav>`
}
