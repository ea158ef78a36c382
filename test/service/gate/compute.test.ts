import type * as z from 'zod'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Verdict } from '../../../src/contract/quality-gate/verdict.ts'
import { startApp, type App } from '../../app.ts'
import { reasonOf, tokenHeaders, type Failure } from '../people.ts'
import { tries } from '../../property-tries.ts'

type VerdictBody = z.input<typeof Verdict>
type Answer = { verdict: VerdictBody } & Failure
type Headers = Record<string, string | undefined>

const at = (app: App) => `/v1/products/${app.productId}`

async function compute(app: App, scope: object = {}): Promise<VerdictBody> {
  const { status, body } = await app.request<Answer>('POST', `${at(app)}/quality-gate:compute`, scope)
  expect(status).toBe(200)
  return body.verdict
}

const read = (app: App, query = '') => app.request<Answer>('GET', `${at(app)}/quality-gate${query}`)

/** A report with one case per name, each naming a requirement; run `unit` of the default branch unless told. */
async function report(
  app: App,
  results: Readonly<Record<string, string>>,
  run: object = {},
  headers: Headers = {},
): Promise<void> {
  const cases = Object.entries(results).map(([name, status]) => ({
    file_path: 'test/cart.test.ts',
    suite_path: [],
    name,
    status,
  }))
  const { body } = await app.request('POST', `${at(app)}/tests:ingest`, { draft: { cases }, run }, headers)
  expect(body).toMatchObject({ ingest: {} })
}

async function requirement(app: App, more: object = {}): Promise<string> {
  const body = { title: 'Totals are right', status: 'APPROVED', priority: 'CRITICAL', ...more }
  const reply = await app.request<{ requirement: { key: string } }>('POST', `${at(app)}/requirements`, body)
  return reply.body.requirement.key
}

/** A product with an approved critical requirement, REQ-1. */
async function startProduct(): Promise<App> {
  const app = await startApp()
  await requirement(app)
  return app
}

test('a product without a result is inconclusive, also when it is asked again, and fails where requirements are unproved', async () => {
  await using app = await startApp()
  expect(reasonOf(await read(app))).toBe('VERDICT_NOT_COMPUTED')
  const first = await compute(app)
  expect(first.status).toBe('VERDICT_STATUS_INCONCLUSIVE')
  expect(await compute(app)).toEqual(first)
  await requirement(app)
  expect((await compute(app)).status).toBe('VERDICT_STATUS_FAIL')
})

test('a product with drafts alone has no approved requirement, and says so unless the policy counts drafts', async () => {
  await using app = await startApp()
  const draft = await requirement(app, { status: 'DRAFT' })
  await report(app, { [draft]: 'passed' })
  const coverage = (verdict: VerdictBody) => verdict.conditions.slice(0, 2).map(({ message }) => message)
  expect(coverage(await compute(app))).toEqual([
    'Not evaluated: the scope has no approved requirement of critical or high priority or risk, and the policy asks for at least 1.',
    'Not evaluated: the scope has no approved requirement, and the policy asks for at least 5.',
  ])
  const withDrafts = await compute(app, { policy_override: { include_draft_requirements: true } })
  expect(coverage(withDrafts)).toContain(
    'Not evaluated: the scope has 1 requirement, and the policy asks for at least 5.',
  )
})

test('a verdict is stored once per state of its inputs, and a stored one says when it is out of date', async () => {
  await using app = await startProduct()
  await report(app, { '[REQ-1] adds up': 'passed' })
  const passed = await compute(app)
  expect(passed).toMatchObject({
    status: 'VERDICT_STATUS_PASS',
    stale: false,
    previous: null,
    history: [],
    changes: [],
  })
  expect(await compute(app)).toEqual(passed)
  expect((await read(app)).body.verdict).toEqual(passed)

  await report(app, { '[REQ-1] adds up': 'failed' }, { run_key: 'second' })
  expect((await read(app)).body.verdict).toEqual({ ...passed, stale: true })
  const failed = await compute(app)
  expect(failed.id).not.toBe(passed.id)
  const earlier = { id: passed.id, status: passed.status, computed_at: passed.computed_at }
  expect(failed).toMatchObject({ status: 'VERDICT_STATUS_FAIL', stale: false, previous: earlier, history: [earlier] })
  expect(failed.changes).toContainEqual({
    condition_id: 'failing_tests',
    from: 'CONDITION_STATUS_PASS',
    to: 'CONDITION_STATUS_FAIL',
  })
  expect((await read(app, `?verdict_id=${passed.id}`)).body.verdict).toEqual({ ...passed, stale: true })
  expect((await read(app, '?verdict_id=nothing')).status).toBe(404)
})

