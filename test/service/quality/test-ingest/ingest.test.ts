import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'
import { reasonOf, type Failure } from '../../people.ts'
import { tries } from '../../../property-tries.ts'

interface Case {
  test_id: string
  key: string
  name: string
  action: string
  status: string
  requirement_keys: string[]
}
interface Ingest {
  id: string
  run: { id: string; run_key: string; totals: Record<string, number>; environment_id: string; release_id: string }
  summary: Record<string, number>
  cases: Case[]
  unresolved_refs: { ref: string; test_id: string }[]
  warnings: { code: string; file: string }[]
  coverage_effect: { before: Record<string, number>; after: Record<string, number> }
  gate_stale: boolean
}
interface Test {
  id: string
  key: string
  title: string
  status: string
  link_count: number
  requirement_keys: string[]
  last_result: { status: string; attempts: number; environment: string } | null
  stats: { runs: number; passed: number; failed: number }
  automation_ref: { file_path: string }
}

const cart = (name: string, more: object = {}) => ({
  file_path: 'test/cart.test.ts',
  suite_path: ['cart'],
  name,
  status: 'passed',
  duration_ms: 4,
  ...more,
})

const send = (app: App, cases: object[], more: object = {}) =>
  app.request<{ ingest: Ingest } & Failure>('POST', `/v1/products/${app.productId}/tests:ingest`, {
    draft: { cases },
    ...more,
  })
const ingest = async (app: App, cases: object[], more: object = {}) => (await send(app, cases, more)).body.ingest
const tests = async (app: App, query = '?kind=case') =>
  (await app.request<{ tests: Test[] }>('GET', `/v1/products/${app.productId}/tests${query}`)).body.tests

async function require(app: App, more: object = {}) {
  const reply = await app.request<{ requirement: { id: string; key: string } }>(
    'POST',
    `/v1/products/${app.productId}/requirements`,
    { title: 'a rule', ...more },
  )
  return reply.body.requirement
}
const coverage = async (app: App, { id }: { id: string }) =>
  (
    await app.request<{
      requirement: { coverage: { state: string; failing: boolean; flaky: boolean; suspect: boolean } }
    }>('GET', `/v1/requirements/${id}`)
  ).body.requirement.coverage

test('a report creates suites and cases, records results, links by annotation and returns the coverage effect', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  const report = await ingest(
    app,
    [cart('[REQ-1] adds up'), cart('rounds', { status: 'failed', message: 'off by one' })],
    {
      run: { environment: 'ci', release: '1.4.0' },
    },
  )
  expect(report.summary).toEqual({
    files: 1,
    suites_created: 1,
    cases_created: 2,
    cases_updated: 0,
    cases_unchanged: 0,
    cases_renamed: 0,
    results_recorded: 2,
    results_duplicate: 0,
    links_created: 1,
    link_proposals_created: 0,
    passed: 1,
    failed: 1,
    blocked: 0,
    skipped: 0,
    flaky: 0,
    errors: 0,
  })
  expect(report.cases).toMatchObject([
    { key: 'TC-2', action: 'INGEST_ACTION_CREATED', status: 'RESULT_STATUS_PASSED', requirement_keys: ['REQ-1'] },
    { key: 'TC-3', action: 'INGEST_ACTION_CREATED', status: 'RESULT_STATUS_FAILED', requirement_keys: [] },
  ])
  expect(report.coverage_effect).toEqual({
    before: { verified: 0, not_run: 0, no_test: 1, failing: 0, suspect: 0 },
    after: { verified: 1, not_run: 0, no_test: 0, failing: 0, suspect: 0 },
  })
  expect(report.gate_stale).toBe(false)
  expect(report.run.totals).toMatchObject({ tests: 2, passed: 1, failed: 1 })
  expect(await coverage(app, requirement)).toMatchObject({ state: 'verified', failing: false })
  const [first] = await tests(app)
  expect(first).toMatchObject({ title: '[REQ-1] adds up', last_result: { environment: 'ci', attempts: 1 } })
})

