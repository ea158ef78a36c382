import { expect, test } from 'vitest'
import { replyText } from '../../../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../../../app.ts'
import { virtualClock } from '../../../virtual-clock.ts'
import { reading, type Item } from '../../rest/stream-router.ts'
import { configure, probe, reach, start, startAgentApp, succeed } from '../probes.ts'
import { brief, runElsewhere } from '../run-elsewhere.ts'

/** The app with a clock that the test advances. */
async function startClocked() {
  const clock = virtualClock()
  return { app: await startApp({ clock }), clock }
}

/** The reply to a request for the stream of a run. */
function ask(app: App, runId: string, after = 0) {
  return app.service.direct({
    method: 'GET',
    url: `${origin}/v1/agent-runs/${runId}/events:stream?after_sequence=${String(after)}`,
    headers: { authorization: `Bearer ${app.token}` },
  })
}

/** Opens the stream of a run; its items are given in short form. */
async function follow(app: App, runId: string, after = 0) {
  const reader = reading(await ask(app, runId, after))
  return {
    async next() {
      const line = await reader.next()
      return line === undefined ? 'end' : brief((JSON.parse(line) as { result: Item }).result)
    },
    /** All items to the end. */
    async rest() {
      const items = []
      for (let item = await this.next(); item !== 'end'; item = await this.next()) items.push(item)
      return items
    },
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

test('a run that has ended is replayed up to its COMPLETED event', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(3)
  await run.succeed()
  expect(await (await follow(app, run.id)).rest()).toEqual(['1', '2', '3', 'done 4'])
  expect(await (await follow(app, run.id, 2)).rest()).toEqual(['3', 'done 4'])
})

test('a replay of many batches gives each event once', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(1050)
  await run.succeed()
  const numbers = Array.from({ length: 1050 }, (_, index) => String(index + 1))
  expect(await (await follow(app, run.id)).rest()).toEqual([...numbers, 'done 1051'])
})

test('an event that this process writes arrives without waiting for a poll', async () => {
  const clock = virtualClock()
  const proceed = Promise.withResolvers<void>()
  const slow = probe(async (context, input) => {
    await proceed.promise
    await context.log('half done')
    return succeed(context, input)
  })
  await using app = await startAgentApp({ clock, agentTypes: [slow] })
  const read = (await follow(app, await start(app, await configure(app)))).rest()
  await settled()
  proceed.resolve()
  expect((await read).at(-1)).toMatch(/^done/)
  expect(clock.now()).toBe(0)
})

test('a run that the service of another process executes is followed by polling', async () => {
  const clock = virtualClock()
  const proceed = Promise.withResolvers<void>()
  const slow = probe((context, input) => proceed.promise.then(() => succeed(context, input)))
  await using executing = await startAgentApp({ agentTypes: [slow] })
  await using reading = await startAgentApp({ clock, dataDir: executing.dataDir })
  const id = await start(executing, await configure(executing))
  const read = (await follow(reading, id)).rest()
  await reach(executing, id, 'AGENT_RUN_STATE_RUNNING')
  proceed.resolve()
  const { last_sequence: last } = await reach(executing, id)
  await settled()
  clock.pass(2000)
  const numbers = Array.from({ length: last - 1 }, (_, index) => String(index + 1))
  expect(await read).toEqual([...numbers, `done ${String(last)}`])
})

test('a browser that connects again goes on after its Last-Event-ID', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(3)
  await run.succeed()
  const headers = { accept: 'text/event-stream', 'last-event-id': '2', authorization: `Bearer ${app.token}` }
  const url = `${origin}/v1/agent-runs/${run.id}/events:stream?after_sequence=0`
  const text = await replyText(await app.service.direct({ method: 'GET', url, headers }))
  expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(['3', '4'])
})

test('readers at different places each get the events after their own', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(250)
  const slow = await follow(app, run.id)
  expect(await slow.next()).toBe('1')
  await run.succeed()
  expect(await (await follow(app, run.id, 249)).rest()).toEqual(['250', 'done 251'])
  expect(await slow.next()).toBe('2')
  expect((await slow.rest()).at(-1)).toBe('done 251')
})

test('a place beyond the last event gets one resync, and all events from the first', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(1)
  await run.succeed()
  expect(await (await follow(app, run.id, 9)).rest()).toEqual(['resync 1 to 2', '1', 'done 2'])
})

test('a place whose next events were deleted gets one resync, and the first that is stored', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(5)
  await run.succeed()
  await run.forget(3)
  expect(await (await follow(app, run.id, 1)).rest()).toEqual(['resync 4 to 6', '4', '5', 'done 6'])
})

test('a run whose events were all deleted has one resync with its state', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(5)
  await run.succeed()
  await run.forget(6)
  const { body } = await app.request<{ result: Item }>('GET', `/v1/agent-runs/${run.id}/events:stream?after_sequence=1`)
  expect(body.result.resync).toMatchObject({
    after_sequence: 1,
    first_sequence: 0,
    last_sequence: 6,
    agent_run: { id: run.id, state: 'AGENT_RUN_STATE_SUCCEEDED' },
  })
})

test('a reader who has seen the last event of a run gets 204', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(1)
  expect((await ask(app, run.id, 1)).status).toBe(200)
  await run.succeed()
  expect((await ask(app, run.id, 2)).status).toBe(204)
})

test('a stream ends after 30 minutes although its run has not ended', async () => {
  const { app, clock } = await startClocked()
  await using _ = app
  const run = await runElsewhere(app)
  const read = (await follow(app, run.id)).rest()
  await settled()
  clock.pass(29 * 60_000)
  await run.log(1)
  await settled()
  clock.pass(59_999)
  await settled()
  clock.pass(2000)
  expect(await read).toEqual(['1'])
})

test('a stream ends with not_found when its run is deleted', async () => {
  const { app, clock } = await startClocked()
  await using _ = app
  const run = await runElsewhere(app)
  const line = reading(await ask(app, run.id)).next()
  await settled()
  await app.db.write((rows) => rows.deleteFrom('agent_run').where('id', '=', run.id).execute())
  clock.pass(2000)
  expect(JSON.parse((await line) ?? '')).toMatchObject({ error: { code: 5 } })
})

test('a service that closes ends its streams, even that of a reader who has stopped reading', async () => {
  const app = await startApp()
  const run = await runElsewhere(app)
  await run.log(2)
  const waiting = await follow(app, run.id, 2)
  const read = waiting.next()
  const idle = await follow(app, run.id)
  await idle.next()
  await app.close()
  expect(await read).toBe('end')
  expect(await idle.next()).toBe('end')
})
