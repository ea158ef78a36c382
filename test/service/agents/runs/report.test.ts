import { expect, test } from 'vitest'
import type { AgentContext } from '../../../../src/service/agents/define.ts'
import { configure, probe, reach, readEvents, start, startAgentApp, succeed } from '../probes.ts'

/** The events of a run that reports as the test says, without those of its start and its end. */
async function report(work: (context: AgentContext) => Promise<void>) {
  const type = probe(async (context, input) => {
    await work(context)
    return succeed(context, input)
  })
  await using app = await startAgentApp({ agentTypes: [type] })
  const run = await reach(app, await start(app, await configure(app)))
  const events = await readEvents(app, run.id)
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  expect(run.last_sequence).toBe(events.length)
  return { run, events: events.slice(1, -1) }
}

test('progress has an event for the first report of a phase and for each tenth of its total', async () => {
  const { run, events } = await report(async ({ progress }) => {
    for (let done = 0; done <= 1000; done += 1) await progress({ phase: 'cases', done, total: 1000 })
    await progress({ phase: 'links', done: 0, total: 3 })
    for (let done = 1; done <= 3; done += 1) await progress({ phase: 'links', done, total: 3 })
  })
  expect(events.map(({ data }) => [data['phase'], data['done']])).toEqual([
    ...Array.from({ length: 11 }, (_, tenth) => ['cases', tenth * 100]),
    ...Array.from({ length: 4 }, (_, done) => ['links', done]),
  ])
  expect(run.progress).toEqual({ phase: 'links', done: 3, total: 3 })
})

test('progress without a total has an event for every hundredth item', async () => {
  const { events } = await report(async ({ progress }) => {
    for (let done = 0; done < 350; done += 7) await progress({ phase: 'events', done, total: 0 })
  })
  expect(events.map(({ message }) => message)).toEqual(['events: 0', 'events: 105', 'events: 203', 'events: 301'])
})

test('at most 200 findings have an event, and one warning says so', async () => {
  const { events } = await report(async ({ finding }) => {
    for (let count = 1; count <= 250; count += 1) await finding(`Finding ${String(count)}.`)
  })
  expect(events).toHaveLength(201)
  expect(events.slice(-2)).toMatchObject([
    { kind: 'FINDING', message: 'Finding 200.' },
    { kind: 'WARNING', message: expect.stringContaining('first 200 findings') as unknown },
  ])
})

test('a message is cut at 1,000 characters, never through a surrogate pair', async () => {
  const { events } = await report(({ log }) => log(`${'x'.repeat(999)}\u{1f600}`))
  expect(events[0]?.message).toBe('x'.repeat(999))
})

test('of data beyond 16 KiB the members that fit are kept, and a note says how much', async () => {
  const { events } = await report(({ finding }) =>
    finding('Large.', { test_id: 't1', text: 'ü'.repeat(20_000), release: '1.2.3' }),
  )
  expect(events[0]?.data).toEqual({
    test_id: 't1',
    release: '1.2.3',
    truncation_signals: [expect.stringMatching(/^data:max_bytes:\d+\/\d+$/)],
  })
})

test('a summary is cut at 500 characters', async () => {
  const type = probe(() => Promise.resolve({ summary: 'x'.repeat(600), output: { found: 0 } }))
  await using app = await startAgentApp({ agentTypes: [type] })
  expect((await reach(app, await start(app, await configure(app)))).summary).toHaveLength(500)
})

test('text of outsiders is stored without the characters that no database can store', async () => {
  const hostile = '"; DROP TABLE agent_run; -- \u0000 \ud800 {{secret}} <script>'
  const { events } = await report(({ finding }) => finding(hostile, { [hostile]: hostile, constructor: 1 }))
  expect(events).toMatchObject([
    {
      kind: 'FINDING',
      message: '"; DROP TABLE agent_run; -- \ufffd \ufffd {{secret}} <script>',
      data: { [hostile]: hostile, constructor: 1 },
    },
  ])
})