test('the same report sent twice is one run, counted once', async () => {
  await using app = await startApp()
  const cases = [cart('adds up'), cart('rounds')]
  const first = await ingest(app, cases)
  const second = await ingest(app, cases)
  expect(second.run.id).toBe(first.run.id)
  expect(second.summary).toMatchObject({ results_recorded: 0, results_duplicate: 2, cases_unchanged: 2 })
  expect(second.run.totals).toEqual(first.run.totals)
  expect((await tests(app)).map(({ stats }) => stats.runs)).toEqual([1, 1])
})

test('two processes that send the same report at once count it once', async () => {
  await using app = await startApp()
  await using other = await startApp({ dataDir: app.dataDir })
  const cases = Array.from({ length: 40 }, (_, index) => cart(`case ${String(index)}`))
  const run = { run: { run_key: 'build 7' } }
  const reports = await Promise.all([ingest(app, cases, run), ingest(other, cases, run), ingest(app, cases, run)])
  expect(reports.map(({ summary }) => summary['results_recorded'] ?? 0).toSorted((a, b) => a - b)).toEqual([0, 0, 40])
  expect(reports.reduce((sum, { summary }) => sum + (summary['cases_created'] ?? 0), 0)).toBe(40)
  const all = await tests(app, '?kind=case&page_size=100')
  expect(all).toHaveLength(40)
  expect(new Set(all.map(({ key }) => key)).size).toBe(40)
})

const shard = fc.record({
  cases: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('one', 'two', 'three'),
      status: fc.constantFrom('passed', 'failed', 'skipped', 'flaky'),
      duration_ms: fc.nat({ max: 3 }),
    }),
    { minLength: 1, maxLength: 3, selector: ({ name }) => name },
  ),
})

test('the shards of a run have the same outcome however often each is sent again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(shard, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(), { maxLength: 4 }),
      async (shards, again) => {
        const total = shards.length
        const outcome = async (order: readonly number[]) => {
          await using app = await startApp()
          await require(app)
          for (const index of order) {
            const run = { run_key: 'r', shard_index: index, shard_total: total, started_at: '2026-01-01T00:00:00Z' }
            await ingest(
              app,
              shards[index]!.cases.map(({ name, ...rest }) => cart(`[REQ-1] ${name}`, rest)),
              { run },
            )
          }
          const results = await app.db.read
            .selectFrom('test_result')
            .innerJoin('test', 'test.id', 'test_result.test_id')
            .select(['test.name', 'test_result.status', 'attempts', 'duration_ms', 'reported'])
            .orderBy('test.name')
            .execute()
          const states = (
            await app.request<{ requirements: { coverage: object }[] }>(
              'GET',
              `/v1/products/${app.productId}/requirements`,
            )
          ).body
          return { results, coverage: states.requirements.map((one) => ({ ...one.coverage, last_verified_at: '' })) }
        }
        const inOrder = shards.map((_, index) => index)
        const repeated = [...inOrder, ...again.map((index) => index % total)]
        expect(await outcome(repeated)).toEqual(await outcome(inOrder))
      },
    ),
    { numRuns: tries(12) },
  )
})

test('a case that fails and passes in two reports of one run is flaky', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  const run = { run: { run_key: 'r' } }
  await ingest(app, [cart('[REQ-1] adds up', { status: 'failed', duration_ms: 9 })], run)
  expect(await coverage(app, requirement)).toMatchObject({ state: 'not_run', failing: true })
  await ingest(app, [cart('[REQ-1] adds up')], run)
  expect(await coverage(app, requirement)).toMatchObject({ state: 'verified', failing: false, flaky: true })
  const [one] = await tests(app)
  expect(one?.last_result).toMatchObject({ status: 'RESULT_STATUS_FLAKY', attempts: 2 })
})

