import { Period } from '../../contract/base/common.ts'
import { capitalised } from '../../lib/counted.ts'
import { pagePath } from '../support/address.ts'
import { html, type Html } from '../support/html.ts'
import type { Choice } from './choices.ts'
import { sorts, statuses, type BoardQuery } from './query.ts'
import type { Board } from './reads.ts'

const periodWords: Readonly<Record<(typeof Period.options)[number], string>> = {
  '3m': 'Last 3 minutes',
  '1h': 'Last hour',
  '12h': 'Last 12 hours',
  '1d': 'Last day',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

/** The form that chooses issues: each choice is a part of the address, so that what is shown can be linked. */
export function filterForm(query: BoardQuery, product: string, { choices, chosen }: Board): Html {
  const { match, status, period, sort } = query
  const { environments, releases, components } = choices
  return html`<form class="filters" method="get" action="/triage" role="search" aria-label="Error issues">
    <input type="hidden" name="product" value=${product} />
    <div class="filter-text">
      <label for="match">Text</label>
      <input
        id="match"
        name="match"
        type="search"
        maxlength="200"
        value=${match ?? ''}
        placeholder="Title, file or function"
      />
    </div>
    ${select('status', 'State', statuses.map(statusChoice), status)}
    ${components.length === 0 ? null : select('component', 'Component', any(components), chosen.component)}
    ${environments.length === 0 ? null : select('environment', 'Environment', any(environments), chosen.environment)}
    ${releases.length === 0 ? null : select('release', 'Release', any(withChosen(releases, chosen.release, query.release)), chosen.release)}
    ${select('period', 'Period', any(Period.options.map((value) => ({ value, label: periodWords[value] }))), period)}
    ${select('sort', 'Order', sortChoices, sort)}
    <div class="filter-go">
      <button>Apply</button>
      <a href=${pagePath('/triage', { product })}>Reset</a>
    </div>
  </form>`
}

function statusChoice(value: (typeof statuses)[number]): Choice {
  return { value, label: value === 'any' ? 'Any' : capitalised(value) }
}

const sortChoices = Object.entries(sorts).map(([value, label]) => ({ value, label }))

function any(choices: readonly Choice[]): readonly Choice[] {
  return [{ value: '', label: 'Any' }, ...choices]
}

/** The newest releases, and the one that was asked for if it is older. */
function withChosen(choices: readonly Choice[], id: string | undefined, name = ''): readonly Choice[] {
  if (id === undefined || choices.some(({ value }) => value === id)) return choices
  return [...choices, { value: id, label: name }]
}

function select(name: string, label: string, choices: readonly Choice[], chosen: string | undefined): Html {
  return html`<div>
    <label for=${name}>${label}</label>
    <select id=${name} name=${name}>
      ${choices.map(
        ({ value, label: words }) =>
          html`<option value=${value} selected=${value === (chosen ?? '') ? true : undefined}>${words}</option>`,
      )}
    </select>
  </div>`
}
