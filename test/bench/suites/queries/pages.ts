import type { Called } from '../../../mcp/clients.ts'
import type { Subjects } from './subjects.ts'

/** What a page is read with. */
export interface Reading {
  /** The text that the REST surface answers a GET with, through the router. */
  get(this: void, path: string): Promise<string>
  call(this: void, tool: string, args?: Record<string, unknown>): Promise<Called>
  subjects: Subjects
  /** How many rows a list is asked for; 50 by default. */
  rows?: number | undefined
}

export type ReadPage = (reading: Reading) => Promise<unknown>

/** The parts of `npm run bench -- queries`: each is a table. */
export const pages: Readonly<Record<string, Readonly<Record<string, ReadPage>>>> = {
  'Lists of issues': {
    'first page': issues({}),
    'tenth page': issues({ page_token: 'tenth' }),
    'by first_seen': issues({ sort: 'first_seen' }),
    'by times_seen': issues({ sort: 'times_seen' }),
    'status unresolved': issues({ status: 'unresolved' }),
    'status resolved': issues({ status: 'resolved' }),
    component: issues({ component_id: 'component' }),
    'level fatal': issues({ levels: 'fatal' }),
    'platform javascript': issues({ platforms: 'javascript' }),
    is_regression: issues({ is_regression: 'true' }),
    'environment production': issues({ environment_id: 'production' }),
    'environment qa': issues({ environment_id: 'qa' }),
    'newest release': issues({ release_id: 'newest' }),
    'oldest release': issues({ release_id: 'oldest' }),
    'first seen in the newest release': issues({ first_release_id: 'newest' }),
    'period 1h': issues({ period: '1h' }),
    'period 7d': issues({ period: '7d' }),
    'period 7d, by times_seen': issues({ period: '7d', sort: 'times_seen' }),
    'production, 1d, by times_seen': issues({ environment_id: 'production', period: '1d', sort: 'times_seen' }),
    'production, tenth page': issues({ environment_id: 'production', page_token: 'tenth' }),
    'search of a title': issues({ q: 'card was declined' }),
    'search of a file': issues({ q: 'checkout/part-40' }),
    'search without a match': issues({ q: 'nothing like it' }),
    'production, release, unresolved, errors, component, 30d': issues({
      environment_id: 'production',
      release_id: 'newest',
      status: 'unresolved',
      levels: 'error',
      component_id: 'component',
      period: '30d',
    }),
    'issues of a release': ({ get, subjects }) => get(`/v1/releases/${subjects.newest}/issues`),
    'issues that came back in it': ({ get, subjects }) =>
      get(`/v1/releases/${subjects.newest}/issues?include=regressed`),
  },
  'One issue, the loudest': {
    issue: ({ get, subjects }) => get(`/v1/issues/${subjects.loud}`),
    'stats, 1h': ({ get, subjects }) => get(`/v1/issues/${subjects.loud}/stats?period=1h`),
    'stats, 30d': ({ get, subjects }) => get(`/v1/issues/${subjects.loud}/stats?period=30d`),
    occurrences: events({}),
    'occurrences in qa': events({ environment_id: 'qa' }),
    'occurrences in the oldest release': events({ release_id: 'oldest' }),
    'occurrences of 1h': events({ period: '1h' }),
    'occurrence by the id of its SDK': events({ sdk_event_id: 'sdk event' }),
    occurrence: ({ get, subjects }) => get(`/v1/issues/${subjects.loud}/events/${subjects.event}`),
    'search in occurrences': events({ q: 'channel=web' }),
    'fix context': ({ get, subjects }) => get(`${product(subjects)}/issues/${subjects.loud}/fix-context`),
    'fix context of a quiet issue': ({ get, subjects }) =>
      get(`${product(subjects)}/issues/${subjects.quiet}/fix-context`),
  },
  'The workspace, quality and the gate': {
    workspaces: ({ get }) => get('/v1/workspaces'),
    products: ({ get, subjects }) => get(`/v1/workspaces/${subjects.workspace}/products`),
    releases: ({ get, subjects }) => get(`${product(subjects)}/releases`),
    'one release': ({ get, subjects }) => get(`/v1/releases/${subjects.newest}`),
    environments: ({ get, subjects }) => get(`${product(subjects)}/environments`),
    components: ({ get, subjects }) => get(`${product(subjects)}/components`),
    requirements: ({ get, subjects }) => get(`${product(subjects)}/requirements`),
    'coverage gaps': ({ get, subjects }) => get(`${product(subjects)}/coverage-gaps`),
    'test context': ({ get, subjects }) =>
      get(`${product(subjects)}/requirements/${subjects.requirement}/test-context`),
    'quality gate': ({ get, subjects }) => get(`${product(subjects)}/quality-gate`),
    traceability: ({ get, subjects }) => get(`${product(subjects)}/quality-gate/traceability`),
  },
  'Tools, in process': {
    get_workspace_context: tool('get_workspace_context'),
    'get_workspace_context with all lists': tool('get_workspace_context', {
      include: ['environments', 'components', 'releases'],
    }),
    find_error_issues: tool('find_error_issues'),
    'find_error_issues in production': tool('find_error_issues', { environment: 'production' }),
    'find_error_issues of a release': tool('find_error_issues', { environment: 'production', release: 'shop@2.29.0' }),
    'find_error_issues of 7 days': tool('find_error_issues', { period: '7d', sort: 'times_seen' }),
    'find_error_issues by text': tool('find_error_issues', { match: 'card was declined' }),
    get_error_issue: ({ call, subjects }) => call('get_error_issue', { issue: subjects.loud }),
    'get_error_issue with all sections': ({ call, subjects }) =>
      call('get_error_issue', { issue: subjects.loud, include: ['stats', 'events', 'variation', 'values'] }),
    get_fix_context: ({ call, subjects }) =>
      call('get_fix_context', { product: subjects.productId, issue: subjects.loud }),
    get_release: tool('get_release', { release: 'shop@2.29.0' }),
    find_coverage_gaps: tool('find_coverage_gaps'),
    get_quality_gate: tool('get_quality_gate'),
    compute_quality_gate: tool('compute_quality_gate'),
  },
}

/** A call of a tool about the product. */
function tool(name: string, args: Record<string, unknown> = {}): ReadPage {
  return ({ call, subjects }) => call(name, { product: subjects.productId, ...args })
}

function product({ productId }: Subjects): string {
  return `/v1/products/${productId}`
}

/** A page of issues; values that name a subject become its id. */
function issues(filter: Record<string, string>): ReadPage {
  return ({ get, subjects, rows }) => get(`${product(subjects)}/issues?${queryText(filter, subjects, rows)}`)
}

function events(filter: Record<string, string>): ReadPage {
  return ({ get, subjects, rows }) => get(`/v1/issues/${subjects.loud}/events?${queryText(filter, subjects, rows)}`)
}

function queryText(filter: Record<string, string>, subjects: Subjects, rows?: number): string {
  const text = (filtered: Record<string, string>) =>
    new URLSearchParams(
      Object.entries(filtered).map(([name, value]) => [name, subjects.named[value] ?? value]),
    ).toString()
  const { page_token: page, ...others } = filter
  const asked: Record<string, string> = rows === undefined ? {} : { page_size: String(rows) }
  if (page === undefined) return text({ ...others, ...asked })
  return text({ ...others, page_token: subjects.tenth[text(others)] ?? '' })
}
