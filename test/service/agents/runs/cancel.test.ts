import { expect, test } from 'vitest'
import type { App } from '../../../app.ts'
import { reasonOf } from '../../people.ts'
import {
  cancelRun,
  configure,
  endlessProbe,
  heldProbe,
  pass,
  probe,
  reach,
  readEvents,
  readKinds,
  readRun,
  start,
  startAgentApp,
  startOnClock,
  succeed,
  until,
} from '../probes.ts'

/** Both places of the process are taken, so that further runs stay queued. */
async function occupy(app: App) {
  for (let count = 0; count < 2; count += 1) {
    await reach(app, await start(app, await configure(app)), 'AGENT_RUN_STATE_RUNNING')
  }
}

test('a queued run is cancelled at once and never executed', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  await occupy(app)
  const id = await start(app, await configure(app))
  const { status, body } = await cancelRun(app, id, { reason: 'not today' })
  expect(status).toBe(200)
  expect(body.agent_run).toMatchObject({ state: 'AGENT_RUN_STATE_CANCELLED', started_at: null, last_sequence: 2 })
  expect(body.agent_run.finished_at).not.toBeNull()
  expect(await readEvents(app, id)).toMatchObject([
    {
      kind: 'CANCEL_REQUESTED',
      data: { reason: 'not today', requested_by: { display_name: expect.any(String) as unknown } },
    },
    { kind: 'COMPLETED', data: { state: 'AGENT_RUN_STATE_CANCELLED', summary: '' } },
  ])
  expect(held.started).toHaveLength(2)
})

test('a run that is executed ends at its next checkpoint', async () => {
  await using app = await startAgentApp({ agentTypes: [endlessProbe()] })
  const id = await start(app, await configure(app))
  await reach(app, id, 'AGENT_RUN_STATE_RUNNING')
  expect((await cancelRun(app, id)).body.agent_run).toMatchObject({
    state: 'AGENT_RUN_STATE_CANCELLING',
    finished_at: null,
  })
  expect(await reach(app, id)).toMatchObject({ state: 'AGENT_RUN_STATE_CANCELLED', output: null, error: null })
  expect((await readKinds(app, id)).slice(-2)).toEqual(['CANCEL_REQUESTED', 'COMPLETED'])
})

test.for(['log', 'warn', 'finding', 'progress'] as const)(
  'a run that is cancelled ends when it calls %s',
  async (name) => {
    const held = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const thrown: unknown[] = []
    const type = probe(async (context, input) => {
      started.resolve()
      await held.promise
      const report =
        name === 'progress' ? context.progress({ phase: 'x', done: 0, total: 0 }) : context[name]('Still here.')
      await report.catch((error: unknown) => thrown.push(error))
      return succeed(context, input)
    })
    const { app } = await startOnClock([type])
    await using _ = app
    const id = await start(app, await configure(app))
    await started.promise
    await cancelRun(app, id)
    held.resolve()
    expect((await reach(app, id)).state).toBe('AGENT_RUN_STATE_CANCELLED')
    expect(thrown).toMatchObject([{ name: 'RunStopped' }])
    expect(await readKinds(app, id)).toEqual(['STARTED', 'CANCEL_REQUESTED', 'COMPLETED'])
  },
)

test('a run that reaches no checkpoint ends after 1.5 seconds, and what it still does has no effect', async () => {
  const held = heldProbe()
  const { app, clock } = await startOnClock([held.type])
  await using _ = app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  await cancelRun(app, id)
  clock.pass(1499)
  expect((await readRun(app, id)).state).toBe('AGENT_RUN_STATE_CANCELLING')
  clock.pass(1)
  const run = await reach(app, id)
  expect(run.state).toBe('AGENT_RUN_STATE_CANCELLED')
  held.release()
  await expect(held.started[0]!.log('late')).rejects.toThrow('the run has been stopped')
  expect(await readRun(app, id)).toEqual(run)
})

