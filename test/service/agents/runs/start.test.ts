import { expect, test } from 'vitest'
import type { App, Reply } from '../../../app.ts'
import { reasonOf, tokenHeaders, type Failure } from '../../people.ts'
import {
  cancelRun,
  configure,
  heldProbe,
  probe,
  reach,
  readRun,
  start,
  startAgentApp,
  startRun,
  type Config,
  type Run,
} from '../probes.ts'

interface Runs {
  agent_runs: Run[]
  next_page_token: string
  pagination: { total_size: number }
}

const listRuns = async (app: App, configId: string, query = '') =>
  (await app.request<Runs>('GET', `/v1/agent-configs/${configId}/runs${query}`)).body
const readMetadata = (reply: Reply) => (reply.body as Failure).details[0]?.metadata

test('a disabled config starts no run', async () => {
  await using app = await startAgentApp()
  const reply = await startRun(app, await configure(app, { enabled: false }))
  expect([reply.status, reasonOf(reply)]).toEqual([400, 'CONFIG_DISABLED'])
})

test("the input of a run is checked together with the config's", async () => {
  await using app = await startAgentApp()
  const configId = await configure(app, { input: { limit: 5 } })
  const reply = await startRun(app, configId, { input: { limit: 51, depth: 1 } })
  expect([reply.status, reasonOf(reply)]).toEqual([400, 'INPUT_SCHEMA'])
  expect((reply.body as unknown as Failure).details[1]?.field_violations).toEqual([
    { field: 'input.limit', description: 'must be at most 50' },
    { field: 'input.depth', description: 'is not known' },
  ])
  expect((await listRuns(app, configId)).agent_runs).toEqual([])
})

test('a config has one active run at a time, which the refusal names', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const configId = await configure(app)
  const runId = await start(app, configId)
  const reply = await startRun(app, configId)
  expect([reply.status, reasonOf(reply), readMetadata(reply)]).toMatchObject([
    400,
    'RUN_ALREADY_ACTIVE',
    { run_id: runId },
  ])
  held.release()
  await reach(app, runId)
  expect((await startRun(app, configId)).status).toBe(200)
})

test('a config that allows it has several active runs', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const configId = await configure(app)
  await app.db.write((rows) => rows.updateTable('agent_config').set({ allow_concurrent: 1 }).execute())
  const ids = [await start(app, configId), await start(app, configId)]
  expect(new Set(ids).size).toBe(2)
})

test('a product has at most 50 queued runs', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const configId = await configure(app)
  await app.db.write((rows) => rows.updateTable('agent_config').set({ allow_concurrent: 1 }).execute())
  for (let count = 0; count < 2; count += 1) await reach(app, await start(app, configId), 'AGENT_RUN_STATE_RUNNING')
  for (let count = 0; count < 50; count += 1) await start(app, configId)
  const reply = await startRun(app, configId)
  expect([reply.status, reasonOf(reply)]).toEqual([400, 'TOO_MANY_RUNS'])
})

test('a repeated request id starts one run', async () => {
  await using app = await startAgentApp()
  const configId = await configure(app)
  const first = await startRun(app, configId, { request_id: 'r1' })
  await reach(app, first.body.agent_run.id)
  expect((await startRun(app, configId, { request_id: 'r1' })).body).toEqual(first.body)
  expect((await listRuns(app, configId)).agent_runs).toHaveLength(1)
})

test('a run needs the scope agents:run, and that of a type that writes the scope write too', async () => {
  await using app = await startAgentApp({
    agentTypes: [probe(), probe(undefined, { id: 'writer', writes: ['tests'] })],
  })
  const [reading, writing] = [await configure(app), await configure(app, { agent_type_id: 'writer' })]
  const tryBoth = async (...scopes: ('write' | 'agents:run')[]) => {
    const headers = await tokenHeaders(app, { scopes })
    const replies = [await startRun(app, reading, {}, headers), await startRun(app, writing, {}, headers)]
    return replies.map((reply) => (reply.status === 200 ? 200 : readMetadata(reply)?.['scope']))
  }
  expect(await tryBoth('write')).toEqual(['agents:run', 'agents:run'])
  expect(await tryBoth('agents:run')).toEqual([200, 'write'])
  for (const id of [reading, writing]) for (const run of (await listRuns(app, id)).agent_runs) await reach(app, run.id)
  expect(await tryBoth('agents:run', 'write')).toEqual([200, 200])
})

