import { expect, test } from 'vitest'
import { pathParameters } from '../../../src/contract/base/endpoint.ts'
import { contract } from '../../../src/contract/index.ts'
import { pending } from '../../../src/service/handlers/pending.ts'
import { startApp, type App } from '../../app.ts'
import { runElsewhere } from '../agents/run-elsewhere.ts'
import { reasonOf, workspaceId } from '../people.ts'

const longName = 'a name of a good many letters '.repeat(2)

/** At least three rows in every list, most with equal sort values, and with texts as long as they may be. */
async function fill(app: App) {
  const workspace = await workspaceId(app)
  const product = `/v1/products/${app.productId}`
  const post = async (path: string, body: object) =>
    (await app.request<Record<string, { id: string }>>('POST', path, body)).body
  for (const number of [1, 2, 3]) {
    await post(`/v1/workspaces/${workspace}/products`, { name: `${longName}${String(number)}` })
    const environment = `${'environment-'.repeat(5)}${String(number)}`
    await post(`${product}/releases`, { version: '1.0.0', environment, released_at: '2026-01-01T00:00:00Z' })
    await post(`${product}/components`, {
      name: `c${String(number)}`,
      path_globs: [`c${String(number)}/**`],
      position: 1,
    })
  }
  const requirementIds: string[] = []
  for (let depth = 0; depth < 12; depth += 1) {
    const { requirement } = await post(`${product}/requirements`, { title: 'a rule', parent_id: requirementIds.at(-1) })
    requirementIds.push(requirement!.id)
  }
  const tests: string[] = []
  for (const requirement_ids of [requirementIds.slice(0, 3), [], []]) {
    const { test: created } = await post(`${product}/tests`, { kind: 'case', title: 'a rule is kept', requirement_ids })
    tests.push(created!.id)
  }
  await post(`${product}/branches`, { name: `${longName}1` })
  await post(`${product}/branches`, { name: `${longName}2` })
  const { branch } = await post(`${product}/branches`, { name: `${longName}3` })
  for (const requirement_id of requirementIds.slice(0, 3)) {
    await post(`/v1/tests/${tests[1]!}/links`, { requirement_id, branch_id: branch!.id, confidence: 0.1 + 0.2 })
  }
  const configs: string[] = []
  for (const number of [1, 2, 3]) {
    const config = { agent_type_id: 'coverage_gap_scan', name: `${longName}${String(number)}` }
    configs.push((await post(`${product}/agent-configs`, config)).agent_config!.id)
  }
  const runs = [1, 2, 3].map(() => runElsewhere(app, configs[0]!))
  const [run] = await Promise.all(runs)
  await run!.log(3)
  await app.ingest(...['A', 'B', 'C', 'A', 'A'].map((type) => crash(type)))
  const issue = await app.db.read
    .selectFrom('issue')
    .select('id')
    .orderBy('times_seen', 'desc')
    .executeTakeFirstOrThrow()
  const release = await app.db.read
    .selectFrom('release')
    .select('id')
    .where('version', '=', 'crashing')
    .executeTakeFirstOrThrow()
  return {
    release_id: release.id,
    workspace_id: workspace,
    product_id: app.productId,
    id: issue.id,
    test_id: tests[0]!,
    branch_id: branch!.id,
    agent_config_id: configs[0]!,
    run_id: run!.id,
  }
}

function crash(type: string) {
  const frame = { filename: `src/${'folder/'.repeat(30)}${type}.js`, function: 'run', lineno: 1, in_app: true }
  return { release: 'crashing', exception: { values: [{ type, value: 'broke', stacktrace: { frames: [frame] } }] } }
}

const lists = Object.entries(contract).filter(
  ([name, { input }]) =>
    // The matrix, whose rows are inside one member, has a test of its own.
    'page_token' in input.shape && name !== 'getTraceability' && !pending.some((one) => one === name),
)

const orders: Readonly<Record<string, readonly string[]>> = {
  listIssues: ['sort=last_seen', 'sort=first_seen', 'sort=times_seen'],
  listRequirements: ['', 'sort=key', 'sort=updated_at', 'sort=priority', 'q=rule'],
  listTests: ['', 'q=rule'],
}

test('every list gives each row once, page by page, with tokens of at most 60 characters', async () => {
  await using app = await startApp()
  const ids: Record<string, string> = await fill(app)
  const walked: string[] = []
  for (const [name, { path, returns }] of lists) {
    const address = path.replace(/\{(\w+)\}/g, (_, parameter: string) => ids[parameter] ?? 'missing')
    expect([name, pathParameters(path).filter((parameter) => ids[parameter] === undefined)]).toEqual([name, []])
    for (const order of orders[name] ?? ['']) {
      const read = async (query: string) =>
        (
          await app.request<Record<string, unknown[]> & { next_page_token: string }>(
            'GET',
            `${address}?${order}&${query}`,
          )
        ).body
      const member = Object.keys(returns.shape)[0]!
      const whole = (await read('page_size=200'))[member]!
      const met: unknown[] = []
      let token = ''
      do {
        const page = await read(`page_size=1&page_token=${token}`)
        met.push(...page[member]!)
        token = page.next_page_token
        expect([name, order, token.length <= 60 ? 'short' : token]).toEqual([name, order, 'short'])
      } while (token !== '' && met.length <= whole.length)
      // The owner has one workspace.
      expect([name, order, met.length >= (name === 'listWorkspaces' ? 1 : 3)]).toEqual([name, order, true])
      expect(met.map(identity)).toEqual(whole.map(identity))
      walked.push(name)
    }
  }
  expect(new Set(walked).size).toBe(lists.length)
})

/** A row without what depends on its page. */
function identity(row: unknown): unknown {
  const { id, requirement_id } = row as { id?: string; requirement_id?: string }
  return id ?? requirement_id
}

test('a walk whose last row has moved in between is refused instead of skipping rows', async () => {
  await using app = await startApp()
  await fill(app)
  const path = `/v1/products/${app.productId}/requirements`
  const page = await app.request<{ requirements: { id: string }[]; next_page_token: string }>(
    'GET',
    `${path}?page_size=5`,
  )
  const last = page.body.requirements.at(-1)!
  await app.request('PUT', `/v1/requirements/${last.id}`, { parent_id: page.body.requirements[0]!.id })
  const next = await app.request('GET', `${path}?page_size=5&page_token=${page.body.next_page_token}`)
  expect([next.status, reasonOf(next)]).toEqual([400, 'PAGE_TOKEN_MISMATCH'])
})
