import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { gateWatch } from '../../../../src/service/agents/types/gate-watch/index.ts'
import { parseReport } from '../../../../src/service/quality/reports/index.ts'
import { readReport, sampleRuns } from '../../../../src/service/sample/test-reports.ts'
import { dayMs } from '../../../../src/service/shared/times.ts'
import { startApp, type App } from '../../../app.ts'
import { startSampleApp } from '../../../sample-app.ts'
import { tokenHeaders } from '../../people.ts'
import { runType } from '../run-type.ts'

type Output = z.input<typeof gateWatch.output>

async function watch(app: App, input: object = {}, options: Parameters<typeof runType>[3] = {}) {
  const { output, ...run } = await runType(app, 'gate_watch', { ...input }, options)
  // `runType` has parsed it with the output schema of the type.
  return { ...run, output: output as Output }
}

const post = <T>(app: App, path: string, body: object = {}, headers = {}) =>
  app.request<T>('POST', `/v1/products/${app.productId}/${path}`, body, headers)

async function report(app: App, results: Readonly<Record<string, string>>, run: object = {}): Promise<void> {
  const place = { file_path: 'test/more.test.ts', suite_path: [] }
  const cases = Object.entries(results).map(([name, status]) => ({ ...place, name, status }))
  expect(await post(app, 'tests:ingest', { draft: { cases }, run })).toMatchObject({ status: 200 })
}

/** A product with one critical requirement, whose test passed. */
async function startPassing(): Promise<App> {
  const app = await startApp()
  await post(app, 'requirements', { title: 'Totals are right', status: 'APPROVED', priority: 'CRITICAL' })
  await report(app, { '[REQ-1] adds up': 'passed' })
  return app
}

async function countVerdicts(app: App): Promise<number> {
  return (await app.db.read.selectFrom('verdict').select('id').execute()).length
}

const findFindings = ({ events }: { events: { type: string; data: object }[] }) =>
  events.filter(({ type }) => type === 'FINDING')

test('the sample fails for its red tests and its regression, and the summary names the first thing to fix', async () => {
  await using app = await startSampleApp()
  const { output, summary } = await watch(app)
  expect(output.verdict.status).toBe('FAIL')
  const newest = sampleRuns.filter(({ release }) => release === 'shop@1.4.1')
  const reports = await Promise.all(
    newest.map(async (run) => parseReport({ name: '', content: await readReport(run, 0) })),
  )
  const cases = reports.flatMap((one) => one.cases)
  const failed = cases.filter(({ status }) => status === 'RESULT_STATUS_FAILED').map(({ name }) => name)
  const titles = (condition: string) =>
    output.to_green.find(({ condition_id: id }) => id === condition)?.cheapest.map(({ title }) => title)
  expect(new Set(titles('failing_tests'))).toEqual(new Set(failed))
  // A person resolved the issue of the guest's address, and 1.4.1 brought it back.
  expect(titles('regressed_issues')).toEqual(["TypeError: Cannot read properties of undefined (reading 'email')"])
  expect(summary).toMatch(
    /^FAIL for the whole product: 4 blocking conditions fail: .* Next: confirm_link for REQ-\d+, the first of 7 items that must change for critical_coverage: /,
  )
  expect(summary.length).toBeLessThanOrEqual(500)
})

test('the first verdict of a scope is compared with nothing and lists every item to fix in plain words', async () => {
  await using app = await startSampleApp()
  const run = await watch(app)
  expect(run.output).toMatchObject({ compared_with: null, changes: [], newly_failing: [], newly_failing_total: 0 })
  expect(run.summary).toContain('This is its first verdict, so there is nothing to compare with.')
  for (const { to_pass: needed, listed, cheapest } of run.output.to_green) {
    expect(listed).toBe(needed)
    expect(cheapest).toHaveLength(needed)
  }
  const links = run.output.to_green.flatMap(({ cheapest }) => cheapest.filter(({ type }) => type === 'link'))
  expect(links.map(({ id, key }) => [id, key])).toContainEqual([undefined, expect.stringMatching(/^TC-\d+ > REQ-\d+$/)])
  expect(JSON.stringify(run)).not.toMatch(/(?:STATUS|SEVERITY|STATE)_[A-Z]/)
})

