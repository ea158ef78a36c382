import { expect, test } from 'vitest'
import { ServiceError } from '../../../../src/errors.ts'
import { tokenHeaders } from '../../people.ts'
import {
  configure,
  heldProbe,
  probe,
  reach,
  readEvents,
  readKinds,
  readRun,
  start,
  startAgentApp,
  startRun,
  succeed,
  until,
} from '../probes.ts'

test('a run is executed with the merged input, and ends with the output and summary of its type', async () => {
  await using app = await startAgentApp()
  const configId = await configure(app, { input: { limit: 3, names: ['a'] } })
  const { status, body } = await startRun(app, configId, { input: { limit: 4 } })
  expect(status).toBe(200)
  expect(body.agent_run).toMatchObject({
    state: 'AGENT_RUN_STATE_QUEUED',
    output: null,
    last_sequence: 0,
    started_at: null,
  })
  const run = await reach(app, body.agent_run.id)
  expect(run).toMatchObject({
    agent_config_id: configId,
    agent_type_id: 'probe',
    state: 'AGENT_RUN_STATE_SUCCEEDED',
    trigger: 'AGENT_TRIGGER_MANUAL',
    input: { limit: 4, names: ['a'] },
    output: { found: 4, names: ['a'] },
    summary: 'Found 4.',
    error: null,
    last_sequence: 2,
  })
  expect(await readEvents(app, run.id)).toMatchObject([
    { sequence: 1, kind: 'STARTED' },
    { sequence: 2, kind: 'COMPLETED', data: { state: 'AGENT_RUN_STATE_SUCCEEDED', summary: 'Found 4.' } },
  ])
})

test('the events of a run are in the order in which its type reports', async () => {
  const type = probe(async (context, input) => {
    await context.progress({ phase: 'cases', done: 0, total: 2 })
    await context.log('Reading.', { cases: 2 })
    await context.warn('One case has no path.')
    await context.finding('One case is alone.', { test_id: 't1' })
    return succeed(context, input)
  })
  await using app = await startAgentApp({ agentTypes: [type] })
  const run = await reach(app, await start(app, await configure(app)))
  expect(run.progress).toEqual({ phase: 'cases', done: 0, total: 2 })
  expect(await readEvents(app, run.id)).toMatchObject([
    { kind: 'STARTED', level: 'info' },
    { kind: 'PROGRESS', level: 'debug', message: 'cases: 0 of 2', data: { phase: 'cases', done: 0, total: 2 } },
    { kind: 'LOG', level: 'info', message: 'Reading.', data: { cases: 2 } },
    { kind: 'WARNING', level: 'warning', message: 'One case has no path.', data: {} },
    { kind: 'FINDING', level: 'info', message: 'One case is alone.', data: { test_id: 't1' } },
    { kind: 'COMPLETED', level: 'info' },
  ])
})

test('a run whose type refuses ends FAILED with the reason', async () => {
  const type = probe(() => {
    throw new ServiceError('failed_precondition', 'no release is known; report a deploy first', {
      reason: 'NO_RELEASE',
    })
  })
  await using app = await startAgentApp({ agentTypes: [type] })
  const run = await reach(app, await start(app, await configure(app)))
  expect(run).toMatchObject({
    state: 'AGENT_RUN_STATE_FAILED',
    error: { code: 'NO_RELEASE', message: 'no release is known; report a deploy first' },
    output: null,
    summary: '',
  })
  expect(await readEvents(app, run.id)).toMatchObject([
    { kind: 'STARTED' },
    { kind: 'ERROR', level: 'error', data: { code: 'NO_RELEASE' } },
    { kind: 'COMPLETED', data: { state: 'AGENT_RUN_STATE_FAILED' } },
  ])
  expect(app.logged).toEqual([])
})

test('a bug of a type ends its run FAILED without details, which are in the log', async () => {
  const type = probe(() => Promise.reject(new TypeError('secret of row 7')))
  await using app = await startAgentApp({ agentTypes: [type] })
  const run = await reach(app, await start(app, await configure(app)))
  expect(run).toMatchObject({ state: 'AGENT_RUN_STATE_FAILED', error: { code: 'INTERNAL' } })
  expect(JSON.stringify([run, await readEvents(app, run.id)])).not.toContain('secret')
  expect(app.logged).toMatchObject([{ level: 'error', error: expect.stringContaining('secret of row 7') as unknown }])
})

