import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import type { App } from '../../../app.ts'
import { done, startTree } from '../../branches/branch-tree.ts'

/** A product whose only issue and only test result are in one environment. */
async function startStaging() {
  const app = await startTree()
  const { tree } = app
  await tree.requirement({ title: 'The cart adds up', code_refs: [{ path: 'src/cart/cart.ts' }] })
  await app.ingest({ environment: 'staging', release: '1.0', user: { id: 'ada' } })
  const run = { environment: 'staging' }
  const cases = [{ file_path: 'test/cart.test.ts', suite_path: [], name: 'adds up [REQ-1]', status: 'failed' }]
  await app.request('POST', `${tree.product}/tests:ingest`, { draft: { cases }, run })
  const { body } = await app.request<ResponseOf<'listIssues'>>('GET', `${tree.product}/issues`)
  const listed = await app.request<ResponseOf<'listEnvironments'>>('GET', `${tree.product}/environments?name=staging`)
  return Object.assign(app, { issue: body.issues[0]!.id, staging: listed.body.environments[0]!.id })
}

type Staging = Awaited<ReturnType<typeof startStaging>>

async function read<T>(app: App, path: string): Promise<T> {
  return done(await app.request<T>('GET', path))
}

/** What each reader with the filter finds. */
const filters: [string, (app: Staging, query: string) => Promise<unknown>][] = [
  [
    'issues',
    async (app, query) =>
      (await read<ResponseOf<'listIssues'>>(app, `${app.tree.product}/issues?${query}`)).issues.length,
  ],
  [
    'occurrences',
    async (app, query) =>
      (await read<ResponseOf<'listIssueEvents'>>(app, `/v1/issues/${app.issue}/events?${query}`)).events.length,
  ],
  [
    'the latest occurrence',
    async (app, query) =>
      (await read<ResponseOf<'getIssue'>>(app, `/v1/issues/${app.issue}?${query}`)).latest_event !== null,
  ],
  [
    'a fix context',
    async (app, query) => {
      const path = `${app.tree.product}/issues/${app.issue}/fix-context?${query}`
      return (await read<ResponseOf<'getFixContext'>>(app, path)).fix_context.event !== null
    },
  ],
  [
    'statistics',
    async (app, query) => {
      const { stats } = await read<ResponseOf<'getIssueStats'>>(app, `/v1/issues/${app.issue}/stats?${query}`)
      const { total, users_affected: users, environments, releases, series } = stats
      return [total, users, environments.length, releases.length, series.filter(({ count }) => count > 0).length]
    },
  ],
  [
    'coverage gaps',
    async (app, query) => {
      const path = `${app.tree.product}/coverage-gaps?${query}`
      const { coverage_gaps: gaps } = await read<ResponseOf<'listCoverageGaps'>>(app, path)
      return gaps.map(({ type, exposure }) => [type, exposure.events, exposure.top_issues.length])
    },
  ],
  [
    'releases',
    async (app, query) =>
      (await read<ResponseOf<'listReleases'>>(app, `${app.tree.product}/releases?${query}`)).releases.length,
  ],
]

test.each(filters)(
  'a filter of %s by a deleted environment matches what one by an unknown id does',
  async (_, found) => {
    await using app = await startStaging()
    const query = `environment_id=${app.staging}`
    const unknown = await found(app, 'environment_id=unknown')
    expect(await found(app, query)).not.toEqual(unknown)
    expect((await app.request('DELETE', `/v1/environments/${app.staging}`)).status).toBe(200)
    expect(await found(app, query)).toEqual(unknown)
  },
)
