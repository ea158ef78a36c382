import type { Endpoint } from '../../contract/base/endpoint.ts'
import { Untrusted } from '../../contract/base/text.ts'
import { contract, type EndpointName } from '../../contract/index.ts'
import { isObject } from '../../lib/objects.ts'

export type Row = Readonly<Record<string, unknown>>

/** What a filter means for a row. */
export interface Filter {
  /** Whether the row matches the value; undefined: the row does not say. */
  matches: (row: Row, value: unknown, now: number) => boolean | undefined
  /** A search shows in a row only when it hits: rows that do not say are left out. So they are for keys. */
  isSearch?: true
  /** Each value matches at most one row. */
  isUnique?: true
  /** Asks for another state of the same rows, which they do not show: no row at all is no answer for that state. */
  isState?: true
  /** Proves what the deployment does; the caller applies it, because it knows more of the rows. */
  isForCaller?: true
  /** A row that shows another value may match too: the rows that are kept here may not be all. */
  mayMiss?: true
}

export type Filters = Readonly<Record<string, Filter>>

/** One of the values is at the path: `environments.id` is the id of any environment. A row without it does not say. */
function equal(path: string): Filter {
  return {
    matches(row, value) {
      const found = valuesAt([row], path.split('.'))
      return found?.some((one) => valuesAsked(value).some((wanted) => isEqual(one, wanted)))
    },
  }
}

/** All of the values are at the path. */
function equalToAll(path: string): Filter {
  return {
    matches(row, value) {
      const found = valuesAt([row], path.split('.'))
      return found && valuesAsked(value).every((wanted) => found.some((one) => isEqual(one, wanted)))
    },
  }
}

/** The name at the path is the value, ignoring case. */
function named(path: string): Filter {
  return {
    matches(row, value) {
      const wanted = String(value).trim()
      const found = valuesAt([row], path.split('.'))
      return found?.some((one) => one instanceof Untrusted && one.isNamed(wanted))
    },
  }
}

/** As `equal`, but a row with another value may match: it shows only one or some of its values. */
function equalToOne(...paths: readonly string[]): Filter {
  return {
    matches: (row, value) => paths.some((path) => equal(path).matches(row, value, 0) === true) || undefined,
  }
}