test('several cases of one report that are one test have the worst of their results', async () => {
  await using app = await startApp()
  await ingest(app, [cart('adds')], { run: { run_key: 'before' } })
  const [{ key } = { key: '' }] = await tests(app)
  const totals = async (...cases: object[]) => (await ingest(app, cases)).run.totals
  const failed = { tests: 1, failed: 1, flaky: 0 }
  expect(
    await totals(cart(`[${key}] adds (1)`, { status: 'failed' }), cart(`[${key}] adds (2)`), cart(`[${key}] adds (3)`)),
  ).toMatchObject(failed)
  expect(
    await totals(
      cart('rounds', { suite_path: ['cart > sums'], status: 'failed' }),
      cart('rounds', { suite_path: ['cart', 'sums'] }),
    ),
  ).toMatchObject(failed)
})

test('a report that contradicts its run is a warning, and the run keeps what it has', async () => {
  await using app = await startApp()
  const said = { run_key: 'r', commit_sha: 'a'.repeat(40), git_branch: 'main', environment: 'ci', release: '1.0.0' }
  const warned = async (run: object) =>
    (await ingest(app, [cart('adds up')], { run: { ...said, ...run } })).warnings.map(({ code }) => code)
  expect(await warned({})).toEqual([])
  expect(await warned({ commit_sha: '', git_branch: '' })).toEqual([])
  for (const other of [
    { commit_sha: 'b'.repeat(40) },
    { git_branch: 'feature' },
    { environment: 'staging' },
    { release: '2.0.0' },
  ])
    expect(await warned(other)).toEqual(['RUN_DIFFERS'])
  const { run } = await ingest(app, [cart('adds up')], { run: { run_key: 'r' } })
  expect(run).toMatchObject({ commit_sha: said.commit_sha, git_branch: 'main' })
})

test('an environment and a release that a later report of a run names are those of its earlier results', async () => {
  await using app = await startApp()
  const { run } = await ingest(app, [cart('adds up', { status: 'failed' })], { run: { run_key: 'r' } })
  expect(run).toMatchObject({ environment_id: '', release_id: '' })
  await ingest(app, [cart('rounds')], { run: { run_key: 'r', environment: 'staging', release: '1.0.0' } })
  const results = (await tests(app)).map(({ title, last_result }) => ({ title, ...last_result }))
  expect(results).toMatchObject([
    { title: 'adds up', environment: 'staging', release: '1.0.0' },
    { title: 'rounds', environment: 'staging', release: '1.0.0' },
  ])
})

test('a report of an older run does not replace newer results', async () => {
  await using app = await startApp()
  await ingest(app, [cart('adds up')], { run: { run_key: 'new', started_at: '2026-02-01T00:00:00Z' } })
  await ingest(app, [cart('adds up', { status: 'failed' })], {
    run: { run_key: 'old', started_at: '2026-01-01T00:00:00Z' },
  })
  const [one] = await tests(app)
  expect(one?.last_result?.status).toBe('RESULT_STATUS_PASSED')
})

test('a renamed test file keeps its history, its links and its keys', async () => {
  await using app = await startApp()
  await require(app)
  await ingest(app, [cart('[REQ-1] adds up'), cart('rounds')], { run: { run_key: 'one' } })
  const before = await tests(app)
  const moved = (name: string) => cart(name, { file_path: 'test/basket.test.ts' })
  const report = await ingest(app, [moved('[REQ-1] adds up'), moved('rounds')], { run: { run_key: 'two' } })
  expect(report.summary).toMatchObject({ cases_renamed: 2, cases_created: 0 })
  const after = await tests(app)
  expect(after.map(({ id, key }) => [id, key])).toEqual(before.map(({ id, key }) => [id, key]))
  expect(after[0]).toMatchObject({
    automation_ref: { file_path: 'test/basket.test.ts' },
    requirement_keys: ['REQ-1'],
    stats: { runs: 2 },
  })
  // A late report from before the rename still finds them.
  await ingest(app, [cart('rounds')], { run: { run_key: 'zero', started_at: '2026-01-01T00:00:00Z' } })
  expect(await tests(app)).toHaveLength(2)
})

