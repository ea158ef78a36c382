import { expect, test } from 'vitest'
import { removeOldRuns } from '../../../../src/service/agents/runs/retention.ts'
import { dayMs } from '../../../../src/service/shared/times.ts'
import type { App } from '../../../app.ts'
import { configure, heldProbe, reach, readEvents, readRun, start, startAgentApp, until } from '../probes.ts'

const age = (app: App, days: number) => removeOldRuns(app.db, Date.now() + days * dayMs)

test('events are removed 30 days after the end of their run, which stays unchanged', async () => {
  await using app = await startAgentApp()
  const run = await reach(app, await start(app, await configure(app)))
  await age(app, 29)
  expect(await readEvents(app, run.id)).toHaveLength(2)
  await age(app, 31)
  expect(await readEvents(app, run.id)).toEqual([])
  expect(await readRun(app, run.id)).toEqual(run)
})

test('a run is removed 180 days after its end', async () => {
  await using app = await startAgentApp()
  const { id } = await reach(app, await start(app, await configure(app)))
  await age(app, 179)
  expect((await app.request('GET', `/v1/agent-runs/${id}`)).status).toBe(200)
  await age(app, 181)
  expect((await app.request('GET', `/v1/agent-runs/${id}`)).status).toBe(404)
})

test('a run that has not ended keeps its events, however old it is', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  const id = await start(app, await configure(app))
  await until(() => held.started[0])
  await age(app, 400)
  expect(await readEvents(app, id)).toHaveLength(1)
})
