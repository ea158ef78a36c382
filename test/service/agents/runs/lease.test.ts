import { expect, test } from 'vitest'
import type { AgentContext } from '../../../../src/service/agents/define.ts'
import { claimRun, requeueRun } from '../../../../src/service/agents/runs/lease.ts'
import { settleRun, toTimedOut } from '../../../../src/service/agents/runs/settle.ts'
import { systemPlatform } from '../../../../src/service/shared/platform.ts'
import {
  cancelRun,
  configure,
  heldProbe,
  pass,
  probe,
  reach,
  readKinds,
  readRun,
  start,
  startAgentApp,
  startOnClock,
  succeed,
  until,
} from '../probes.ts'

test('two services on one data directory execute each run once', async () => {
  const executed: string[] = []
  const type = probe(async (context, input) => {
    executed.push(context.call.actor.id)
    await context.log('Here.')
    return succeed(context, input)
  })
  await using one = await startAgentApp({ agentTypes: [type] })
  await using two = await startAgentApp({ agentTypes: [type], dataDir: one.dataDir })
  const configs: string[] = []
  for (let count = 0; count < 30; count += 1) configs.push(await configure(one))
  const ids = await Promise.all(configs.map((id, index) => start(index % 2 === 0 ? one : two, id)))
  for (const id of ids) expect((await reach(one, id)).state).toBe('AGENT_RUN_STATE_SUCCEEDED')
  expect(executed.toSorted()).toEqual(ids.toSorted())
})

test('a queued run is found by another service within two seconds', async () => {
  const held = heldProbe()
  const { app } = await startOnClock([held.type])
  await using _ = app
  const other = await startOnClock([probe()], { dataDir: app.dataDir })
  await using __ = other.app
  for (let count = 0; count < 2; count += 1) await start(app, await configure(app))
  await until(() => held.started[1])
  await pass(other.clock, 1000)
  const id = await start(app, await configure(app))
  await pass(other.clock, 2000)
  expect((await reach(app, id)).state).toBe('AGENT_RUN_STATE_SUCCEEDED')
})

test('a lease is renewed while its run is in progress', async () => {
  const held = heldProbe()
  const { app, clock, now } = await startOnClock([held.type])
  await using _ = app
  const other = await startOnClock([held.type], { dataDir: app.dataDir })
  await using __ = other.app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  for (let second = 0; second < 60; second += 1) {
    await pass(clock, 1000)
    await until(() => (clock.untilNext() <= 500 ? true : undefined))
    const { lease_until: leaseUntil } = await app.db.read
      .selectFrom('agent_run')
      .select('lease_until')
      .executeTakeFirstOrThrow()
    expect(leaseUntil - now()).toBeGreaterThan(8000)
    await pass(other.clock, 1000)
  }
  held.release()
  expect((await reach(app, id)).state).toBe('AGENT_RUN_STATE_SUCCEEDED')
})

test('a run goes on while another service, whose clock is a minute ahead, looks at it', async () => {
  const held = heldProbe()
  const { app, clock } = await startOnClock([held.type])
  await using _ = app
  const other = await startOnClock([held.type], { dataDir: app.dataDir, aheadMs: 60_000 })
  await using __ = other.app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  for (let second = 0; second < 30; second += 1) {
    await pass(clock, 1000)
    await until(() => (clock.untilNext() <= 500 ? true : undefined))
    await pass(other.clock, 1000)
  }
  held.release()
  expect((await reach(app, id)).state).toBe('AGENT_RUN_STATE_SUCCEEDED')
})

test('a run whose process is suspended for longer than its lease fails, and cannot write any more', async () => {
  const contexts: AgentContext[] = []
  const held = Promise.withResolvers<void>()
  const type = probe(async (context) => {
    contexts.push(context)
    await context.log('Half done.')
    await held.promise
    return {
      async commit({ rows }) {
        await rows.updateTable('product').set({ description: 'late' }).execute()
        return { summary: 'Done.', output: { found: 1 } }
      },
    }
  })
  const { app } = await startOnClock([type])
  await using _ = app
  const other = await startOnClock([type], { dataDir: app.dataDir })
  await using __ = other.app
  const id = await start(app, await configure(app))
  await until(async () => ((await readRun(app, id)).last_sequence === 2 ? true : undefined))
  await pass(other.clock, 1_000)
  await pass(other.clock, 13_000)
  expect((await readRun(app, id)).state).toBe('AGENT_RUN_STATE_RUNNING')
  await pass(other.clock, 2_000)
  const run = await reach(other.app, id)
  expect(run).toMatchObject({ state: 'AGENT_RUN_STATE_FAILED', error: { code: 'PROCESS_RESTARTED' } })
  await expect(contexts[0]!.log('Late.')).rejects.toThrow('the run has been stopped')
  held.resolve()
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  expect(await readRun(app, id)).toEqual(run)
  expect(await readKinds(app, id)).toEqual(['STARTED', 'LOG', 'ERROR', 'COMPLETED'])
  const { description } = await app.db.read.selectFrom('product').select('description').executeTakeFirstOrThrow()
  expect(description).not.toBe('late')
})

test('a run whose process died while its clock was a year ahead fails as any other, not in a year', async () => {
  const held = heldProbe()
  const { app, now } = await startOnClock([held.type])
  await using _ = app
  const other = await startOnClock([held.type], { dataDir: app.dataDir })
  await using __ = other.app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  const lease_until = now() + 365 * 24 * 60 * 60_000
  await app.db.write((rows) => rows.updateTable('agent_run').set({ lease_until }).execute())
  await pass(other.clock, 1_000)
  for (let second = 0; second < 20; second += 2) await pass(other.clock, 2_000)
  expect(await reach(other.app, id)).toMatchObject({
    state: 'AGENT_RUN_STATE_FAILED',
    error: { code: 'PROCESS_RESTARTED' },
  })
  held.release()
})