test('only results of the judged commit prove something; those of its branch are shown, and other branches stay out', async () => {
  await using app = await startProduct()
  const [first, second] = ['a'.repeat(40), 'b'.repeat(40)]
  await report(app, { '[REQ-1] adds up': 'passed' }, { run_key: '1', commit_sha: first, git_branch: 'main' })
  await report(app, { '[REQ-1] adds up': 'failed' }, { run_key: '2', commit_sha: second, git_branch: 'cart' })
  expect(await compute(app)).toMatchObject({ status: 'VERDICT_STATUS_PASS', results: { newest_commit: first } })
  expect((await compute(app, { git_branch: 'cart' })).status).toBe('VERDICT_STATUS_FAIL')
  const short = await compute(app, { commit_sha: first.slice(0, 7).toUpperCase() })
  expect(short).toMatchObject({ status: 'VERDICT_STATUS_PASS', scope: { commit_sha: first } })

  const unknown = await compute(app, { commit_sha: 'c'.repeat(40), git_branch: 'main' })
  expect(unknown).toMatchObject({
    summary: { verified: 0 },
    results: { carried: 1, by_person: 0, newest_commit: first },
  })
  expect(unknown.status).not.toBe('VERDICT_STATUS_PASS')
  const branch = await app.request('GET', `${at(app)}/quality-gate?branch_id=any`)
  expect(branch.status).toBe(404)
})

test('a beginning that two commits share is refused', async () => {
  await using app = await startProduct()
  for (const end of ['1', '2'])
    await report(app, { '[REQ-1] adds up': 'passed' }, { run_key: end, commit_sha: `abcdef0${end.repeat(33)}` })
  const { status } = await app.request('POST', `${at(app)}/quality-gate:compute`, { commit_sha: 'abcdef0' })
  expect(status).toBe(400)
})

test('a run without all its shards leaves the verdict open, until they arrive or the sender says that there are fewer', async () => {
  await using app = await startProduct()
  await report(app, { '[REQ-1] adds up': 'passed' }, { run_key: 'r', shard_index: 0, shard_total: 3 })
  await report(app, { rounds: 'passed' }, { run_key: 'r', shard_index: 2, shard_total: 3 })
  const open = await compute(app)
  expect(open.status).toBe('VERDICT_STATUS_INCONCLUSIVE')
  expect(open.incomplete_runs).toMatchObject([{ run_key: 'r', received: 2, expected: 3, missing: [1] }])
  // A small run of other tests says nothing of the shard that is missing.
  await report(app, { 'a unit': 'passed' }, { run_key: 'unit' })
  expect((await compute(app)).status).toBe('VERDICT_STATUS_INCONCLUSIVE')
  await report(app, { rounds: 'passed' }, { run_key: 'r', shard_index: 2, shard_total: 2 })
  expect(await compute(app)).toMatchObject({ status: 'VERDICT_STATUS_PASS', incomplete_runs: [] })
})

test('a later complete run with the same tests supersedes one that lacks shards', async () => {
  await using app = await startProduct()
  await report(app, { '[REQ-1] adds up': 'passed' }, { run_key: 'r', shard_index: 0, shard_total: 2 })
  expect((await compute(app)).status).toBe('VERDICT_STATUS_INCONCLUSIVE')
  await report(app, { '[REQ-1] adds up': 'passed' }, { run_key: 'again' })
  expect(await compute(app)).toMatchObject({ status: 'VERDICT_STATUS_PASS', incomplete_runs: [] })
})

test('a run that lacks shards leaves the verdict open, however many later ones were superseded', async () => {
  await using app = await startProduct()
  await report(app, { 'buys and pays': 'passed' }, { run_key: 'e2e', shard_index: 0, shard_total: 2 })
  for (let number = 0; number < 51; number++) {
    const run_key = String(number)
    await report(app, { '[REQ-1] adds up': 'passed' }, { run_key, shard_index: 0, shard_total: 2 })
  }
  await report(app, { '[REQ-1] adds up': 'passed' }, { run_key: 'unit' })
  expect(await compute(app)).toMatchObject({
    status: 'VERDICT_STATUS_INCONCLUSIVE',
    incomplete_runs: [{ run_key: 'e2e', received: 1, expected: 2 }],
  })
})

test('the verdict says whose tokens sent the results, a run has one kind of sender, and a policy may ask for CI', async () => {
  await using app = await startProduct()
  const [ci, agent] = [await tokenHeaders(app, { kind: 'ci' }), await tokenHeaders(app, { kind: 'agent' })]
  await report(app, { '[REQ-1] adds up': 'failed' }, { run_key: 'r' }, ci)
  await report(app, { '[REQ-1] adds up': 'passed' }, { run_key: 'r' }, agent)
  const results = { by_ci: 0, by_person: 0, by_agent: 1 }
  expect(await compute(app)).toMatchObject({ status: 'VERDICT_STATUS_PASS', results })
  const strict = await compute(app, { policy_override: { require_ci_results: true } })
  expect(strict).toMatchObject({ id: '', status: 'VERDICT_STATUS_FAIL', results: { by_ci: 1, by_agent: 0 } })
  expect(strict.scope.ephemeral).toBe(true)
  expect((await compute(app)).history).toEqual([])
})