test('runs of a config are listed newest first, in pages and by state', async () => {
  const type = probe((_context, { limit }) =>
    limit === 13
      ? Promise.reject(new Error('unlucky'))
      : Promise.resolve({ summary: 'Done.', output: { found: limit } }),
  )
  await using app = await startAgentApp({ agentTypes: [type] })
  const configId = await configure(app)
  const ids: string[] = []
  for (const limit of [1, 13, 2]) ids.unshift((await reach(app, await start(app, configId, { input: { limit } }))).id)
  const first = await listRuns(app, configId, '?page_size=2')
  const second = await listRuns(app, configId, `?page_size=2&page_token=${first.next_page_token}`)
  expect([...first.agent_runs, ...second.agent_runs].map(({ id }) => id)).toEqual(ids)
  expect(first.pagination.total_size).toBe(3)
  const failed = await listRuns(app, configId, '?state=failed')
  expect(failed.agent_runs.map(({ id }) => id)).toEqual([ids[1]])
})

test('a config shows its newest run', async () => {
  await using app = await startAgentApp()
  const configId = await configure(app)
  const before = (await app.request<{ agent_config: Config }>('GET', `/v1/agent-configs/${configId}`)).body.agent_config
  await reach(app, await start(app, configId))
  const run = await reach(app, await start(app, configId))
  const { agent_config: config } = (await app.request<{ agent_config: Config }>('GET', `/v1/agent-configs/${configId}`))
    .body
  expect(config.last_run).toEqual({ id: run.id, state: 'AGENT_RUN_STATE_SUCCEEDED', finished_at: run.finished_at })
  expect(config.etag).toBe(before.etag)
})

test('the etag of a run changes with what a reader sees of it', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const { etag: queued, id } = (await startRun(app, await configure(app))).body.agent_run
  const { etag: running } = await reach(app, id, 'AGENT_RUN_STATE_RUNNING')
  held.release()
  const { etag: ended } = await reach(app, id)
  expect(new Set([queued, running, ended]).size).toBe(3)
})

test("a stranger's run is not found, like one that does not exist", async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const configId = await configure(app)
  const id = await start(app, configId)
  const headers = await tokenHeaders(app, { stranger: true, scopes: ['write', 'agents:run'] })
  for (const path of [`/v1/agent-runs/${id}`, '/v1/agent-runs/nothing']) {
    const replies = [
      await app.request('GET', path, undefined, headers),
      await app.request('POST', `${path}:cancel`, {}, headers),
    ]
    expect(replies.map((reply) => [reply.status, reasonOf(reply)])).toEqual([
      [404, 'AGENT_RUN_NOT_FOUND'],
      [404, 'AGENT_RUN_NOT_FOUND'],
    ])
  }
  expect((await app.request('GET', `/v1/agent-configs/${configId}/runs`, undefined, headers)).status).toBe(404)
  expect((await readRun(app, id)).cancel_requested_at).toBeNull()
})

test('the audit trail says who started and who cancelled a run', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const id = await start(app, await configure(app))
  await cancelRun(app, id)
  const traces = await app.db.read.selectFrom('audit').select(['verb', 'actor']).where('resource_id', '=', id).execute()
  expect(traces.map(({ verb }) => verb)).toEqual(['create', 'set_status'])
  expect(traces.map(({ actor }) => JSON.parse(actor) as unknown)).toMatchObject([
    { type: 'ACTOR_TYPE_API_TOKEN' },
    { type: 'ACTOR_TYPE_API_TOKEN' },
  ])
})
