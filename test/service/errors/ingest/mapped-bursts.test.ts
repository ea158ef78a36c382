import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { eventWorker } from '../../../../src/cli/support/workers.ts'
import { createEventThread } from '../../../../src/service/errors/ingest/event-thread.ts'
import { startApp, type App } from '../../../app.ts'
import { bundle, crash, eventOf, sources, uploadBuild, type Built } from '../sourcemaps/symbolicate/shop.ts'
import { stored } from './stored.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
/** Requests that are read without the thread: one alone, and the first of a burst. */
const READ_HERE = 1 + 4

let built: Built
let thrown: ReturnType<typeof crash>

beforeAll(async () => {
  built = await bundle('dist/assets/app.js')
  thrown = crash(built.code, 'https://shop.example/assets/app.js')
})

const upload = (app: App) => uploadBuild(app, { 'assets/app.js': built.code, 'assets/app.js.map': built.map })

const numbered = (at: number) => ({ event_id: at.toString(16).padStart(32, '0'), timestamp: NOW / 1000 - 60 + at })

/** An event that no source map leads from. */
const plain = (at: number) => ({ ...eventOf({ type: 'Plain', value: 'no stack', frames: [] }), ...numbered(at) })

/** The crash of the bundle, as one of five issues. */
const mapped = (at: number) => ({ ...eventOf({ ...thrown, type: `Mapped${String(at % 5)}` }), ...numbered(at) })

/** An event whose frame brings a line of code that its file does not have. */
function claiming(at: number) {
  const path = 'src/cart/cart.ts'
  const lineno = (sources[path] ?? '').split('\n').findIndex((line) => line.includes('throw new RangeError')) + 1
  const frame = {
    function: 'refuse',
    filename: path,
    lineno,
    in_app: true,
    context_line: 'eval(await download(price))',
  }
  return { ...eventOf({ type: 'Claiming', value: 'too dear', frames: [frame] }), ...numbered(at) }
}

/** All at once, in this order: the first event alone lets the service read the key. */
async function sendBurst(app: App, [first, ...events]: readonly Record<string, unknown>[]) {
  await app.ingest(first ?? {})
  await Promise.all(events.map((event) => app.ingest(event)))
}

const first = Array.from({ length: READ_HERE }, (_, at) => plain(at))

test('events of a burst get source maps as those that come one after the other', async () => {
  const platform = { now: () => NOW }
  await using burst = await startApp({ platform, eventWorker })
  await using single = await startApp({ platform })
  for (const app of [burst, single]) await upload(app)
  const events = [...first, ...Array.from({ length: 26 }, (_, at) => (at === 7 ? claiming : mapped)(READ_HERE + at))]
  await sendBurst(burst, events)
  for (const event of events) await single.ingest(event)
  const { issues, ...rest } = await stored(burst)
  expect(issues.map(({ type, culprit, contradicted }) => [type, culprit, contradicted])).toEqual([
    ['Claiming', 'refuse (src/cart/cart.ts)', 1],
    ...['Mapped0', 'Mapped1', 'Mapped2', 'Mapped3', 'Mapped4'].map((type) => [type, 'refuse (src/cart/cart.ts)', 0]),
    ['Plain', '', 0],
  ])
  expect({ issues, ...rest }).toEqual(await stored(single))
})

test('events of one request get source maps as those that come one after the other', async () => {
  const platform = { now: () => NOW }
  await using together = await startApp({ platform })
  await using single = await startApp({ platform })
  for (const app of [together, single]) await upload(app)
  const events = [plain(0), claiming(1), ...Array.from({ length: 10 }, (_, at) => mapped(2 + at))]
  expect((await together.ingest(...events)).status).toBe(200)
  for (const event of events) await single.ingest(event)
  expect(await stored(together)).toEqual(await stored(single))
})

test('source maps that a burst needs count as used', async () => {
  let now = NOW
  await using app = await startApp({ platform: { now: () => now }, eventWorker })
  await upload(app)
  now = NOW + 80 * 86_400_000
  await sendBurst(app, [...first, ...Array.from({ length: 6 }, (_, at) => mapped(READ_HERE + at))])
  await app.service.close()
  const maps = await app.db.read.selectFrom('sourcemap').select('used_at').execute()
  expect(maps).toEqual([{ used_at: now }])
})

test('source maps that are uploaded between two bursts are applied from then on', async () => {
  await using app = await startApp({ platform: { now: () => NOW }, eventWorker })
  const [before, after] = [0, 10].map((from) => Array.from({ length: 10 }, (_, at) => mapped(from + at)))
  await sendBurst(app, before ?? [])
  await upload(app)
  await sendBurst(app, after ?? [])
  const { occurrences } = await stored(app)
  const states = occurrences.map(
    ({ summary }) => (JSON.parse(summary) as { symbolication_state: string }).symbolication_state,
  )
  expect(states.slice(10)).toEqual(Array.from({ length: 10 }, () => 'SYMBOLICATION_STATE_COMPLETE'))
})

test('what was read with source maps that have changed since is read again', async () => {
  await using app = await startApp()
  const thread = createEventThread({
    entry: eventWorker,
    database: app.database,
    tables: join(app.dataDir, 'sourcemaps'),
    maxBytes: 1_000_000,
    onUsed: () => undefined,
    onError: () => undefined,
  })
  try {
    const batch = { payloads: [Buffer.from(JSON.stringify(mapped(0)))], header: {}, receivedAt: NOW }
    const [changed, other] = [1, 2].map((product) => thread.read(product, batch))
    const outcome = changed?.then(
      () => 'read',
      (error: Error) => error.message,
    )
    await nextTurn()
    thread.changed(1)
    expect(await outcome).toBe('source maps of the product have changed')
    expect((await other)?.events).toHaveLength(1)
    expect((await thread.read(1, batch)).events).toHaveLength(1)
  } finally {
    await thread.close()
  }
})
