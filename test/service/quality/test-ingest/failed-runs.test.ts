import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'
import { tokenHeaders } from '../../people.ts'
import { failedRuns } from '../reports/failed-runs.ts'

interface File {
  name?: string
  content: string
}
interface Case {
  name: string
  file_path: string
  status: string
  key: string
}

interface Ingest {
  cases: Case[]
  summary: Record<string, number>
  run: { totals: Record<string, number> }
}

const tap = (ok: boolean) => `1..1\n${ok ? 'ok' : 'not ok'} 1 - works [REQ-1]\n`

async function require(app: App): Promise<string> {
  const path = `/v1/products/${app.productId}/requirements`
  return (await app.request<{ requirement: { id: string } }>('POST', path, { title: 'a rule' })).body.requirement.id
}

let runs = 0
async function send(
  app: App,
  files: readonly File[],
  run: object = { run_key: `run ${String((runs += 1))}` },
  headers: Record<string, string> = {},
  options: object = {},
) {
  const named = files.map(({ name = 'report', content }) => ({ name, content }))
  const draft = files.length === 1 && files[0]!.name === undefined ? { content: files[0]!.content } : { files: named }
  const path = `/v1/products/${app.productId}/tests:ingest`
  const reply = await app.request<{ ingest: Ingest }>('POST', path, { draft, run, options }, headers)
  expect(reply.status).toBe(200)
  return reply.body.ingest
}

async function stateOf(app: App, id: string): Promise<string> {
  const { body } = await app.request<{ requirement: { coverage: { state: string; failing: boolean } } }>(
    'GET',
    `/v1/requirements/${id}`,
  )
  const { state, failing } = body.requirement.coverage
  return failing ? `${state} failing` : state
}

const statuses = (cases: readonly Case[]) =>
  cases.map((one) => `${one.file_path} ${one.name} ${one.status.slice('RESULT_STATUS_'.length)}`)

test.each(Object.entries(failedRuns))(
  '%s leaves no requirement of its cases verified, until a good run',
  async (_, { name, good, failed }) => {
    await using app = await startApp()
    const id = await require(app)
    const cases = ['works [REQ-1]', 'other']
    await send(app, [{ name, content: good(cases) }])
    expect(await stateOf(app, id)).toBe('verified')
    const { summary } = await send(app, [{ name, content: failed(cases) }])
    expect((summary['failed'] ?? 0) + (summary['errors'] ?? 0)).toBeGreaterThan(0)
    expect(await stateOf(app, id)).toMatch(/^not_run/u)
    await send(app, [{ name, content: good(cases) }])
    expect(await stateOf(app, id)).toBe('verified')
  },
)

test('two TAP scripts of one call that share a test name are two cases', async () => {
  await using app = await startApp()
  const id = await require(app)
  const files = [
    { name: 't/a.t.tap', content: tap(true) },
    { name: 't/b.t.tap', content: tap(false) },
  ]
  const { cases } = await send(app, files)
  expect(statuses(cases)).toEqual(['t/a.t works [REQ-1] PASSED', 't/b.t works [REQ-1] FAILED'])
  expect(await stateOf(app, id)).toBe('not_run failing')
  // In another order or in two calls they are the same two cases.
  const again = [await send(app, [files[1]!]), await send(app, [files[0]!])].flatMap((one) => one.cases)
  expect(again.map(({ key }) => key).toSorted()).toEqual(cases.map(({ key }) => key).toSorted())
})

test('a TAP script that comes alone does not take over the case of another script in its folder', async () => {
  await using app = await startApp()
  const id = await require(app)
  await send(app, [{ name: 't/a.t.tap', content: tap(false) }])
  await send(app, [{ name: 't/b.t.tap', content: tap(true) }])
  expect(await stateOf(app, id)).toBe('not_run failing')
})

test('a TAP report without a name is one file, and its cases keep their history when it gets a name', async () => {
  await using app = await startApp()
  const first = await send(app, [{ content: tap(true) }])
  expect(statuses(first.cases)).toEqual([' works [REQ-1] PASSED'])
  expect((await send(app, [{ content: tap(true) }])).cases[0]!.key).toBe(first.cases[0]!.key)
  const named = await send(app, [
    { name: 'a.tap', content: tap(true) },
    { name: 'b.tap', content: tap(true) },
  ])
  expect(named.cases.map(({ key }) => key === first.cases[0]!.key)).toEqual([true, false])
  // Another report without a name is no longer that script.
  expect((await send(app, [{ content: tap(true) }])).cases[0]!.key).not.toBe(first.cases[0]!.key)
})