test('a case that moves to another suite of its file is the same case; one that is only similar is not', async () => {
  await using app = await startApp()
  await ingest(app, [cart('adds up')])
  const suite = await ingest(app, [cart('adds up', { suite_path: ['cart', 'totals'] })])
  expect(suite.summary).toMatchObject({ cases_renamed: 1 })
  const elsewhere = await ingest(app, [
    cart('adds up', { file_path: 'e2e/shop/checkout.spec.ts', suite_path: ['cart', 'totals'] }),
  ])
  expect(elsewhere.summary).toMatchObject({ cases_renamed: 0, cases_created: 1 })
  const shards = await ingest(app, [cart('rounds', { suite_path: ['x'] })], { run: { shard_index: 1, shard_total: 3 } })
  expect(shards.summary).toMatchObject({ cases_created: 1 })
})

test('a new case does not become a deprecated one of its name', async () => {
  await using app = await startApp()
  await ingest(app, [cart('works'), cart('rounds')], { run: { run_key: '1' } })
  const old = (await tests(app)).find(({ title }) => title === 'works')!
  await app.request('PUT', `/v1/tests/${old.id}`, { status: 'DEPRECATED' })
  const { cases } = await ingest(app, [cart('works', { suite_path: ['new'], status: 'failed' }), cart('rounds')], {
    run: { run_key: '2' },
  })
  expect(cases).toMatchObject([{ action: 'INGEST_ACTION_CREATED' }, { action: 'INGEST_ACTION_UNCHANGED' }])
  // One that was only missing is found again.
  const options = { missing_policy: 'deprecate' }
  await ingest(app, [cart('works', { suite_path: ['new'] })], { run: { run_key: '3' }, options })
  const back = await ingest(app, [cart('rounds', { suite_path: ['new'] })], { run: { run_key: '4' } })
  expect(back.cases).toMatchObject([{ action: 'INGEST_ACTION_RENAMED' }])
  expect((await tests(app, '?kind=case&status=active')).map(({ title }) => title)).toContain('rounds')
})

test('a link becomes suspect when its annotation disappears, and active again when it returns', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  await ingest(app, [cart('adds up', { tags: ['REQ-1'] })], { run: { run_key: '1' } })
  expect(await coverage(app, requirement)).toMatchObject({ state: 'verified' })
  await ingest(app, [cart('adds up')], { run: { run_key: '2' } })
  expect(await coverage(app, requirement)).toMatchObject({ state: 'not_run', suspect: true })
  await ingest(app, [cart('adds up', { tags: ['REQ-1'] })], { run: { run_key: '3' } })
  expect(await coverage(app, requirement)).toMatchObject({ state: 'verified', suspect: false })
})

test('a change to the content of a requirement makes its links suspect, and a passing run alone does not clear that', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  await ingest(app, [cart('[REQ-1] adds up')], { run: { run_key: '1' } })
  await app.request('PUT', `/v1/requirements/${requirement.id}`, { title: 'another rule' })
  await ingest(app, [cart('[REQ-1] adds up')], { run: { run_key: '2' } })
  const gaps = await app.request<{ coverage_gaps: { type: string; reasons: string[] }[] }>(
    'GET',
    `/v1/products/${app.productId}/coverage-gaps`,
  )
  expect(gaps.body.coverage_gaps).toMatchObject([{ type: 'GAP_TYPE_SUSPECT' }])
  expect(gaps.body.coverage_gaps[0]!.reasons[0]).toContain('changed since its tests were linked')
})