test('an output that breaks the schema of its type is a bug', async () => {
  const type = probe(() => Promise.resolve({ summary: 'Done.', output: { found: 'many' } as never }))
  await using app = await startAgentApp({ agentTypes: [type] })
  expect(await reach(app, await start(app, await configure(app)))).toMatchObject({
    error: { code: 'INTERNAL' },
    output: null,
  })
})

test('an output of more than 512 KiB fails the run and rolls back what it wrote', async () => {
  const type = probe(({ product }) =>
    Promise.resolve({
      async commit({ rows, action }) {
        await rows.updateTable('product').set({ description: 'changed' }).where('id', '=', product.id).execute()
        action('Changed the product.')
        return { summary: 'Done.', output: { found: 1, names: ['x'.repeat(600_000)] } }
      },
    }),
  )
  await using app = await startAgentApp({ agentTypes: [type] })
  const run = await reach(app, await start(app, await configure(app)))
  expect(run).toMatchObject({ state: 'AGENT_RUN_STATE_FAILED', error: { code: 'OUTPUT_TOO_LARGE' } })
  expect(await readKinds(app, run.id)).toEqual(['STARTED', 'ERROR', 'COMPLETED'])
  const product = await app.db.read.selectFrom('product').select('description').executeTakeFirstOrThrow()
  expect(product.description).not.toBe('changed')
})

test('a run that writes commits what it wrote together with its end, as an agent with the rights of the starter', async () => {
  const type = probe(
    ({ product, call }) =>
      Promise.resolve({
        async commit({ rows, action, finding }) {
          action('Described the product.', { product_id: String(product.id) })
          finding('It had no description.')
          const description = JSON.stringify([call.actor, call.byAgent, [...call.principal.scopes].toSorted()])
          await rows.updateTable('product').set({ description }).where('id', '=', product.id).execute()
          return { summary: 'Done.', output: { found: 1 }, branchId: 'b1', truncationSignals: ['names:max_items:1/2'] }
        },
      }),
    { writes: ['products'] },
  )
  await using app = await startAgentApp({ agentTypes: [type] })
  const configId = await configure(app, { name: 'Describer' })
  const headers = await tokenHeaders(app, { scopes: ['agents:run', 'write'], member: 'Mia' })
  const started = await startRun(app, configId, {}, headers)
  const run = await reach(app, started.body.agent_run.id)
  expect(run).toMatchObject({
    state: 'AGENT_RUN_STATE_SUCCEEDED',
    branch_id: 'b1',
    truncation_signals: ['names:max_items:1/2'],
    started_by: { type: 'ACTOR_TYPE_API_TOKEN', display_name: 'Mia' },
  })
  const product = await app.db.read.selectFrom('product').select('description').executeTakeFirstOrThrow()
  expect(JSON.parse(product.description)).toEqual([
    { type: 'ACTOR_TYPE_AGENT', id: run.id, display_name: 'Describer', user_id: run.started_by.user_id },
    true,
    ['agents:run', 'read', 'write'],
  ])
  expect(await readKinds(app, run.id)).toEqual(['STARTED', 'ACTION', 'FINDING', 'COMPLETED'])
})

test('a run sees the output of the last run of its config that succeeded', async () => {
  const seen: unknown[] = []
  const type = probe((context, input) => {
    seen.push(context.previous)
    if (input.limit === 13) throw new Error('unlucky')
    return succeed(context, input)
  })
  await using app = await startAgentApp({ agentTypes: [type] })
  const [configId, otherId] = [await configure(app), await configure(app)]
  for (const limit of [1, 2, 13, 3]) await reach(app, await start(app, configId, { input: { limit } }))
  await reach(app, await start(app, otherId))
  expect(seen).toEqual([null, { found: 1, names: [] }, { found: 2, names: [] }, { found: 2, names: [] }, null])
})

test('at most two runs are executed at once, and the others in the order of their start', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.push(await start(app, await configure(app)))
  await until(() => held.started[1])
  expect(await Promise.all(ids.map(async (id) => (await readRun(app, id)).state))).toEqual([
    'AGENT_RUN_STATE_RUNNING',
    'AGENT_RUN_STATE_RUNNING',
    ...Array.from({ length: 3 }, () => 'AGENT_RUN_STATE_QUEUED'),
  ])
  held.release()
  for (const id of ids) await reach(app, id, 'AGENT_RUN_STATE_SUCCEEDED')
  expect(held.started.map(({ call }) => call.actor.id)).toEqual(ids)
})
