import { expect, test } from 'vitest'
import { eventWorker } from '../../../../src/cli/support/workers.ts'
import { startApp } from '../../../app.ts'
import { stored } from './stored.ts'

const NOW = Date.UTC(2026, 10, 23, 12)

const different = Array.from({ length: 58 }, (_, at) => ({
  event_id: at.toString(16).padStart(32, '0'),
  timestamp: NOW / 1000 - 60 + at,
  environment: at % 3 === 0 ? 'staging' : 'production',
  release: `shop@1.${String(at % 2)}.0`,
  user: { id: `customer-${String(at % 7)}` },
  sdk: { name: 'sentry.javascript.node', version: '11.11.0' },
  exception: {
    values: [
      { type: `Error${String(at % 8)}`, value: `order ${String(at)} failed`, stacktrace: { frames: frames(at % 8) } },
    ],
  },
}))

/** Events of eight issues, two of which are sent twice. The copies are equal, because either may be stored first. */
const events = [...different, ...different.slice(1, 3)]

function frames(issue: number) {
  return ['next', `step${String(issue)}`].map((name, at) => ({
    function: name,
    filename: at === 0 ? 'node_modules/express/lib/router.js' : `src/checkout/step-${String(issue)}.ts`,
    lineno: 10 + at,
    in_app: at > 0,
  }))
}

test('events of a burst, which a thread reads, are stored as those that come one after the other', async () => {
  const platform = { now: () => NOW }
  let started = 0
  const counted = () => {
    started += 1
    return eventWorker()
  }
  await using burst = await startApp({ platform, eventWorker: counted })
  await using single = await startApp({ platform })
  const replies = await Promise.all(events.map((event) => burst.ingest(event)))
  for (const event of events) await single.ingest(event)
  expect(started).toBe(1)
  expect(replies.map(({ status, body }) => ({ status, body }))).toEqual(
    events.map((event) => ({ status: 200, body: { id: event.event_id } })),
  )
  expect(await stored(burst)).toEqual(await stored(single))
})

test('what is no event in a burst is refused for its sender alone', async () => {
  await using app = await startApp({ eventWorker })
  const path = `/api/${app.productId}/envelope/?svc_key=${app.publicKey}`
  const send = (payload: string) =>
    app.service.direct({
      method: 'POST',
      url: path,
      headers: {},
      body: Buffer.from(`{}\n{"type":"event"}\n${payload}\n`),
    })
  const payloads = Array.from({ length: 20 }, (_, at) => (at % 5 === 4 ? '[1]' : `{"message":"failure ${String(at)}"}`))
  const replies = await Promise.all(payloads.map(send))
  expect(replies.map(({ status }) => status)).toEqual(payloads.map((payload) => (payload === '[1]' ? 400 : 200)))
  expect(replies[4]?.headers['x-sentry-error']).toBe('event 1 is not a JSON object')
  expect(await app.db.read.selectFrom('occurrence').select('id').execute()).toHaveLength(16)
})

test('a burst is stored without the thread when it cannot start', async () => {
  await using app = await startApp({ eventWorker: () => Promise.reject(new Error('no such file')) })
  const replies = await Promise.all(events.map((event) => app.ingest(event)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await app.db.read.selectFrom('occurrence').select('id').execute()).toHaveLength(58)
  expect(app.logged).toMatchObject([{ level: 'error', where: 'thread of events' }])
  expect(app.logged[0]?.error).toContain('no such file')
})
