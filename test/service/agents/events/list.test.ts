import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { AgentRunEvent } from '../../../../src/contract/agents.ts'
import { startApp, type App } from '../../../app.ts'
import { reasonOf, tokenHeaders } from '../../people.ts'
import { lineText, runElsewhere } from '../run-elsewhere.ts'

interface Page {
  events: z.input<typeof AgentRunEvent>[]
  next_page_token: string
  pagination: { total_size: number }
}

async function list(app: App, runId: string, query = '') {
  const { body } = await app.request<Page>('GET', `/v1/agent-runs/${runId}/events?${query}`)
  return { ...body, sequences: body.events.map(({ sequence }) => sequence) }
}

test('events of a run are listed in order, with their total', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(2)
  await run.succeed()
  const { events, pagination } = await list(app, run.id)
  expect(pagination.total_size).toBe(3)
  expect(events).toMatchObject([
    { sequence: 1, run_id: run.id, type: 'AGENT_RUN_EVENT_TYPE_LOG', level: 'info', message: lineText(1), data: {} },
    { sequence: 2, message: lineText(2) },
    {
      sequence: 3,
      type: 'AGENT_RUN_EVENT_TYPE_COMPLETED',
      data: { state: 'AGENT_RUN_STATE_SUCCEEDED', summary: 'Done.' },
    },
  ])
})

test('after_sequence and type choose events, and pages keep the choice', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  await run.log(5)
  await run.succeed()
  expect((await list(app, run.id, 'after_sequence=4')).sequences).toEqual([5, 6])
  const logs = 'type=AGENT_RUN_EVENT_TYPE_LOG&type=AGENT_RUN_EVENT_TYPE_WARNING&after_sequence=2&page_size=2'
  const first = await list(app, run.id, logs)
  expect([first.sequences, first.pagination.total_size]).toEqual([[3, 4], 3])
  const second = await list(app, run.id, `${logs}&page_token=${first.next_page_token}`)
  expect([second.sequences, second.next_page_token]).toEqual([[5], ''])
})

test('a run that the caller cannot see has no events', async () => {
  await using app = await startApp()
  const run = await runElsewhere(app)
  const stranger = await tokenHeaders(app, { stranger: true })
  for (const path of ['events', 'events:stream']) {
    const reply = await app.request('GET', `/v1/agent-runs/${run.id}/${path}`, undefined, stranger)
    expect([reply.status, reasonOf(reply)]).toEqual([404, 'AGENT_RUN_NOT_FOUND'])
  }
})
