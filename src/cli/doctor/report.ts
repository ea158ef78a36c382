import type { Capabilities } from '../../client/capabilities/capabilities.ts'
import type { Reading } from '../../client/capabilities/reading.ts'
import { contract, type EndpointName } from '../../contract/index.ts'
import { plain } from '../support/finding.ts'
import type { Outcomes } from './survey.ts'
import type { TriedFilter } from './try-filters.ts'
import { uses } from './uses.ts'

/** What a deployment has shown of itself. */
export interface Offers {
  outcomes: Outcomes
  filters: readonly TriedFilter[]
  capabilities: Capabilities
  /** As auth/me names the service. */
  serverName: string | undefined
}

const COLUMNS = 98
const LABEL = 11

/** What a deployment offers and what it means for the tools, in lines of at most 98 columns. */
export function offerLines(offers: Offers): string[] {
  const all = [...offers.outcomes]
  const offered = all.filter(([, { state }]) => state === 'offered').map(([name]) => noun(name))
  const gaps = [
    ...section('missing', missingWords(offers)),
    ...section('ignored', filterWords(offers, 'ignored')),
    ...section('refused', [...filterWords(offers, 'refused'), ...optionWords(offers)]),
    ...section('paging', pagingWords(offers)),
    ...section('keys', keyWords(offers)),
    ...section('dry_run', previewWords(offers)),
    ...section('failed', failureWords(offers)),
  ]
  const isWhole = gaps.length === 0 && offered.length === all.length
  return [
    ...section('offered', [isWhole ? 'everything that the tools read' : offered.join(', ')]),
    ...gaps,
    ...section('not tried', [...untriedWords(offers), 'writes: doctor only reads']),
  ].map(plain)
}

function noun(name: EndpointName): string {
  return uses[name]?.noun ?? name
}

function missingWords({ outcomes }: Offers): string[] {
  return [...outcomes].flatMap(([name, { state }]) =>
    state === 'missing' ? [`${noun(name)}: ${uses[name]?.without ?? ''}`] : [],
  )
}

/** `q, short_id of issues (find_error_issues)` for each list, and what is done instead (decision 038). */
function filterWords({ filters }: Offers, verdict: TriedFilter['verdict']): string[] {
  const some = filters.filter((one) => one.verdict === verdict)
  const lists = [...Map.groupBy(some, ({ endpoint }) => endpoint)].map(([name, ofList]) => {
    const { tool } = uses[name] ?? {}
    return `${ofList.map(({ filter }) => filter).join(', ')} of ${noun(name)}${tool === undefined ? '' : ` (${tool})`}`
  })
  const instead = 'the tools apply them to the first 1,000 rows, or say that they are not applied'
  return lists.length === 0 ? [] : [...lists, instead]
}

/** Options that were left out because the deployment refuses them. */
function optionWords({ outcomes, capabilities }: Offers): string[] {
  return [...outcomes.keys()].flatMap((name) => {
    const { parameters } = capabilities.facts(contract[name].path)
    const refused = Object.keys(uses[name]?.options ?? {}).filter((option) => parameters[option] === 'refused')
    return refused.length === 0 ? [] : [`${refused.join(', ')} of ${noun(name)}: left out`]
  })
}

function pagingWords({ outcomes, capabilities }: Offers): string[] {
  const lists = listsWithRows(outcomes)
  const facts = (name: EndpointName) => capabilities.facts(contract[name].path)
  const isSizeRefused = (name: EndpointName) => capabilities.state(contract[name].path, 'page_size') === 'refused'
  const sizeless = lists.filter(({ name }) => facts(name).respectsPageSize === false || isSizeRefused(name))
  // The contract does not count occurrences.
  const uncounted = lists.filter(({ name }) => facts(name).hasTotals !== true && name !== 'listIssueEvents')
  const endless = lists.filter(({ answer }) => (answer['reading'] as Reading).isComplete === undefined)
  return [
    listed(sizeless, "page_size is not followed: pages have the deployment's own size"),
    listed(uncounted, 'no totals: answers count only the rows that they show'),
    listed(endless, 'the end is not marked: answers do not say whether there are more rows'),
  ].flat()
}

type Listed = ReturnType<typeof listsWithRows>

function listsWithRows(outcomes: Outcomes) {
  return [...outcomes].flatMap(([name, outcome]) =>
    outcome.state === 'offered' && outcome.rows.length > 0 ? [{ name, ...outcome }] : [],
  )
}

/** The sentence with the lists that it is about; nothing where there is none. */
function listed(lists: Listed, sentence: string): string[] {
  return lists.length === 0 ? [] : [`${sentence} (${lists.map(({ name }) => noun(name)).join(', ')})`]
}

/** Lists whose rows tools name by keys, with the member. */
const keys: Partial<Record<EndpointName, string>> = {
  listIssues: 'short_id',
  listRequirements: 'key',
  listTests: 'key',
}

function keyWords({ outcomes }: Offers): string[] {
  const keyless = listsWithRows(outcomes).filter(({ name, rows }) => {
    const member = keys[name]
    return member !== undefined && rows.every((row) => row[member] === undefined)
  })
  return listed(keyless, 'rows have none: the tools show ids and take ids')
}

function previewWords({ serverName }: Offers): string[] {
  if (serverName === 'tracegate') return []
  return ['the service does not name itself tracegate: previews are made from reads, or refused']
}

function failureWords({ outcomes, filters }: Offers): string[] {
  const ofEndpoints = [...outcomes].flatMap(([name, outcome]) =>
    outcome.state === 'failed' ? [{ what: noun(name), why: outcome.why }] : [],
  )
  const ofFilters = filters.flatMap(({ endpoint, filter, failed: why }) =>
    why === undefined ? [] : [{ what: `${noun(endpoint)} by ${filter}`, why }],
  )
  const byWhy = Map.groupBy([...ofEndpoints, ...ofFilters], ({ why }) => why)
  return [...byWhy].map(([why, failed]) => `${failed.map(({ what }) => what).join(', ')}: ${why}`)
}

/** What could not be asked for, by the list that has no row. */
function untriedWords({ outcomes }: Offers): string[] {
  const untried = [...outcomes].flatMap(([name, outcome]) =>
    outcome.state === 'untried' ? [{ name, needs: outcome.needs }] : [],
  )
  const empty = [...outcomes].filter(
    ([name, outcome]) => outcome.state === 'offered' && outcome.rows.length === 0 && uses[name]?.filters !== undefined,
  )
  return [
    ...[...Map.groupBy(untried, ({ needs }) => needs)].map(
      ([needs, some]) =>
        `${some.map(({ name }) => noun(name)).join(', ')}: there are no ${needs.replaceAll('_', ' ')} to read`,
    ),
    ...(empty.length > 0 ? [`filters of ${empty.map(([name]) => noun(name)).join(', ')}: the lists are empty`] : []),
  ]
}

/** The lines of a section: its label, then a column of entries, each starting on its own line and wrapped. */
function section(label: string, entries: readonly string[]): string[] {
  return entries.flatMap((entry, index) => {
    const [first = '', ...rest] = wrapped(entry, COLUMNS - LABEL - 2)
    const indent = ' '.repeat(LABEL)
    return [(index === 0 ? label.padEnd(LABEL) : indent) + first, ...rest.map((line) => `${indent}  ${line}`)]
  })
}

/** The text in lines of at most so many characters, broken between words. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
