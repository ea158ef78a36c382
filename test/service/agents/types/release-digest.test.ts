import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { releaseDigest } from '../../../../src/service/agents/types/release-digest/index.ts'
import { dayMs } from '../../../../src/service/shared/times.ts'
import { startApp, type App } from '../../../app.ts'
import { startSampleApp } from '../../../sample-app.ts'
import { tokenHeaders } from '../../people.ts'
import { runType } from '../run-type.ts'

type Output = z.input<typeof releaseDigest.output>

async function digest(app: App, input: object = {}, options: Parameters<typeof runType>[3] = {}) {
  const { output, ...run } = await runType(app, 'release_digest', { ...input }, options)
  // `runType` has parsed it with the output schema of the type.
  return { ...run, output: output as Output }
}

async function post<T = unknown>(app: App, path: string, body: object = {}, headers = {}): Promise<T> {
  const reply = await app.request<T>('POST', `/v1/products/${app.productId}/${path}`, body, headers)
  expect(reply.status).toBe(200)
  return reply.body
}

async function record(app: App, version: string, daysAgo: number): Promise<void> {
  const released_at = new Date(Date.UTC(2026, 9, 30) - daysAgo * dayMs).toISOString()
  await post(app, 'releases', { version, environment: 'production', released_at })
}

const collectKeys = (list: readonly { key: string }[]) => new Set(list.map(({ key }) => key))

/** Keys of the issues that occurred in a release, by the list of issues. */
async function issuesIn(app: App, release_id = ''): Promise<Set<string>> {
  const { issues } = await app.api.listIssues({ product_id: app.productId, release_id, page_size: 100 })
  return new Set(issues.map((issue) => issue.short_id ?? ''))
}

test('the digest of the newest release of the sample tells what came back, what went, and what lost its proof', async () => {
  await using app = await startSampleApp()
  const { output, summary, events } = await digest(app)
  expect(output.release).toMatchObject({
    release: { title: 'shop@1.4.1', known: true },
    environment: { title: 'production' },
  })
  expect(output.predecessor?.release.title).toBe('shop@1.4.0')

  // A person resolved the issue of the guest's address before 1.4.1 went to production, and it came back there.
  expect(output.regressed_issues.map(({ title }) => title)).toEqual([
    "TypeError: Cannot read properties of undefined (reading 'email')",
  ])
  expect(output.new_issues).toEqual([])
  const [now, before] = [
    await issuesIn(app, output.release.release.id),
    await issuesIn(app, output.predecessor?.release.id),
  ]
  expect(collectKeys(output.gone_issues)).toEqual(before.difference(now))
  expect(output.counts.continuing_issues).toBe(before.intersection(now).size)
  // 140 payments failed in the five days of 1.4.0; of other issues two days without one prove nothing.
  expect(output.gone_issues[0]).toMatchObject({ events: 0, events_before: 140, confidence: 'HIGH' })
  expect(output.gone_issues.slice(1).every(({ confidence }) => confidence === 'LOW')).toBe(true)

  // The reports of the two versions: [REQ-7] failed in 1.4.0, [REQ-12] fails in 1.4.1.
  expect(output.coverage).toMatchObject({ lost: [{ key: 'REQ-12' }], gained: [{ key: 'REQ-7' }] })
  expect(output.coverage.current.test_runs).toBe(2)
  const [back] = output.regressed_issues
  expect(output.untested).toContainEqual(
    expect.objectContaining({ key: 'REQ-12', because: expect.stringContaining(back?.key ?? 'no regression') }),
  )
  expect(summary).toContain(`Next: get_fix_context of ${String(back?.key)}.`)
  expect(events.filter(({ type }) => type === 'FINDING').map(({ data }) => data['key'])).toEqual([back?.key, 'REQ-12'])
})

test('issues that are gone from a release without events are gone with low confidence', async () => {
  await using app = await startSampleApp()
  const released_at = new Date().toISOString()
  await post(app, 'releases', { version: 'shop@1.4.2', environment: 'production', released_at })
  const { output, summary } = await digest(app, {}, { now: Date.now() + 30 * dayMs })
  expect(output.predecessor?.release.title).toBe('shop@1.4.1')
  expect(output.gone_issues.length).toBeGreaterThan(0)
  expect(output.gone_issues.filter(({ confidence }) => confidence === 'HIGH')).toEqual([])
  expect(summary).not.toContain('with high confidence')
})

test('a version with an environment is the release there, with what it brought', async () => {
  await using app = await startSampleApp()
  const { output } = await digest(app, { release: 'shop@1.4.1', environment: 'staging' })
  expect(output.predecessor?.release.title).toBe('shop@1.4.0')
  const id = output.release.release.id
  const { body } = await app.request<{ release: { counts: { new_issues: number } } }>('GET', `/v1/releases/${id}`)
  expect(output.counts.new_issues).toBe(body.release.counts.new_issues)
  expect(output.new_issues.length).toBeGreaterThan(0)
  expect(output.elsewhere.map(({ environment }) => environment.title)).toEqual(['development', 'production'])
  await expect(digest(app, { release: 'shop@7.0.0' })).rejects.toThrow('shop@7.0.0')
})