/** The path is the value; whether a glob matches it, only the deployment says. */
function pathOrGlob(path: string): Filter {
  const { matches } = equal(path)
  return { matches: (row, value, now) => (/[*?{]/.test(String(value)) ? undefined : matches(row, value, now)) }
}

/** The text is in one of the members, ignoring case. */
function text(...paths: readonly string[]): Filter {
  return {
    isSearch: true,
    matches: (row, value) => textsAt(row, paths).some((one) => containsText(one, String(value).trim())) || undefined,
  }
}

/** Each word is in one of the members. */
function words(...paths: readonly string[]): Filter {
  return {
    isSearch: true,
    matches(row, value) {
      const texts = textsAt(row, paths)
      const wanted = String(value).split(/\s+/).filter(Boolean)
      return wanted.every((word) => texts.some((one) => containsText(one, word))) || undefined
    },
  }
}

/** The time is not before the value, or not longer ago than the window; a tenth more for clocks that differ. */
function since(path: string): Filter {
  return {
    matches(row, value, now) {
      const [time] = valuesAt([row], [path]) ?? []
      const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
      const window = windowMs(String(value))
      const from = window === undefined ? Date.parse(String(value)) : now - window * 1.1
      return Number.isNaN(at) || Number.isNaN(from) ? undefined : at >= from
    },
  }
}

/** The row is one of those that the matrix is filtered for; a requirement that is not to be tested counts as a hole. */
const matrixRows: Filter = {
  matches({ coverage_state: state, suspect, failing }, value) {
    const holes = state === undefined ? undefined : state !== 'verified'
    const said = { holes, suspect, failing }
    const found = valuesAsked(value).map((name) => said[name as keyof typeof said])
    if (found.includes(true)) return true
    return found.includes(undefined) ? undefined : false
  },
}

const unique = (filter: Filter): Filter => ({ ...filter, isUnique: true })

const issueFilters = {
  status: equal('status'),
  levels: equal('level'),
}

/** The filters of each list that rows can be compared with. */
const filters: Partial<Record<EndpointName, Filters>> = {
  listProducts: { slug: equal('slug') },
  listIssues: {
    ...issueFilters,
    environment_id: equal('environments.id'),
    release_id: equalToOne('first_release.id', 'last_release.id'),
    first_release_id: equalToOne('first_release.id'),
    component_id: equal('component.id'),
    platforms: equal('platform'),
    period: since('last_seen'),
    q: text('title', 'type', 'value', 'culprit', 'causes'),
    short_id: unique(equal('short_id')),
    is_regression: equal('is_regression'),
  },
  listReleaseIssues: issueFilters,
  listIssueEvents: {
    environment_id: equal('environment_id'),
    release_id: equal('release_id'),
    period: since('timestamp'),
    sdk_event_id: unique({
      matches: ({ sdk_event_id: id }, value) => (id === undefined ? undefined : bareId(id) === value),
    }),
    q: { ...text('title', 'message', 'transaction'), isForCaller: true },
  },
  listRequirements: {
    parent_id: equal('parent_id'),
    key: unique(equal('key')),
    kind: equal('kind'),
    status: equal('status'),
    priority: equal('priority'),
    tag: equalToAll('tags'),
    component_id: equal('component_ids'),
    coverage_state: equal('coverage.state'),
    suspect: equal('coverage.suspect'),
    q: words('key', 'title', 'statement', 'tags'),
    updated_since: since('updated_at'),
    path: equalToOne('code_refs.path'),
  },
  listTests: {
    kind: equal('kind'),
    parent_id: equal('parent_id'),
    status: equal('status'),
    level: equal('level'),
    framework: equal('framework'),
    tag: equal('tags'),
    component_id: equal('component_ids'),
    requirement_id: equalToOne(),
    linked: {
      matches: ({ link_count: count }, value) => (typeof count === 'number' ? count > 0 === value : undefined),
    },
    result_status: equal('last_result.status'),
    quarantined: equal('quarantined'),
    file_path: pathOrGlob('automation_ref.file_path'),
    q: words('key', 'title', 'automation_ref.file_path'),
    key: unique(equal('key')),
  },
  listTestLinks: { state: equal('state') },
  listLinkProposals: { test_id: equal('test.id'), requirement_id: equal('requirement.id'), state: equal('state') },
  listBranches: { state: equal('state'), name: equal('name') },
  listComponents: { path: equalToOne(), q: words('name', 'slug') },
  listEnvironments: { kind: equal('kind'), name: named('name') },
  listReleases: {
    environment: named('environment'),
    environment_id: equal('environment_id'),
    version: equal('version'),
  },
  getTraceability: {
    component_id: equal('components.id'),
    requirement_id: equalToOne('requirement.id'),
    coverage_state: equal('coverage_state'),
    filter: matrixRows,
  },
  listAgentRuns: { state: equal('state') },
  listAgentRunEvents: {
    after_sequence: {
      matches: ({ sequence }, value) => (typeof sequence === 'number' ? sequence > Number(value) : undefined),
    },
    type: equal('type'),
  },
  listCoverageGaps: {
    branch_id: { matches: () => undefined, isState: true },
    type: equal('type'),
    // The first of its components.
    component_id: { ...equal('component.id'), mayMiss: true },
    priority: equal('requirement.priority'),
    min_score: { matches: ({ score }, value) => (typeof score === 'number' ? score >= Number(value) : undefined) },
  },
}

export const filtersByEndpoint: ReadonlyMap<Endpoint, Filters> = new Map(
  Object.entries(filters).map(([name, each]) => [contract[name as EndpointName] as Endpoint, each]),
)

/** The member by which the rows of an ordered list descend, by the value of `sort`. */
export const sortMembers: ReadonlyMap<Endpoint, readonly string[]> = new Map([
  [contract.listIssues as Endpoint, ['last_seen', 'first_seen', 'times_seen']],
  [contract.listRequirements as Endpoint, ['updated_at']],
])

/** The id of an SDK as 32 lower-case digits: some deployments show it as a UUID. */
function bareId(id: unknown): string {
  return typeof id === 'string' ? id.replaceAll('-', '').toLowerCase() : ''
}

function valuesAsked(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value]
}

function isEqual(one: unknown, wanted: unknown): boolean {
  if (one instanceof Untrusted) return one.equals(wanted)
  return one === wanted
}

function containsText(one: unknown, wanted: string): boolean {
  if (one instanceof Untrusted) return one.contains(wanted)
  return typeof one === 'string' && one.toLowerCase().includes(wanted.toLowerCase())
}

function textsAt(row: Row, paths: readonly string[]): unknown[] {
  return paths.flatMap((path) => valuesAt([row], path.split('.')) ?? [])
}

/** The values at a path, through arrays; empty if the member is null, undefined if it is missing. */
function valuesAt(values: readonly unknown[], [name, ...rest]: readonly string[]): unknown[] | undefined {
  if (name === undefined) return [...values]
  const inner = values.map((value) => (isObject(value) ? value[name] : undefined))
  if (inner.includes(undefined)) return undefined
  return valuesAt(
    inner.flat().filter((value) => value !== null),
    rest,
  )
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `3m`, `12h`, `7d` in milliseconds; undefined for other text. */
function windowMs(value: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,4})([mhd])$/.exec(value) ?? []
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0)
}
