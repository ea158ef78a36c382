import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../src/contract/index.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import { insertProduct } from '../../../src/service/workspace/products.ts'
import { startApp, type App } from '../../app.ts'
import { dayMs } from '../errors/issues/rig.ts'
import { startTree } from '../branches/branch-tree.ts'
import { reasonOf, tokenHeaders } from '../people.ts'

type Headers = Record<string, string>

async function products(app: App, headers: Headers = {}): Promise<string[]> {
  const { body } = await app.request<ResponseOf<'listWorkspaces'>>('GET', '/v1/workspaces', undefined, headers)
  const path = `/v1/workspaces/${body.workspaces[0]!.id}/products`
  const reply = await app.request<ResponseOf<'listProducts'>>('GET', path, undefined, headers)
  return reply.body.products.map(({ name, counts }) => `${name} ${String(counts.environments)}`)
}

test('lists of products have what was just stored, by this process or by another one', async () => {
  await using app = await startApp()
  expect(await products(app)).toEqual(['My product 0'])
  expect(await products(app)).toEqual(['My product 0'])
  await app.request('POST', `/v1/products/${app.productId}/environments`, { name: 'qa' })
  expect(await products(app)).toEqual(['My product 1'])
  // A connection of its own, as that of another process.
  await app.db.write(async (rows) => {
    const { id } = await rows.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
    await insertProduct(rows, systemPlatform, id, { name: 'Other' })
  })
  expect(await products(app)).toEqual(['My product 1', 'Other 0'])
})

test('a caller never gets the lists of another', async () => {
  await using app = await startApp()
  await products(app)
  const stranger = await tokenHeaders(app, { stranger: true })
  const list = (headers: Headers) => app.request('GET', '/v1/workspaces', undefined, headers)
  for (let time = 0; time < 2; time += 1) {
    expect((await list({})).body).toMatchObject({ workspaces: [{ product_count: 1 }] })
    expect((await list(stranger)).body).toMatchObject({ workspaces: [] })
  }
  const { id } = await app.db.read.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
  expect((await app.request('GET', `/v1/workspaces/${id}/products`, undefined, stranger)).status).toBe(404)
})

test('a token ends with the commit of another process that revokes it', async () => {
  await using app = await startApp()
  const headers = await tokenHeaders(app)
  const ask = () => app.request('GET', '/v1/auth/me', undefined, headers)
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
  await app.db.write((rows) => rows.updateTable('token').set({ revoked_at: 1 }).where('name', '=', 'test').execute())
  expect(reasonOf(await ask())).toBe('TOKEN_INVALID')
})

/** A service at a time that the test sets, with one issue, and what the list says of it. */
async function withIssue() {
  const time = { now: Date.now() }
  const app = await startApp({ platform: { now: () => time.now } })
  await app.ingest({ message: 'broken' })
  const list = async (query = '') => {
    const path = `/v1/products/${app.productId}/issues${query}`
    const { body } = await app.request<ResponseOf<'listIssues'>>('GET', path)
    return body.issues
  }
  return { app, time, list }
}

test('the list of issues has what was just written', async () => {
  const { app, list } = await withIssue()
  await using _ = app
  const [issue] = await list()
  expect(issue).toMatchObject({ status: 'unresolved' })
  await app.request('POST', `/v1/issues/${issue!.id}:setStatus`, { status: 'resolved' })
  expect(await list()).toMatchObject([{ status: 'resolved' }])
})

test('the list of issues changes with the time although nothing is written', async () => {
  const { app, time, list } = await withIssue()
  await using _ = app
  const start = time.now
  const substatuses: unknown[] = []
  for (const days of [0, 6.9, 7.1, 13.9, 14.1, 0]) {
    time.now = start + days * dayMs
    substatuses.push((await list())[0]?.substatus)
  }
  const [fresh, ongoing, quiet] = ['NEW', 'ONGOING', 'QUIET'].map((word) => `ISSUE_SUBSTATUS_${word}`)
  expect(substatuses).toEqual([fresh, fresh, ongoing, ongoing, quiet, fresh])
})

test('a trailing window of the list of issues moves with the time', async () => {
  const { app, time, list } = await withIssue()
  await using _ = app
  const [issue] = await list()
  const leaves = Date.parse(issue!.last_seen) + dayMs
  const found: number[] = []
  for (const now of [time.now, leaves, leaves + 1, leaves, time.now]) {
    time.now = now
    found.push((await list('?period=1d')).length)
  }
  expect(found).toEqual([1, 1, 0, 1, 1])
})

test('lists of environments, components and releases have what was just stored, and events leave them with the time', async () => {
  const time = { now: Date.now() }
  await using app = await startApp({ platform: { now: () => time.now } })
  const path = `/v1/products/${app.productId}`
  await app.request('POST', `${path}/components`, { name: 'Shop', path_globs: ['src/**'] })
  const event = { environment: 'qa', release: '1.0', exception: thrown('src/cart.ts') }
  const lists = async () => {
    const environments = await app.request<ResponseOf<'listEnvironments'>>('GET', `${path}/environments`)
    const components = await app.request<ResponseOf<'listComponents'>>('GET', `${path}/components`)
    const releases = await app.request<ResponseOf<'listReleases'>>('GET', `${path}/releases`)
    return [
      environments.body.environments.find(({ name }) => name === 'qa')?.events_24h,
      components.body.components[0]?.stats.events_7d,
      releases.body.releases.map(({ counts }) => counts.events),
    ]
  }
  expect(await lists()).toEqual([undefined, 0, []])
  for (const events of [1, 2]) {
    await app.ingest(event)
    expect(await lists()).toEqual([events, events, [events]])
  }
  time.now += 1.1 * dayMs
  expect(await lists()).toEqual([0, 2, [2]])
  time.now += 7 * dayMs
  expect(await lists()).toEqual([0, 0, [2]])
})

