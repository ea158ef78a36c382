import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { usesPostgres } from '../../../postgres/databases.ts'
import {
  cancelRun,
  configure,
  heldProbe,
  pass,
  reach,
  readEvents,
  readRun,
  start,
  startAgentApp,
  startOnClock,
  until,
} from '../probes.ts'

/** A data directory on which a process was killed that executed a run, and the run. */
async function killInRun() {
  const held = heldProbe()
  const before = await startAgentApp({ agentTypes: [held.type] })
  const id = await start(before, await configure(before))
  await until(() => held.started[0])
  await before.service.close()
  const server = usesPostgres() ? [before.database] : []
  const child = spawn(process.execPath, [join(import.meta.dirname, 'killed-service.ts'), before.dataDir, ...server], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  return { before, id }
}

test('a run whose process was killed is FAILED once its lease has expired, with the events that it wrote', async () => {
  const { before, id } = await killInRun()
  await using _ = before
  const { app, clock } = await startOnClock([], { dataDir: before.dataDir })
  await using __ = app
  await pass(clock, 1000)
  expect((await readRun(app, id)).state).toBe('AGENT_RUN_STATE_RUNNING')
  await pass(clock, 15_000)
  expect(await reach(app, id)).toMatchObject({
    state: 'AGENT_RUN_STATE_FAILED',
    error: { code: 'PROCESS_RESTARTED' },
    progress: { phase: 'cases', done: 1, total: 2 },
  })
  expect(await readEvents(app, id)).toMatchObject([
    { sequence: 1, kind: 'STARTED' },
    { sequence: 2, kind: 'LOG' },
    { sequence: 3, kind: 'STARTED' },
    { sequence: 4, kind: 'PROGRESS', message: 'cases: 1 of 2' },
    { sequence: 5, kind: 'FINDING', data: { test_id: 't1' } },
    { sequence: 6, kind: 'ERROR', data: { code: 'PROCESS_RESTARTED' } },
    { sequence: 7, kind: 'COMPLETED', data: { state: 'AGENT_RUN_STATE_FAILED' } },
  ])
})

test('a run whose process was killed can be cancelled without waiting for its lease', async () => {
  const { before, id } = await killInRun()
  await using _ = before
  const { app, clock } = await startOnClock([], { dataDir: before.dataDir })
  await using __ = app
  await cancelRun(app, id)
  clock.pass(1500)
  expect((await reach(app, id)).state).toBe('AGENT_RUN_STATE_CANCELLED')
})