test('an agent that brings its own policy gets a verdict that says so, and the stored one stays', async () => {
  await using app = await startProduct()
  await report(app, { '[REQ-1] adds up': 'passed', ships: 'failed' })
  const failed = await compute(app)
  const lax = { metric: 'failing_tests', comparator: 'LTE', threshold: 9, severity: 'BLOCKING' }
  const agent = await tokenHeaders(app, { kind: 'agent' })
  const path = `${at(app)}/quality-gate:compute`
  const ask = (...conditions: object[]) => app.request<Answer>('POST', path, { policy_override: { conditions } }, agent)
  expect((await ask({ ...lax, id: 'lax' })).body.verdict).toMatchObject({
    id: '',
    status: 'VERDICT_STATUS_PASS',
    status_reason: "By the policy of this request, not the product's: The one evaluated condition holds.",
    scope: { ephemeral: true },
  })
  expect((await read(app)).body.verdict).toEqual(failed)
  expect(await compute(app)).toEqual(failed)
  expect(failed.status).toBe('VERDICT_STATUS_FAIL')
  const { status, body } = await ask({ ...lax, id: 'green', comparator: 'GTE', threshold: 0 })
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining('condition green: failing_tests takes LTE'),
  ])
})

test('after any writes, asking twice gives the same verdict, and nothing passes without a result', async () => {
  const act = fc.oneof(
    fc.record({ does: fc.constant('report' as const), status: fc.constantFrom('passed', 'failed', 'skipped') }),
    fc.record({ does: fc.constant('require' as const), status: fc.constantFrom('APPROVED', 'DRAFT') }),
  )
  await using app = await startApp()
  let [runs, passed] = [0, false]
  await fc.assert(
    fc.asyncProperty(act, async ({ does, status }) => {
      if (does === 'require') await requirement(app, { status })
      else await report(app, { '[REQ-1] adds up': status }, { run_key: String((runs += 1)) })
      passed ||= status === 'passed'
      const verdict = await compute(app)
      expect(await compute(app)).toEqual(verdict)
      expect((await read(app)).body.verdict).toEqual(verdict)
      expect(passed || !/PASS|WARN/.test(verdict.status)).toBe(true)
    }),
    { numRuns: tries(20) },
  )
})

test('a verdict of one environment says in which others its version has results, also when they arrive later', async () => {
  await using app = await startApp()
  const releases = `${at(app)}/releases`
  const made = { version: '2.0.0', environment: 'production' }
  const { body } = await app.request<{ release: { id: string; environment_id: string } }>('POST', releases, made)
  const scope = { release_id: body.release.id, environment_id: body.release.environment_id }
  const message = async () => (await compute(app, scope)).conditions.find(({ id }) => id === 'failing_tests')?.message
  expect(await message()).toMatch(/^Not evaluated: .* at least 1\.$/)
  for (const environment of ['ci', 'runner-7', 'staging'])
    await report(app, { adds: 'PASSED' }, { environment, release: '2.0.0', run_key: environment })
  await report(app, { adds: 'PASSED' }, { environment: 'qa', release: '1.9.0', run_key: 'older' })
  expect(await message()).toMatch(
    / Results of this version are in environments ci, staging and in others: they count where no environment is named\.$/,
  )
})

test('a link to a suite that is deprecated counts as long as cases of the suite are in use', async () => {
  await using app = await startProduct()
  const product_id = app.productId
  const { requirements } = await app.api.listRequirements({ product_id })
  const cases = [{ file_path: 'test/cart.test.ts', suite_path: ['carts'], name: 'adds up', status: 'passed' }]
  await app.request('POST', `${at(app)}/tests:ingest`, { draft: { cases } })
  const { tests } = await app.api.listTests({ product_id })
  const suite = tests.find(({ kind }) => kind === 'TEST_KIND_SUITE')!
  const adds = tests.find(({ kind }) => kind === 'TEST_KIND_CASE')!
  const requirement = requirements[0]!
  await app.api.linkTest({ test_id: suite.id, requirement_id: requirement.id })
  await app.api.updateRequirement({ id: requirement.id, title: 'Totals are exact' })
  const counted = async () => {
    const { conditions } = await compute(app)
    const { traceability_matrix: matrix } = await app.api.getTraceability({ product_id })
    return {
      conditions: ['suspect_links', 'stale_results', 'failing_tests'].map((id) => {
        const { actual, sample } = conditions.find((one) => one.id === id)!
        return { id, actual, sample }
      }),
      tests: matrix.rows?.map((row) => row.tests?.map(({ id }) => id)),
    }
  }
  const before = await counted()
  expect(before.conditions[0]).toEqual({ id: 'suspect_links', actual: 1, sample: 1 })
  expect(before.tests).toEqual([[adds.id]])
  await app.api.updateTest({ id: suite.id, status: 'TEST_STATUS_DEPRECATED' })
  expect(await counted()).toEqual(before)
  await app.api.updateTest({ id: adds.id, status: 'TEST_STATUS_DEPRECATED' })
  const after = await counted()
  expect([after.conditions[0]?.actual, after.tests]).toEqual([0, [[]]])
})