test('equal data give an equal digest, and a limit cuts the lists with a note', async () => {
  await using app = await startSampleApp()
  const now = Date.now()
  const whole = await digest(app, {}, { now })
  expect(await digest(app, {}, { now, previous: whole.output })).toEqual(whole)
  const { output, truncationSignals } = await digest(app, { limit: 1 }, { now })
  const { gone_issues: gone } = whole.output
  expect(output.gone_issues).toEqual(gone.slice(0, 1))
  expect(output.counts).toEqual(whole.output.counts)
  expect(truncationSignals).toContain(`gone_issues:max_items:1/${String(gone.length)}`)
})

test('a release that only events name is neither the newest nor a predecessor', async () => {
  await using app = await startSampleApp()
  const forgedCrash = { values: [{ type: 'ForgedError', value: 'made up' }] }
  await app.ingest({ release: 'shop@1.4.1-rc.1' }, { release: 'shop@999.9.9', exception: forgedCrash })
  const { output } = await digest(app)
  expect([output.release.release.title, output.predecessor?.release.title]).toEqual(['shop@1.4.1', 'shop@1.4.0'])
  const forged = await digest(app, { release: 'shop@999.9.9' })
  expect(forged.output.predecessor).toBeNull()
  expect(forged.output.counts).toMatchObject({ new_issues: 1, gone_issues: 0 })
  expect(forged.summary).not.toContain('999')
  expect(forged.events.filter(({ type }) => type === 'WARNING')).toHaveLength(1)
})

test.each([{ order: 'recorded oldest first' }, { order: 'recorded newest first' }])(
  'the predecessor of a hotfix is the release before it in its line, $order',
  async ({ order }) => {
    await using app = await startApp()
    const releases = [
      ['app@1.3.0', 20],
      ['app@1.4.0', 10],
      ['app@1.3.1', 5],
    ] as const
    for (const [version, daysAgo] of order.endsWith('oldest first') ? releases : releases.toReversed())
      await record(app, version, daysAgo)
    const predecessors = []
    for (const [release] of releases)
      predecessors.push((await digest(app, { release })).output.predecessor?.release.title)
    expect(predecessors).toEqual([undefined, 'app@1.3.1', 'app@1.3.0'])
  },
)

test('the predecessor of a release is one of its package', async () => {
  await using app = await startApp()
  await record(app, 'api@1.9.0', 20)
  await record(app, 'web@1.4.1', 10)
  await record(app, 'api@2.0.0', 5)
  const predecessors = []
  for (const release of ['web@1.4.1', 'api@2.0.0'])
    predecessors.push((await digest(app, { release })).output.predecessor?.release.title)
  expect(predecessors).toEqual([undefined, 'api@1.9.0'])
})

test('the digest shows the verdicts of both releases and the accepted risks that end within a week', async () => {
  await using app = await startSampleApp()
  const { output: first, summary } = await digest(app)
  expect(first.verdict).toEqual({ current: null, before: null })
  expect(summary).toContain('No verdict has been computed for this release.')
  const scope = { release_id: first.release.release.id }
  await post(app, 'quality-gate:compute', { release_id: first.predecessor?.release.id })
  const { verdict } = await post<{ verdict: { status: string } }>(app, 'quality-gate:compute', scope)
  const accepted = {
    condition_ids: ['failing_tests'],
    reason: 'the fix of the address is in review',
    ttl_days: 10,
    scope,
  }
  const { risk } = await post<{ risk: { id: string } }>(app, 'quality-gate:accept-risk', accepted)
  const other = await tokenHeaders(app, { member: 'Bob', scopes: ['gate:approve'] })
  await post(app, 'quality-gate:approve-risk', { risk_id: risk.id }, other)

  const now = Date.now()
  const { output: early } = await digest(app, {}, { now })
  expect(early.verdict.current).toMatchObject({ status: verdict.status.replace('VERDICT_STATUS_', ''), stale: false })
  expect(early.verdict.before?.status).toBe('FAIL')
  expect(early.risks_ending).toEqual([])
  const late = await digest(app, {}, { now: now + 4 * dayMs })
  expect(late.output.risks_ending).toMatchObject([{ risk_id: risk.id, condition_ids: ['failing_tests'] }])
  expect(late.summary).toContain('1 accepted risk ends within 7 days.')
})

test('the digest of a product without a known release says to record one', async () => {
  await using app = await startApp()
  await app.ingest({ release: 'app@1.0.0' })
  await expect(digest(app)).rejects.toThrow('record one with record_release')
})