test('an older lease writes nothing while a newer one executes the run', async () => {
  const held = heldProbe()
  const app = await startAgentApp({ agentTypes: [held.type] })
  await using _ = app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  await app.service.close()
  const again = await app.db.batch((prepare) => claimRun(prepare, systemPlatform))
  expect(again).toMatchObject({ id, state: 'AGENT_RUN_STATE_RUNNING', lease_fence: 2 })
  const end = () => Promise.resolve(toTimedOut(1))
  await settleRun({ db: app.db, platform: systemPlatform }, { runId: id, fence: 1 }, end)
  expect(await readKinds(app, id)).toEqual(['STARTED', 'LOG', 'STARTED'])
  await settleRun({ db: app.db, platform: systemPlatform }, { runId: id, fence: 2 }, end)
  expect(await readKinds(app, id)).toEqual(['STARTED', 'LOG', 'STARTED', 'ERROR', 'COMPLETED'])
})

test('a service that stops queues its runs again, and the next one executes them from the beginning', async () => {
  const held = heldProbe()
  const app = await startAgentApp({ agentTypes: [held.type] })
  await using _ = app
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.push(await start(app, await configure(app)))
  await until(() => held.started[1])
  await app.service.close()
  const stopped = await Promise.all(
    ids.map((id) =>
      app.db.read.selectFrom('agent_run').select(['state', 'started_at']).where('id', '=', id).executeTakeFirst(),
    ),
  )
  for (const row of stopped) expect(row).toEqual({ state: 'AGENT_RUN_STATE_QUEUED', started_at: null })
  const { app: later, clock } = await startOnClock([probe()], { dataDir: app.dataDir })
  await using __ = later
  await pass(clock, 1000)
  for (const id of ids) expect((await reach(later, id)).state).toBe('AGENT_RUN_STATE_SUCCEEDED')
  expect(await readKinds(later, ids[0]!)).toEqual(['STARTED', 'LOG', 'STARTED', 'COMPLETED'])
  expect(await readKinds(later, ids[2]!)).toEqual(['STARTED', 'COMPLETED'])
  expect(app.logged).toEqual([])
})

test('a run is queued again four times, and FAILED when its service stops for the fifth time', async () => {
  const held = heldProbe()
  const app = await startAgentApp({ agentTypes: [held.type] })
  await using _ = app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  await app.service.close()
  for (const fence of [2, 3, 4, 5]) {
    const claimed = await app.db.batch(async (prepare) => {
      const run = await claimRun(prepare, systemPlatform)
      await requeueRun(prepare, systemPlatform, { runId: id, fence })
      return run
    })
    expect(claimed).toMatchObject({ id, lease_fence: fence })
  }
  await using later = await startAgentApp({ dataDir: app.dataDir })
  expect(await readRun(later, id)).toMatchObject({
    state: 'AGENT_RUN_STATE_FAILED',
    error: { code: 'PROCESS_RESTARTED', message: expect.stringContaining('tracegate serve') as unknown },
  })
  expect((await readKinds(later, id)).slice(-3)).toEqual(['STARTED', 'ERROR', 'COMPLETED'])
})

test('a run that is being cancelled when its service stops is cancelled', async () => {
  const held = heldProbe()
  const app = await startAgentApp({ agentTypes: [held.type] })
  await using _ = app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  await cancelRun(app, id)
  await app.service.close()
  await using later = await startAgentApp({ dataDir: app.dataDir })
  expect((await readRun(later, id)).state).toBe('AGENT_RUN_STATE_CANCELLED')
})

test('a stopped service executes nothing that its runs still ask for', async () => {
  const held = heldProbe()
  const app = await startAgentApp({ agentTypes: [held.type] })
  await using _ = app
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  await app.service.close()
  await expect(held.started[0]!.finding('Late.')).rejects.toThrow('the run has been stopped')
  held.release()
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect(await readKinds(app, id)).toEqual(['STARTED', 'LOG'])
  expect(app.logged).toEqual([])
})

test('a run of a type that the next version does not have ends FAILED', async () => {
  const held = heldProbe({ id: 'gone' })
  const app = await startAgentApp({ agentTypes: [held.type] })
  await using _ = app
  const id = await start(app, await configure(app, { agent_type_id: 'gone' }))
  await app.service.close()
  const { app: later, clock } = await startOnClock([probe()], { dataDir: app.dataDir })
  await using __ = later
  await pass(clock, 1000)
  expect((await reach(later, id)).error).toMatchObject({ code: 'AGENT_TYPE_NOT_FOUND' })
})

test('a run that lasts longer than its config allows ends TIMED_OUT', async () => {
  const held = heldProbe()
  const { app, clock } = await startOnClock([held.type])
  await using _ = app
  const id = await start(app, await configure(app, { timeout_seconds: 10 }))
  await until(() => held.started[0])
  clock.pass(9_999)
  expect((await readRun(app, id)).state).toBe('AGENT_RUN_STATE_RUNNING')
  clock.pass(1)
  const run = await reach(app, id)
  expect(run).toMatchObject({ state: 'AGENT_RUN_STATE_TIMED_OUT', output: null, error: { code: 'TIMED_OUT' } })
  held.release()
  await expect(held.started[0]!.progress({ phase: 'late', done: 0, total: 0 })).rejects.toThrow(
    'the run has been stopped',
  )
  expect(await readKinds(app, id)).toEqual(['STARTED', 'ERROR', 'COMPLETED'])
  expect(await readRun(app, id)).toEqual(run)
})