test('without new evidence a run neither changes the status nor finds anything, however often it is repeated', async () => {
  await using app = await startSampleApp()
  const now = Date.now()
  let { output: previous } = await watch(app, {}, { now })
  for (const minutes of [0, 1, 5, 60]) {
    const again = await watch(app, {}, { now: now + minutes * 60_000, previous })
    expect(again.output).toMatchObject({
      verdict: previous.verdict,
      is_new_verdict: false,
      compared_with: { source: 'last_run', at: previous.checked_at },
      changes: [],
      newly_failing: [],
    })
    expect(again.events.filter(({ type }) => type === 'ACTION' || type === 'FINDING')).toEqual([])
    previous = again.output
  }
  expect(await countVerdicts(app)).toBe(1)
  const input = { now: now + 7_200_000, previous }
  expect(await watch(app, {}, input)).toEqual(await watch(app, {}, input))
})

test('newly failing is what the last run did not have, also when others computed a verdict since', async () => {
  await using app = await startPassing()
  const { output: previous } = await watch(app)
  expect(previous.verdict.status).toBe('PASS')
  await report(app, { '[REQ-1] adds up': 'failed' }, { run_key: '2' })
  await post(app, 'quality-gate:compute')
  await report(app, { '[REQ-1] rounds': 'failed' }, { run_key: '3' })

  const run = await watch(app, {}, { previous })
  expect(run.output.changes).toContainEqual({
    condition_id: 'failing_tests',
    from: 'pass',
    to: 'fail',
  })
  const red = run.output.newly_failing.filter(({ condition_id: id }) => id === 'failing_tests')
  expect(red.map(({ title }) => title)).toEqual(['[REQ-1] adds up', '[REQ-1] rounds'])
  expect(findFindings(run).map(({ data }) => data)).toContainEqual(
    expect.objectContaining({ key: 'REQ-1', condition_ids: ['critical_coverage'] }),
  )
  expect(run.summary).toContain('FAIL (was PASS) for the whole product: ')
  expect(run.events).toContainEqual(
    expect.objectContaining({
      type: 'ACTION',
      data: { verdict_id: run.output.verdict.id, status: 'FAIL' },
    }),
  )

  await report(app, { '[REQ-1] adds up': 'passed', '[REQ-1] rounds': 'passed' }, { run_key: '4' })
  const mended = await watch(app, {}, { previous: run.output })
  expect(mended.output).toMatchObject({ verdict: { status: 'PASS' }, newly_failing: [], to_green: [] })
  expect(mended.summary).toMatch(/^PASS \(was FAIL\) for the whole product: /)
})

test('a requirement that gets a test, and one that no longer fails, are named as improved', async () => {
  await using app = await startApp()
  await post(app, 'requirements', { title: 'Totals are right', status: 'APPROVED', priority: 'CRITICAL' })
  await report(app, { 'another test': 'passed' })
  const first = await watch(app)
  const actions = ({ output }: typeof first) =>
    output.to_green.flatMap(({ condition_id: id, cheapest }) =>
      id === 'critical_coverage' ? cheapest.map((item) => [item.key, item.do]) : [],
    )
  expect(actions(first)).toEqual([['REQ-1', 'write_test']])

  await report(app, { '[REQ-1] adds up': 'skipped' }, { run_key: '2' })
  const linked = await watch(app, {}, { previous: first.output })
  expect(linked.output.improved).toContainEqual(
    expect.objectContaining({ condition_id: 'critical_coverage', key: 'REQ-1', from: 'no_test', to: 'not_run' }),
  )
  expect(linked.summary).toContain('1 item improved, first REQ-1 no_test -> not_run.')
  expect(actions(linked)).toEqual([['REQ-1', 'finish_test']])

  await report(app, { '[REQ-1] adds up': 'passed' }, { run_key: '3' })
  const covered = await watch(app, {}, { previous: linked.output })
  expect(covered.summary).toContain('1 item improved, first REQ-1 no longer fails critical_coverage.')
})

test('an inconclusive verdict names the missing shard, and ends when it arrives', async () => {
  await using app = await startPassing()
  const shard = { run_key: 'sharded', shard_total: 2 }
  await report(app, { '[REQ-1] adds up': 'passed' }, { ...shard, shard_index: 0 })
  const open = await watch(app)
  expect(open.output.verdict.status).toBe('INCONCLUSIVE')
  expect(open.output.verdict.settled_by).toContain('The report of shard 1 ')
  expect(open.summary).toContain('Next: The report of shard 1 ')

  await report(app, { 'another test': 'passed' }, { ...shard, shard_index: 1 })
  const settled = await watch(app, {}, { previous: open.output })
  expect(settled.summary).toMatch(/^PASS \(was INCONCLUSIVE\) for the whole product: /)
})

