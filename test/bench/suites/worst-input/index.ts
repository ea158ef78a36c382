import { setTimeout as sleep } from 'node:timers/promises'
import { keepHeapSmall } from '../../../../src/cli/support/memory.ts'
import { origin, startApp, type App } from '../../../app.ts'
import { longestPiece } from '../../harness/measure.ts'
import type { Figure, Suite } from '../../harness/suite.ts'
import { worstEvents, worstReports } from './shapes.ts'

/** The first round compiles what it needs and is left out. */
const EVENT_ROUNDS = 4
const REPORT_ROUNDS = 3
const LONGEST_MS = 100

type Step = (app: App) => Promise<unknown>

/** Everything runs in this process, with the memory settings of a server; the resolution is one millisecond. */
export const worstInput: Suite = {
  about: `The longest piece of the event loop that an event or a report of 1 MB takes while it is received and while it is read, which everybody else waits for (decision 011).`,
  async run() {
    keepHeapSmall()
    return [
      { title: 'Events of 1 MB that are expensive in different places', figures: await events() },
      { title: 'Reports of 1 MB', figures: await reports() },
    ]
  },
}

const limits = { checkResponses: false, newIssuesPerHour: 0 }

async function events(): Promise<Figure[]> {
  await using app = await startApp(limits)
  await app.ingest({})
  const figures: Figure[] = []
  for (const [name, event] of Object.entries(worstEvents()))
    figures.push(...(await measure(name, app, { received: (to) => sendEvent(to, event), ...reads }, EVENT_ROUNDS)))
  return figures
}

async function reports(): Promise<Figure[]> {
  await using app = await startApp(limits)
  const figures: Figure[] = []
  for (const [name, { type, content }] of Object.entries(worstReports()))
    figures.push(...(await measure(name, app, { received: (to) => sendReport(to, type, content) }, REPORT_ROUNDS)))
  return figures
}

/** Reads of the newest event and of its issue. */
const reads: Record<string, Step> = {
  'event read': async (app) => {
    const { id, issue_id } = await newest(app)
    return checked(app.request('GET', `/v1/issues/${issue_id}/events/${id}`))
  },
  'fix context read': async (app) => {
    const { issue_id } = await newest(app)
    return checked(app.request('GET', `/v1/products/${app.productId}/issues/${issue_id}/fix-context`))
  },
}

async function newest(app: App): Promise<{ id: string; issue_id: string }> {
  return app.db.read
    .selectFrom('occurrence')
    .select(['id', 'issue_id'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
}

async function checked(reply: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await reply
  if (status !== 200) throw new Error(`a read was answered with ${status}: ${JSON.stringify(body)}`)
}

async function measure(name: string, app: App, steps: Record<string, Step>, rounds: number): Promise<Figure[]> {
  const pieces: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round += 1)
    for (const [step, run] of Object.entries(steps)) (pieces[step] ??= []).push(await longestPiece(() => run(app)))
  const goals = [{ of: 'median', most: LONGEST_MS }] as const
  return Object.entries(pieces).map(([step, all]) => ({
    name: `${name}: ${step}`,
    unit: 'ms',
    values: all.slice(1),
    goals,
  }))
}

async function sendEvent(app: App, event: string): Promise<void> {
  const id = crypto.randomUUID().replaceAll('-', '')
  const body = Buffer.from(`{"event_id":"${id}"}\n{"type":"event"}\n${event}`)
  const url = `${origin}/api/${app.productId}/envelope/?svc_key=${app.publicKey}`
  const reply = await app.service.direct({ method: 'POST', url, headers: {}, body })
  if (reply.status !== 200 && reply.status !== 400) throw new Error(`the event was answered with ${reply.status}`)
  // Bytes of a key are limited.
  await sleep(250)
}

let runs = 0

async function sendReport(app: App, type: string, content: string): Promise<void> {
  runs += 1
  const address = `${origin}/v1/products/${app.productId}/tests:ingest?run.run_key=${runs}`
  const headers = { authorization: `Bearer ${app.token}`, 'content-type': type }
  const reply = await app.service.direct({ method: 'POST', url: address, headers, body: Buffer.from(content) })
  if (reply.status !== 200 && reply.status !== 400) throw new Error(`the report was answered with ${reply.status}`)
}