test('every way to name a requirement is read, and prose is not', async () => {
  await using app = await startApp()
  for (let index = 0; index < 8; index += 1) await require(app)
  const report = await ingest(app, [
    cart('[REQ-1, REQ-2] adds up'),
    cart('@REQ-3 rounds'),
    cart('covers: REQ-4, REQ-5'),
    cart('tagged', { tags: ['@req:REQ-6'] }),
    cart('given', { requirement_keys: ['REQ-7', 'REQ-99'] }),
    cart('says REQ-8 in its name'),
  ])
  expect(report.cases.map(({ requirement_keys }) => requirement_keys)).toEqual([
    ['REQ-1', 'REQ-2'],
    ['REQ-3'],
    ['REQ-4', 'REQ-5'],
    ['REQ-6'],
    ['REQ-7'],
    [],
  ])
  expect(report.unresolved_refs).toMatchObject([{ ref: 'REQ-99' }])
})

test('a case that names its key is that test, wherever it is', async () => {
  await using app = await startApp()
  await ingest(app, [cart('adds up')])
  const [known] = await tests(app)
  const report = await ingest(app, [cart(`sums [${known!.key}]`, { file_path: 'e2e/a.spec.ts' })])
  expect(report.cases).toMatchObject([{ test_id: known!.id }])
  expect(await tests(app)).toHaveLength(1)
})

test('drafts record no results, and become active when they run', async () => {
  await using app = await startApp()
  const draft = await ingest(app, [cart('adds up')], { options: { mode: 'draft' } })
  expect(draft).toMatchObject({ id: '', summary: { cases_created: 1, results_recorded: 0 } })
  expect(await tests(app)).toMatchObject([{ status: 'TEST_STATUS_DRAFT', last_result: null }])
  await ingest(app, [cart('adds up')])
  expect(await tests(app)).toMatchObject([{ status: 'TEST_STATUS_ACTIVE' }])
})

test('cases missing from a reported file are deprecated on request, and return with the report', async () => {
  await using app = await startApp()
  await ingest(app, [cart('adds up'), cart('rounds'), cart('pays', { file_path: 'test/pay.test.ts' })], {
    run: { run_key: '1' },
  })
  const options = { missing_policy: 'deprecate' }
  const report = await ingest(app, [cart('adds up')], { run: { run_key: '2' }, options })
  expect(report.warnings).toMatchObject([{ code: 'CASES_DEPRECATED' }])
  const statuses = async () => Object.fromEntries((await tests(app)).map(({ title, status }) => [title, status]))
  expect(await statuses()).toEqual({
    'adds up': 'TEST_STATUS_ACTIVE',
    rounds: 'TEST_STATUS_DEPRECATED',
    pays: 'TEST_STATUS_ACTIVE',
  })
  await ingest(app, [cart('adds up'), cart('rounds')], { run: { run_key: '3' } })
  expect(await statuses()).toMatchObject({ rounds: 'TEST_STATUS_ACTIVE' })
})

test('a case that its run has in another report or shard is not missing', async () => {
  await using app = await startApp()
  const statuses = async () => (await tests(app)).map(({ title, status }) => `${title} ${status.slice(12)}`)
  const options = { missing_policy: 'deprecate' }
  await ingest(app, [cart('adds up'), cart('rounds')], { run: { run_key: '1' } })
  await ingest(app, [cart('adds up')], { run: { run_key: '2', shard_index: 0, shard_total: 2 }, options })
  await ingest(app, [cart('adds up')], { run: { run_key: '2' }, options })
  expect(await statuses()).toEqual(['adds up ACTIVE', 'rounds ACTIVE'])

  await ingest(app, [cart('rounds', { status: 'failed' })], { run: { run_key: '3' } })
  await ingest(app, [cart('adds up')], { run: { run_key: '3' }, options })
  expect(await statuses()).toEqual(['adds up ACTIVE', 'rounds ACTIVE'])
})