test('a case that was registered by its script is the one that a TAP report of that script has', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/tests`
  const made = await app.request<{ test: { key: string } }>('POST', path, {
    kind: 'case',
    title: 'works',
    automation_ref: { file_path: 'test/cart.bats', suite_path: [], name: 'works' },
  })
  expect(made.status).toBe(200)
  const { cases } = await send(app, [{ name: './test/cart.bats.tap', content: '1..1\nok 1 - works\n' }])
  expect(cases.map(({ key }) => key)).toEqual([made.body.test.key])
})

const file = (names: readonly string[], more: object = {}) =>
  JSON.stringify({
    testResults: [
      {
        name: '/app/cart.test.ts',
        status: 'passed',
        assertionResults: names.map((title) => ({ title, status: 'passed' })),
        ...more,
      },
    ],
  })

const suites = (inside: string) =>
  `<testsuites><testsuite name="s">${inside}<testcase name="second" file="a.rb"/></testsuite></testsuites>`

test('a file that could not be loaded verifies nothing by what its cases did in an earlier run', async () => {
  await using app = await startApp()
  const id = await require(app)
  await send(app, [{ name: 'v.json', content: file(['works [REQ-1]']) }])
  const broken = await send(app, [{ name: 'v.json', content: file([], { status: 'failed', message: 'syntax error' }) }])
  expect(statuses(broken.cases)).toEqual(['app/cart.test.ts <load error> ERROR'])
  expect(await stateOf(app, id)).toBe('not_run')
  await send(app, [{ name: 'v.json', content: file(['works [REQ-1]']) }])
  expect(await stateOf(app, id)).toBe('verified')
})

test('the case of a load error is deprecated when its file loads again, and returns with the next one', async () => {
  await using app = await startApp()
  const active = async () => {
    const path = `/v1/products/${app.productId}/tests?kind=case&status=active`
    return (await app.request<{ tests: { title: string }[] }>('GET', path)).body.tests.map(({ title }) => title)
  }
  const broken = { name: 'v.json', content: file([], { status: 'failed' }) }
  await send(app, [broken])
  expect(await active()).toEqual(['<load error>'])
  await send(app, [{ name: 'v.json', content: file(['works']) }])
  expect(await active()).toEqual(['works'])
  await send(app, [broken])
  expect(await active()).toEqual(['<load error>', 'works'])
})

test('a load error stays in the scopes of its own runs when the file loads on another branch or for another sender', async () => {
  await using app = await startApp()
  const ci = await tokenHeaders(app, { kind: 'ci' })
  const agent = await tokenHeaders(app, { kind: 'agent' })
  const broken = { name: 'v.json', content: file([], { status: 'failed' }) }
  const good = { name: 'v.json', content: file(['works']) }
  const failing = async (policy: object = {}) => {
    const path = `/v1/products/${app.productId}/quality-gate:compute`
    const { body } = await app.request<{ verdict: { conditions: { id: string; actual: number }[] } }>('POST', path, {
      policy_override: policy,
    })
    return body.verdict.conditions.find(({ id }) => id === 'failing_tests')?.actual
  }
  await send(app, [broken], { run_key: '1', git_branch: 'main', commit_sha: 'aaaaaaa' }, ci)
  await send(app, [good], { run_key: '2', git_branch: 'feature', commit_sha: 'bbbbbbb' }, agent)
  expect(await failing()).toBe(1)
  await send(app, [good], { run_key: '3', git_branch: 'main', commit_sha: 'ccccccc' }, agent)
  expect([await failing(), await failing({ require_ci_results: true })]).toEqual([0, 1])
  await send(app, [good], { run_key: '4', git_branch: 'main', commit_sha: 'ddddddd' }, ci)
  expect([await failing(), await failing({ require_ci_results: true })]).toEqual([0, 0])
  const { run } = await send(app, [good], { run_key: '5', git_branch: 'main', commit_sha: 'eeeeeee' }, ci)
  expect(run.totals).toMatchObject({ tests: 1, passed: 1 })
})

test.each([
  ['a file that does not load', [{ name: 'v.json', content: file([], { status: 'failed' }) }]],
  ['a suite of a file that failed', [{ name: 'j.xml', content: suites('<error/>') }]],
  ['a script that ends early', [{ name: 'cart.t.tap', content: 'TAP version 13\n1..2\nok 1 - works\n' }]],
  [
    'a report that is cut off',
    [{ content: suites('') }, { name: 'bad.xml', content: '<testsuites><testsuite name="s">' }],
  ],
])('after %s no case counts as missing', async (_, broken) => {
  await using app = await startApp()
  const options = { missing_policy: 'MISSING_POLICY_DEPRECATE' }
  await send(app, [
    { name: 'v.json', content: file(['works', 'other']) },
    { name: 'j.xml', content: suites('<testcase name="third" file="a.rb"/>') },
    { name: 'cart.t.tap', content: 'TAP version 13\n1..2\nok 1 - works\nok 2 - other\n' },
  ])
  await send(app, broken, undefined, {}, options)
  const path = `/v1/products/${app.productId}/tests?kind=case&status=deprecated`
  expect((await app.request<{ tests: object[] }>('GET', path)).body.tests).toEqual([])
})

test('a retry within one run clears a load error; another shard of the run does not', async () => {
  await using app = await startApp()
  const id = await require(app)
  const broken = { name: 'v.json', content: file([], { status: 'failed' }) }
  const good = { name: 'v.json', content: file(['works [REQ-1]']) }
  await send(app, [broken], { run_key: 'r' })
  await send(app, [good], { run_key: 'r' })
  expect(await stateOf(app, id)).toBe('verified')
  // A pass and then a file that does not load is no pass.
  await send(app, [broken], { run_key: 's' })
  expect(await stateOf(app, id)).toBe('not_run')
})

test('a failed case stays failed when its file does not load in a later run', async () => {
  await using app = await startApp()
  const id = await require(app)
  await send(app, [{ name: 'v.json', content: file(['works [REQ-1]']).replace('"passed"}', '"failed"}') }])
  expect(await stateOf(app, id)).toBe('not_run failing')
  await send(app, [{ name: 'v.json', content: file([], { status: 'failed' }) }])
  expect(await stateOf(app, id)).toBe('not_run failing')
})

test('a case that passed last on the branch of a run is blocked when its file does not load there', async () => {
  await using app = await startApp()
  await require(app)
  const works = (status: string) => file(['works [REQ-1]']).replace('"passed"}', `"${status}"}`)
  const [main, feature] = [{ git_branch: 'main' }, { git_branch: 'feature' }]
  await send(app, [{ name: 'v.json', content: works('passed') }], { run_key: '1', ...main })
  await send(app, [{ name: 'v.json', content: works('failed') }], { run_key: '2', ...feature })
  const broken = { name: 'v.json', content: file([], { status: 'failed' }) }
  expect((await send(app, [broken], { run_key: '3', ...main })).run.totals).toMatchObject({ tests: 2, skipped: 1 })
  // There it failed last, and stays failed.
  expect((await send(app, [broken], { run_key: '4', ...feature })).run.totals).toMatchObject({ tests: 1, errors: 1 })
})

test('a file that comes later in a run does not take over a case of another file of its folder', async () => {
  await using app = await startApp()
  const id = await require(app)
  const other = file(['works [REQ-1]']).replace('/app/cart.test.ts', '/app/order.test.ts')
  const failed = file(['works [REQ-1]']).replace('"passed"}', '"failed"}')
  const first = await send(app, [{ name: 'v.json', content: failed }], { run_key: 'r' })
  const second = await send(app, [{ name: 'v.json', content: other }], { run_key: 'r' })
  expect(second.cases[0]!.key).not.toBe(first.cases[0]!.key)
  expect(await stateOf(app, id)).toBe('not_run failing')
})

test('the failed run of a folder is over with the next run of it, however the folder is written', async () => {
  await using app = await startApp()
  const content = (success: boolean) =>
    JSON.stringify({
      success,
      testResults: [{ name: 'a.test.js', status: 'passed', assertionResults: [{ title: 'works', status: 'passed' }] }],
    })
  const ingest = (folder: string, success: boolean) => {
    const draft = { files: [{ name: 'jest.json', folder, content: content(success) }] }
    return app.request('POST', `/v1/products/${app.productId}/tests:ingest`, { draft })
  }
  const open = async () => {
    const path = `/v1/products/${app.productId}/tests?kind=case&status=active`
    return (await app.request<{ tests: { title: string }[] }>('GET', path)).body.tests.map(({ title }) => title)
  }
  await ingest('./packages/cart/', false)
  expect(await open()).toEqual(['works', '<run error>'])
  await ingest('packages\\other', true)
  expect(await open()).toContain('<run error>')
  await ingest('packages\\cart', true)
  expect(await open()).not.toContain('<run error>')
})