test('a place becomes free when a run that reaches no checkpoint is cancelled', async () => {
  const held = heldProbe()
  const { app, clock } = await startOnClock([held.type])
  await using _ = app
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.push(await start(app, await configure(app)))
  await until(() => held.started[1])
  await cancelRun(app, ids[0]!)
  clock.pass(1500)
  expect((await reach(app, ids[2]!, 'AGENT_RUN_STATE_RUNNING')).started_at).not.toBeNull()
})

test('cancelling again changes nothing, whatever etag is given', async () => {
  const held = heldProbe()
  const { app, clock } = await startOnClock([held.type])
  await using _ = app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  const first = await cancelRun(app, id)
  expect((await cancelRun(app, id, { reason: 'again', etag: 'old' })).body).toEqual(first.body)
  clock.pass(1500)
  const ended = await reach(app, id)
  expect((await cancelRun(app, id)).body.agent_run).toEqual(ended)
})

test('a run that has ended cannot be cancelled', async () => {
  await using app = await startAgentApp()
  const id = await start(app, await configure(app))
  await reach(app, id)
  const reply = await cancelRun(app, id)
  expect([reply.status, reasonOf(reply)]).toEqual([400, 'RUN_FINISHED'])
})

test('a cancellation of another version of the run is refused', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const id = await start(app, await configure(app))
  const { etag } = await reach(app, id, 'AGENT_RUN_STATE_RUNNING')
  const reply = await cancelRun(app, id, { etag: 'old' })
  expect([reply.status, reasonOf(reply)]).toEqual([409, 'ETAG_MISMATCH'])
  expect((await cancelRun(app, id, { etag })).status).toBe(200)
})

test('a run of another process hears of its cancellation within a second', async () => {
  // Reports that say nothing new are not written, and so do not notice the cancellation either.
  const waiting = probe(async (context) => {
    for (;;) {
      await context.progress({ phase: 'waiting', done: 0, total: 1 })
      await new Promise(setImmediate)
    }
  })
  const { app, clock } = await startOnClock([waiting])
  await using _ = app
  const other = await startOnClock([waiting], { dataDir: app.dataDir })
  await using __ = other.app
  const id = await start(app, await configure(app))
  await until(async () => ((await readRun(app, id)).last_sequence === 2 ? true : undefined))
  await cancelRun(other.app, id)
  expect((await readRun(app, id)).state).toBe('AGENT_RUN_STATE_CANCELLING')
  await pass(clock, 1000)
  expect((await reach(app, id)).state).toBe('AGENT_RUN_STATE_CANCELLED')
})

test('a run whose process is gone ends 1.5 seconds after its cancellation', async () => {
  const held = heldProbe()
  const { app } = await startOnClock([held.type])
  await using _ = app
  const other = await startOnClock([held.type], { dataDir: app.dataDir })
  await using __ = other.app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  await cancelRun(other.app, id)
  // The clock of the process that executes the run stands still.
  other.clock.pass(1500)
  expect((await reach(other.app, id)).state).toBe('AGENT_RUN_STATE_CANCELLED')
})

test('deleting a config cancels its runs, which can still be read', async () => {
  const held = heldProbe()
  const { app, clock } = await startOnClock([held.type])
  await using _ = app
  const configId = await configure(app)
  const id = await start(app, configId)
  await until(() => held.started[0])
  expect((await app.request('DELETE', `/v1/agent-configs/${configId}`)).status).toBe(200)
  expect((await readRun(app, id)).state).toBe('AGENT_RUN_STATE_CANCELLING')
  clock.pass(1500)
  expect(await reach(app, id)).toMatchObject({ state: 'AGENT_RUN_STATE_CANCELLED', agent_config_id: configId })
  expect(await readEvents(app, id)).toMatchObject([
    { kind: 'STARTED' },
    { kind: 'CANCEL_REQUESTED', data: { reason: 'the agent config was deleted' } },
    { kind: 'COMPLETED' },
  ])
})