test('a report does not take back that a member deprecated a case', async () => {
  await using app = await startApp()
  const options = { missing_policy: 'deprecate' }
  const statusAfter = async (...changes: object[]) => {
    await ingest(app, [cart('adds up'), cart('rounds')])
    await ingest(app, [cart('adds up')], { options })
    const { id } = (await tests(app)).find(({ title }) => title === 'rounds')!
    for (const change of changes) await app.request('PUT', `/v1/tests/${id}`, change)
    await ingest(app, [cart('adds up'), cart('rounds')], { run: { run_key: JSON.stringify(changes) } })
    return (await tests(app)).find(({ title }) => title === 'rounds')?.status
  }
  expect(await statusAfter({ labels: { team: 'cart' } })).toBe('TEST_STATUS_ACTIVE')
  expect(await statusAfter({ status: 'ACTIVE' }, { status: 'DEPRECATED' })).toBe('TEST_STATUS_DEPRECATED')
  expect(await statusAfter({ status: 'DEPRECATED' }, { labels: { deprecated_by: 'missing_policy' } })).toBe(
    'TEST_STATUS_DEPRECATED',
  )
  const properties = '<property name="deprecated_by" value="missing_policy"/>'
  const content = `<testsuite name="s"><testcase name="rounds" file="test/cart.test.ts" classname="cart"><properties>${properties}</properties></testcase></testsuite>`
  for (const run_key of ['first', 'second'])
    await app.request('POST', `/v1/products/${app.productId}/tests:ingest`, { draft: { content }, run: { run_key } })
  expect((await tests(app)).find(({ title }) => title === 'rounds')?.status).toBe('TEST_STATUS_DEPRECATED')
})

test('a dry run returns what a report would do and writes nothing', async () => {
  await using app = await startApp()
  await require(app)
  const dry = await ingest(app, [cart('[REQ-1] adds up')], { validate_only: true, run: { environment: 'ci' } })
  expect(dry).toMatchObject({ summary: { cases_created: 1 }, coverage_effect: { after: { verified: 1 } } })
  expect(await tests(app)).toEqual([])
  const environments = await app.request<{ environments: unknown[] }>(
    'GET',
    `/v1/products/${app.productId}/environments`,
  )
  expect(environments.body.environments).toEqual([])
})

test('durations and attempts beyond any that a run can have are cut, in one report and in the sum of several', async () => {
  await using app = await startApp()
  const run = { run: { run_key: 'nightly' } }
  for (const message of ['first', 'second']) {
    const huge = { duration_ms: 1e300, attempts: Number.MAX_SAFE_INTEGER, message }
    const recorded = await ingest(app, [cart('adds up', huge), cart('rounds', { duration_ms: 4.5 })], run)
    expect(recorded.summary).toMatchObject({ results_recorded: message === 'first' ? 2 : 1 })
    const [one, other] = await tests(app)
    expect(one?.last_result).toMatchObject({ duration_ms: 1e12, attempts: 1_000_000_000 })
    expect(other?.last_result).toMatchObject({ duration_ms: 5, attempts: 1 })
  }
})

test('an unacceptable request is refused with its reason and changes nothing', async () => {
  await using app = await startApp()
  const nothing = await app.request<Failure>('POST', `/v1/products/${app.productId}/tests:ingest`, { draft: {} })
  expect([nothing.status, reasonOf(nothing)]).toEqual([400, 'REPORT_EMPTY'])
  const branch = await send(app, [cart('a')], { options: { branch_id: 'b' } })
  expect(branch.status).toBe(404)
  for (const name of ['release', 'environment']) {
    const broken = await send(app, [cart('a')], { run: { [name]: '1\u00002' } })
    expect([broken.status, broken.body.details[1]?.field_violations?.[0]?.field]).toEqual([400, `run.${name}`])
  }
  const known = await ingest(app, [cart('adds up')], { options: { create_missing: false } })
  expect(known).toMatchObject({
    summary: { cases_created: 0, results_recorded: 0 },
    warnings: [{ code: 'CASES_SKIPPED' }],
  })
  expect(await tests(app)).toEqual([])
})