test('an accepted risk is announced in the week before its end and reported once it has ended', async () => {
  await using app = await startPassing()
  await report(app, { '[REQ-1] adds up': 'failed' }, { run_key: '2' })
  const { output: failed } = await watch(app)
  const conditions = ['critical_coverage', 'failing_tests']
  const { body } = await post<{ risk: { id: string } }>(app, 'quality-gate:accept-risk', {
    condition_ids: conditions,
    reason: 'the fix of the rounding is in review',
    ttl_days: 10,
  })
  const other = await tokenHeaders(app, { member: 'Bob', scopes: ['gate:approve'] })
  expect(await post(app, 'quality-gate:approve-risk', { risk_id: body.risk.id }, other)).toMatchObject({ status: 200 })

  const now = Date.now()
  const early = await watch(app, {}, { now, previous: failed })
  expect(early.output).toMatchObject({
    verdict: { status: 'PASS_WITH_RISK' },
    risks: { active: 1, pending: 0, ending: [], ended: [] },
  })
  const late = await watch(app, {}, { now: now + 5 * dayMs, previous: early.output })
  expect(late.output.risks.ending).toMatchObject([{ risk_id: body.risk.id, condition_ids: conditions }])
  expect(late.summary).toContain('1 accepted risk ends within 7 days.')
  const after = await watch(app, {}, { now: now + 11 * dayMs, previous: late.output })
  expect(after.output).toMatchObject({
    verdict: { status: 'FAIL' },
    risks: { active: 0, ending: [], ended: [{ risk_id: body.risk.id, state: 'expired' }] },
  })
})

test('without recompute a run reads the newest verdict, writes nothing, and says when it is out of date', async () => {
  await using app = await startPassing()
  await expect(watch(app, { recompute: false })).rejects.toThrow('no verdict has been computed for this scope')
  const { output: computed } = await watch(app)
  const same = await watch(app, { recompute: false }, { previous: computed })
  expect(same.output).toMatchObject({ verdict: computed.verdict, is_new_verdict: false, newly_failing: [] })
  await report(app, { '[REQ-1] adds up': 'failed' }, { run_key: '2' })
  const old = await watch(app, { recompute: false }, { previous: computed })
  expect(old.output.verdict).toEqual({ ...computed.verdict, stale: true })
  expect(old.summary).toContain('Next: run again with recompute true')
  expect(await countVerdicts(app)).toBe(1)
})

test('a scope is named by ids or names, and a version that is in several environments needs one', async () => {
  await using app = await startSampleApp()
  const { output } = await watch(app, { release: 'shop@1.4.1', environment: 'STAGING' })
  expect(output.scope).toMatchObject({
    name: 'release shop@1.4.1, environment staging',
    release: { title: 'shop@1.4.1' },
    environment: { title: 'staging' },
  })
  const id = output.scope.release?.id
  const verdict = await app.db.read.selectFrom('verdict').selectAll().executeTakeFirstOrThrow()
  expect(verdict).toMatchObject({ release_id: id, environment_id: output.scope.environment?.id })
  await expect(watch(app, { release: 'shop@1.4.1' })).rejects.toThrow('shop@1.4.1 is in 3 environments')
  await expect(watch(app, { release: 'shop@9.9.9' })).rejects.toThrow('shop@9.9.9')
  const other = await watch(app, { release: id }, { previous: output })
  expect(other.output.compared_with).toBeNull()
})

test('a version in one environment that was not deleted names its release', async () => {
  await using app = await startPassing()
  for (const environment of ['staging', 'production'])
    await post(app, 'releases', { version: 'app@1.0.0', environment })
  const { environments } = await app.api.listEnvironments({ product_id: app.productId })
  const staging = environments.find(({ kind }) => kind === 'ENVIRONMENT_KIND_STAGING')
  expect(await app.request('DELETE', `/v1/environments/${staging?.id}`)).toMatchObject({ status: 200 })
  const { output } = await watch(app, { release: 'app@1.0.0' })
  expect(output.scope.release).toMatchObject({ title: 'app@1.0.0' })
})

test('a run compares with the previous verdict when the verdict of the last run is not stored any more', async () => {
  await using app = await startPassing()
  const { output: previous } = await watch(app)
  await report(app, { '[REQ-1] adds up': 'failed' }, { run_key: '2' })
  const { output: newest } = await watch(app)
  await app.db.write((rows) => rows.deleteFrom('verdict').where('id', '=', previous.verdict.id).execute())
  const { output } = await watch(app, {}, { previous })
  expect(output.compared_with).toMatchObject({ source: 'previous_verdict' })
  expect(output.verdict.id).toBe(newest.verdict.id)
})

test('a run that is cancelled stores no verdict', async () => {
  await using app = await startSampleApp()
  const stop = () => {
    throw new Error('cancelled')
  }
  await expect(watch(app, {}, { onProgress: stop })).rejects.toThrow('cancelled')
  expect(await countVerdicts(app)).toBe(0)
})
