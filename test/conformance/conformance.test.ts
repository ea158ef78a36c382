import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../app.ts'
import { servePublished } from '../cli/published.ts'
import type { Served } from '../serve.ts'
import { addToken, serveMcp } from '../mcp/http/http-server.ts'
import { buildFixture } from './fixture/server.ts'
import { failedChecks, runSuite, type SuiteRun } from './suite.ts'

let app: App
let served: Served
beforeAll(async () => {
  app = await startApp()
  served = await servePublished()
})
afterAll(async () => {
  await app.close()
  await served[Symbol.asyncDispose]()
})

/** The suite cannot send a token, so a proxy on loopback adds it; behind it is `tracegate serve` as users start it. */
async function againstServe(...[suite, ...args]: [suite: 'alpha' | 'stable', ...args: string[]]) {
  const { mcp, token } = served.endpoints
  await using proxy = await addToken(new URL(mcp).origin, token)
  // Awaited here: leaving the function ends the proxy.
  return await runSuite(suite, `${proxy.base}/mcp`, ...args)
}

/** The scenarios that any server can be tested with, without tools made for them. */
const modern = [
  'tools-list',
  'prompts-list',
  'resources-list',
  'sep-2164-resource-not-found',
  'dns-rebinding-protection',
  'caching',
  'http-header-validation',
  'server-sse-multiple-streams',
  'input-required-result-unsupported-methods',
  'input-required-result-validate-input',
]
const sessions = [
  'server-initialize',
  'ping',
  'tools-list',
  'prompts-list',
  'resources-list',
  'dns-rebinding-protection',
  'server-sse-multiple-streams',
  'server-session-lifecycle',
]

/** What speaks against each scenario; empty when all passed. Prints what ran. */
function notPassed(run: SuiteRun, scenarios: readonly string[]) {
  const outcome = scenarios.map((name) => ({
    name,
    passed: (run.checks[name] ?? []).filter(({ status }) => status === 'SUCCESS').length,
    failed: failedChecks(run.checks[name]),
    warned: (run.checks[name] ?? []).filter(({ status }) => status === 'WARNING').map(({ id }) => id),
  }))
  for (const { name, passed } of outcome) console.log(`${name}: ${String(passed)} checks passed`)
  return outcome.filter(({ passed, failed, warned }) => passed === 0 || failed.length > 0 || warned.length > 0)
}

test('tracegate serve passes the scenarios of 2026-07-28 that need no fixture', async () => {
  const run = await againstServe('alpha', '--suite', 'all', '--spec-version', '2026-07-28')
  expect(notPassed(run, modern)).toEqual([])
  // Of its 30 checks 4 want a diagnostic tool, which only the fixture below has, and 2 a list that changes.
  const stateless = run.checks['server-stateless'] ?? []
  expect(stateless.filter(({ status }) => status === 'SUCCESS').length).toBe(24)
  expect(failedChecks(stateless).filter((failure) => !failure.includes('Not testable: server does not list'))).toEqual(
    [],
  )
})

test('tracegate serve passes the scenarios of 2025-11-25 that need no fixture', async () => {
  const run = await againstServe('alpha', '--suite', 'all', '--spec-version', '2025-11-25')
  expect(notPassed(run, sessions)).toEqual([])
})

/** The list of resources has no skills in it, since prompts and documents say the same: a choice that the suite warns of. */
const unlisted = ['sep-2640-skillmd-metadata-name', 'sep-2640-skillmd-metadata-description']

test.each(['sep-2640-skills-enumeration', 'sep-2640-skills-manifest', 'sep-2640-skills-directory'])(
  'tracegate serve passes %s of the skills extension',
  async (scenario) => {
    const { checks } = await againstServe('alpha', '--scenario', scenario)
    const made = (checks[scenario] ?? []).filter(({ id }) => !unlisted.includes(id))
    expect(made.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')).toEqual([])
    expect(made.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0)
  },
)

test("tracegate serve passes the stable suite's scenarios that need no fixture", async () => {
  const run = await againstServe('stable', '--suite', 'all')
  const known = sessions.filter((name) => name !== 'server-session-lifecycle')
  expect(notPassed(run, known)).toEqual([])
})

/** How many checks of the tasks extension passed, and every other one with its status. */
function taskChecks(run: SuiteRun) {
  const scenarios = Object.entries(run.checks).filter(([name]) => name.startsWith('tasks-'))
  const checks = scenarios.flatMap(([, made]) => made)
  const others = checks.filter(({ status }) => status !== 'SUCCESS').map(({ id, status }) => `${id}: ${status}`)
  return { scenarios: scenarios.length, passed: checks.length - others.length, others }
}

const everyTask = {
  scenarios: 10,
  passed: 44,
  // The suite has no check of notifications yet and skips its scenario; the server sends none (decision 069).
  others: ['tasks-status-notifications: SKIPPED'],
}
const noTasks = { scenarios: 0, passed: 0, others: [] }

test.each([
  ['alpha', ['--requirements', '2026-07-28'], 37, everyTask],
  ['alpha', ['--requirements', '2025-11-25'], 30, noTasks],
  ['stable', ['--suite', 'all'], 32, noTasks],
] as const)(
  "behind our door the suite's fixture passes every scenario required by %s %s",
  async (suite, args, required, tasks) => {
    await using server = await serveMcp(app, {
      build: (_scope, _token, { isLegacy }) =>
        isLegacy === true
          ? buildFixture()
          : buildFixture({ tools: () => server.notify.toolsChanged(), prompts: () => server.notify.promptsChanged() }),
    })
    await using proxy = await addToken(server.base, app.token)
    const run = await runSuite(suite, `${proxy.base}/mcp`, ...args)
    const passed = Object.entries(run.checks).filter(
      // The tasks extension is no part of the required set; the suite runs it all the same.
      ([name, checks]) => !name.startsWith('tasks-') && failedChecks(checks).length === 0,
    )
    console.log(`${String(passed.length)} scenarios passed, ${String(required)} required`)
    expect(run.output.split('\n').filter((line) => line.startsWith('✗'))).toEqual([])
    expect(passed.length).toBeGreaterThanOrEqual(required)
    expect(run.exitCode).toBe(0)
    expect(taskChecks(run)).toEqual(tasks)
  },
)
