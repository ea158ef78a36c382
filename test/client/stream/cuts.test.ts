import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Capabilities } from '../../../src/client/capabilities/capabilities.ts'
import { createApi } from '../../../src/client/client.ts'
import { Untrusted } from '../../../src/contract/base/text.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../../app.ts'
import { lineText, runElsewhere } from '../../service/agents/run-elsewhere.ts'
import { virtualClock, type VirtualClock } from '../../virtual-clock.ts'

let app: App
let clock: VirtualClock
beforeAll(async () => {
  clock = virtualClock()
  app = await startApp({ clock })
})
afterAll(() => app.close())

/** The behaviour of the connections of one reader. */
interface Line {
  accept: string
  /** The number of bytes after which each connection is cut, in order; later connections are not cut. */
  cuts: readonly number[]
  /** Whether a cut looks like the end of the reply. */
  isClean: boolean
  /** The size of the pieces in which bytes arrive. */
  pieceBytes: number
  /** Whether the deployment knows no parameters, and replays the run from its beginning. */
  replays: boolean
}

const line = fc.record<Line>({
  accept: fc.constantFrom('text/event-stream', 'application/x-ndjson'),
  cuts: fc.array(fc.nat(3000), { maxLength: 6 }),
  isClean: fc.boolean(),
  pieceBytes: fc.integer({ min: 1, max: 700 }),
  replays: fc.boolean(),
})

/** The service behind such a line. */
function cutting({ accept, cuts, isClean, pieceBytes, replays }: Line): Send {
  const left = [...cuts]
  return async (request) => {
    const url = replays ? request.url.replace(/\?.*$/, '') : request.url
    const headers = { ...request.headers, accept, ...(replays && { 'last-event-id': undefined }) }
    const reply = await app.service.direct({ ...request, url, headers })
    const { body } = reply
    if (typeof body === 'string' || body instanceof Uint8Array) return reply
    return { ...reply, body: cutBody(body, { until: left.shift(), isClean, pieceBytes }) }
  }
}

async function* cutBody(
  body: AsyncIterable<Uint8Array>,
  { until = Infinity, isClean, pieceBytes }: { until: number | undefined } & Pick<Line, 'isClean' | 'pieceBytes'>,
) {
  let bytes = 0
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const piece = chunk.subarray(at, Math.min(at + pieceBytes, at + until - bytes))
      bytes += piece.length
      yield piece
      if (bytes < until) continue
      if (isClean) return
      throw Object.assign(new Error('cut'), { code: 'ECONNRESET' })
    }
  }
}

/** The numbers and messages of the events that a reader sees. */
async function readAll(runId: string, { after, rests, ...rest }: Reader): Promise<string[]> {
  const api = createApi({
    send: cutting(rest),
    baseUrl: origin,
    token: app.token,
    capabilities: new Capabilities(),
    sleep: () => Promise.resolve(),
  })
  const seen: string[] = []
  for await (const { event } of api.streamAgentRunEvents({ run_id: runId, after_sequence: after })) {
    seen.push(`${String(event?.sequence)} ${Untrusted.open(event?.message ?? new Untrusted(''))}`)
    for (let turn = 0; turn < rests; turn += 1) await new Promise(setImmediate)
  }
  return seen
}

interface Reader extends Line {
  after: number
  /** Turns of the event loop that the reader takes for each event. */
  rests: number
}

const reader = fc
  .tuple(line, fc.record({ after: fc.nat(12), rests: fc.nat(2) }))
  .map(([one, other]): Reader => ({ ...one, ...other }))

/** The events of a run: how many are committed at a time, before it is read and while it is. */
const writes = fc.record({
  before: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
  during: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }),
})

/** Waits for the readers while the clock advances, so that the service polls for the writes of the other process. */
async function polling<T>(reading: Promise<T>): Promise<T> {
  const turn = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))
  for (;;) {
    clock.pass(2000)
    const seen = await Promise.race([reading, turn()])
    if (seen !== undefined) return seen
  }
}

test('each reader sees each event once and in order, wherever its connections are cut', async () => {
  const property = fc.asyncProperty(writes, fc.array(reader, { minLength: 1, maxLength: 3 }), async (plan, readers) => {
    const run = await runElsewhere(app)
    for (const count of plan.before) await run.log(count)
    const atOpening = plan.before.reduce((sum, count) => sum + count, 0)
    const places = readers.map((one) => ({ ...one, after: Math.min(one.after, atOpening) }))
    const reading = Promise.all(places.map((one) => readAll(run.id, one)))
    // A failure while events are written is thrown below.
    reading.catch(() => undefined)
    for (const count of plan.during) {
      await run.log(count)
      clock.pass(2000)
    }
    await run.succeed()
    const seen = await polling(reading)
    const last = atOpening + plan.during.reduce((sum, count) => sum + count, 0) + 1
    const lines = Array.from({ length: last - 1 }, (_, index) => `${String(index + 1)} ${lineText(index + 1)}`)
    expect(seen).toEqual(places.map(({ after }) => [...lines.slice(after), `${String(last)} Done.`]))
  })
  await fc.assert(property, { numRuns: 80 })
})