test('occurrences of an issue have what was just stored, and leave a trailing window with the time', async () => {
  const { app, time, list } = await withIssue()
  await using _ = app
  const [issue] = await list()
  const found = async (query: string) => {
    const path = `/v1/issues/${issue!.id}/events?${query}`
    return (await app.request<ResponseOf<'listIssueEvents'>>('GET', path)).body.pagination.total_size
  }
  const first = Date.parse(issue!.last_seen)
  time.now += dayMs / 2
  expect(await found('period=1d')).toBe(1)
  await app.ingest({ message: 'broken' })
  const totals: unknown[] = []
  for (const now of [time.now, first + dayMs, first + dayMs + 1, time.now + dayMs + 1, time.now]) {
    time.now = now
    totals.push([await found('period=1d'), await found('period=1d&q=broken'), await found('')])
  }
  expect(totals).toEqual([
    [2, 2, 2],
    [2, 2, 2],
    [1, 1, 2],
    [0, 0, 2],
    [2, 2, 2],
  ])
})

test('an issue and its fix context have what was just written, and change with the time', async () => {
  const { app, time, list } = await withIssue()
  await using _ = app
  const { id } = (await list())[0]!
  const ask = async () => {
    const { body } = await app.request<ResponseOf<'getIssue'>>('GET', `/v1/issues/${id}`)
    const path = `/v1/products/${app.productId}/issues/${id}/fix-context`
    const { fix_context: context } = (await app.request<ResponseOf<'getFixContext'>>('GET', path)).body
    expect(context.issue).toMatchObject({ status: body.issue.status, substatus: body.issue.substatus })
    return [body.issue.status, body.issue.substatus, context.event?.id === body.latest_event?.id, body.issue.times_seen]
  }
  const start = time.now
  expect(await ask()).toEqual(['unresolved', 'ISSUE_SUBSTATUS_NEW', true, 1])
  await app.ingest({ message: 'broken' })
  expect(await ask()).toEqual(['unresolved', 'ISSUE_SUBSTATUS_NEW', true, 2])
  await app.request('POST', `/v1/issues/${id}:setStatus`, { status: 'resolved' })
  for (const [days, substatus] of [
    [6.9, 'NEW'],
    [7.1, 'ONGOING'],
    [14.1, 'QUIET'],
  ] as const) {
    time.now = start + days * dayMs
    expect(await ask()).toEqual(['resolved', `ISSUE_SUBSTATUS_${substatus}`, true, 2])
  }
})

test('the component of a fix context counts the events of the last week at each time', async () => {
  const time = { now: Date.now() }
  await using app = await startApp({ platform: { now: () => time.now } })
  await app.request('POST', `/v1/products/${app.productId}/components`, { name: 'Shop', path_globs: ['src/**'] })
  // The second event is of an issue that is neither new nor quiet until the event has left the week.
  for (const days of [0, 10]) {
    time.now += days * dayMs
    await app.ingest({ exception: thrown('src/cart.ts') })
  }
  const { body } = await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues`)
  const path = `/v1/products/${app.productId}/issues/${body.issues[0]!.id}/fix-context`
  const events = async () => {
    const { fix_context: context } = (await app.request<ResponseOf<'getFixContext'>>('GET', path)).body
    return context.component?.stats.events_7d
  }
  expect([await events(), await events()]).toEqual([1, 1])
  time.now += 7.1 * dayMs
  expect(await events()).toBe(0)
})

test('the fix context of a branch has what was just written on it, and no longer a branch that was closed', async () => {
  await using app = await startTree()
  await app.ingest({ exception: thrown('src/cart.ts') })
  const branch = await app.tree.branch('guests')
  const { body } = await app.request<ResponseOf<'listIssues'>>('GET', `${app.tree.product}/issues`)
  const path = `${app.tree.product}/issues/${body.issues[0]!.id}/fix-context?branch=guests`
  const context = async () => (await app.request<ResponseOf<'getFixContext'>>('GET', path)).body.fix_context
  const titles = async () => (await context()).requirements.map(({ title }) => title)
  expect([await titles(), await titles()]).toEqual([[], []])
  const { id } = await app.tree.requirement({
    title: 'Guest',
    code_refs: [{ path: 'src/cart.ts' }],
    branch_id: branch,
  })
  expect([await titles(), await titles()]).toEqual([['Guest'], ['Guest']])
  await app.tree.change(id, { title: 'Guests', branch_id: branch })
  expect(await titles()).toEqual(['Guests'])
  await app.request('DELETE', `/v1/branches/${branch}`)
  expect(await context()).toMatchObject({ requirements: [], git_ref: 'guests' })
})

function thrown(filename: string) {
  const frames = [{ filename, function: 'pay', lineno: 1, in_app: true }]
  return { values: [{ type: 'Error', value: 'broken', stacktrace: { frames } }] }
}
