import { counted } from '../../lib/counted.ts'
import { componentTable, coverageTotals } from '../picture/coverage-picture.ts'
import { gapKinds } from '../picture/from-gaps.ts'
import type { GapPicture } from '../picture/gap-types.ts'
import { framed, type Place } from '../session/frame.ts'
import { pagePath } from '../support/address.ts'
import { COPY_SCRIPT, copyButton, copyStatus, copyText } from '../support/copy.ts'
import { html, type Html } from '../support/html.ts'
import { note } from '../support/layout.ts'
import type { Prompts } from '../support/prompts.ts'
import type { CoverageQuery } from './query.ts'
import type { Coverage } from './reads.ts'

interface Shown {
  product: string
  query: CoverageQuery
  coverage: Coverage
  prompts: Prompts
}

/** What is covered, and what is not, worst first, with the prompt that closes it. */
export function coverageView(place: Place, query: CoverageQuery, coverage: Coverage, prompts: Prompts): Html {
  const view = { product: place.product.id, query, coverage, prompts }
  const { totals } = coverage
  return framed(
    place,
    { title: 'Coverage', script: COPY_SCRIPT },
    html`${coverageTotals(totals)}${gapSection(view)}
    ${
      totals.components.length === 0
        ? null
        : html`<section aria-label="Components">
            <h2>By component</h2>
            ${componentTable(totals.components, (id) => pagePath('/coverage', { product: view.product, component: id }))}
          </section>`
    }${copyStatus()}`,
  )
}

function gapSection(view: Shown): Html {
  const { gaps } = view.coverage
  return html`<section aria-label="Gaps">
    <h2>Gaps</h2>
    ${gaps === undefined ? note('plain', 'This deployment does not offer coverage gaps.') : gapList(view, gaps)}
  </section>`
}

function gapList(view: Shown, { rows, page }: NonNullable<Coverage['gaps']>): Html {
  const { product, query } = view
  const isFiltered = query.component !== undefined || query.type !== undefined
  const total = page.total === undefined ? 'Gaps' : counted(page.total, 'gap')
  return html`${filterForm(view)}
    <p class="summary">
      <strong>${total}</strong>, worst first: the score is made of risk and of errors in the last 7 days.${' '}
      <a href=${pagePath('/gate', { product, filter: 'holes' })}>Requirements and their tests</a>
    </p>
    ${page.notes === '' ? null : note('plain', page.notes)}
    ${
      rows.length === 0
        ? note('plain', isFiltered ? 'No gap matches.' : 'No gap: every requirement that needs a test is verified.')
        : html`<ol class="gaps">
            ${rows.map((gap, index) => gapItem(gap, index, view))}
          </ol>`
    }${paging(view, page.cursor)}`
}

function filterForm({ product, query, coverage: { totals, component } }: Shown): Html {
  const components = totals.components.map(({ id, name }) => ({ value: id, word: name }))
  return html`<form class="filters" method="get" action="/coverage">
    <input type="hidden" name="product" value=${product} />
    ${components.length === 0 ? null : select('component', 'Component', components, component)}
    ${select('type', 'Kind', gapKinds, query.type)}
    <div class="filter-go">
      <button>Apply</button>
      <a href=${pagePath('/coverage', { product })}>Reset</a>
    </div>
  </form>`
}

function select(name: string, label: string, choices: readonly { value: string; word: string }[], chosen = ''): Html {
  return html`<div>
    <label for=${name}>${label}</label>
    <select id=${name} name=${name}>
      ${[{ value: '', word: 'Any' }, ...choices].map(
        ({ value, word }) =>
          html`<option value=${value} selected=${value === chosen ? true : undefined}>${word}</option>`,
      )}
    </select>
  </div>`
}

function gapItem(gap: GapPicture, index: number, { product, prompts }: Shown): Html {
  const { key, title, isOutside, kind, component, priority, score, reasons, action, issues } = gap
  const id = `prompt-${String(index + 1)}`
  const prompt = closingPrompt(gap, product, prompts)
  const name = key ?? 'a file without a requirement'
  const places = [priority === undefined ? undefined : `${priority} priority`, component].filter(Boolean).join(' · ')
  return html`<li class="gap">
    <div class="gap-row">
      <p class="gap-score" title="Score from 0 to 100"><span class="label">Score</span> ${score ?? 'not stated'}</p>
      <div class="gap-subject">
        <p class="issue-marks">
          ${key === undefined ? null : html`<strong class="key">${key}</strong> `}<span class=${`mark ${kind.tone}`}
            >${kind.word}</span
          >
        </p>
        <h3 class=${isOutside ? 'issue-title' : 'gap-title'}><bdi>${title ?? 'No title'}</bdi></h3>
        ${places === '' ? null : html`<p class="issue-places">${places}</p>`}
        <p class="gap-reasons team">${reasons.join('; ')}</p>
        <p class="gap-action">
          ${action === undefined ? null : html`<strong>${action}.</strong>`} ${issueLinks(issues, product)}
        </p>
      </div>
      <div class="issue-action">${prompt === undefined ? null : copyButton(id, `to close ${name}`)}</div>
    </div>
    ${
      prompt === undefined
        ? null
        : html`<details>
            <summary>Prompt<span class="unseen"> for ${name}</span></summary>
            ${copyText(id, prompt)}
          </details>`
    }
  </li>`
}

function issueLinks(issues: GapPicture['issues'], product: string): Html | null {
  if (issues.length === 0) return null
  const links = issues.map(
    ({ key }, index) =>
      html`${index === 0 ? '' : ', '}<a href=${pagePath('/triage', { product, issue: key })}>${key}</a>`,
  )
  return html`<span>${issues.length === 1 ? 'Issue' : 'Issues'} ${links}</span>`
}

/** What an agent is asked for: keys alone, because paths are outsiders' words. */
function closingPrompt({ key, isCode, issues }: GapPicture, product: string, prompts: Prompts): string | undefined {
  const open = issues.find(({ isOpen }) => isOpen)?.key
  if (isCode && open !== undefined) return prompts.fixIssue(open)
  const all = prompts.closeGaps(product)
  const first = key ?? (open === undefined ? undefined : `the file of ${open} that no requirement claims`)
  return all === undefined || first === undefined ? all : `${all}\nBegin with ${first}.`
}

function paging({ product, query }: Shown, cursor: string | undefined): Html | null {
  const { page, ...filter } = query
  if (cursor === undefined && page === undefined) return null
  return html`<nav class="paging" aria-label="Pages">
    ${page === undefined ? null : html`<a href=${pagePath('/coverage', { product, ...filter })}>First page</a>`}
    ${
      cursor === undefined
        ? null
        : html`<a href=${pagePath('/coverage', { product, ...filter, page: cursor })} rel="next">Next page</a>`
    }
  </nav>`
}
