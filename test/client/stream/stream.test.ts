import { expect, test } from 'vitest'
import type { CallOptions } from '../../../src/client/api.ts'
import { Budget } from '../../../src/client/budget.ts'
import { Capabilities } from '../../../src/client/capabilities/capabilities.ts'
import type { ServiceError } from '../../../src/errors.ts'
import { virtualClock } from '../../virtual-clock.ts'
import { lastLine, lastSse, lines, scriptedClient, sse, type Scripted } from './scripted.ts'

type Client = ReturnType<typeof scriptedClient>

/** The numbers of all events and of each resync, and the code of the failure that the stream ended with. */
async function read({ api }: Client, request: { after_sequence?: number } = {}, call: CallOptions = {}) {
  const seen: (number | string)[] = []
  try {
    for await (const { event, resync } of api.streamAgentRunEvents({ run_id: 'r', ...request }, call)) {
      seen.push(event?.sequence ?? `${String(resync?.after_sequence)} to ${String(resync?.first_sequence)}`)
    }
  } catch (error) {
    seen.push((error as ServiceError).code)
  }
  return seen
}

const settled = () => new Promise(setImmediate)

test('the client prefers server-sent events, and accepts lines of JSON', async () => {
  const client = scriptedClient([{ pieces: [lastLine(1)] }])
  expect(await read(client)).toEqual([1])
  expect(client.requests[0]?.headers['accept']).toBe(
    'text/event-stream, application/x-ndjson;q=0.9, application/json;q=0.8',
  )
})

test.each<[string, Scripted]>([
  ['lines', { pieces: [lines(1, 2), lastLine(3)] }],
  [
    'lines without a wrapper',
    { pieces: [lines(1, 2), lastLine(3)].map((text) => text.replaceAll(/^\{"result":(.*)\}$/gm, '$1')) },
  ],
  [
    'bare events',
    { pieces: [lines(1, 2), lastLine(3)].map((text) => text.replaceAll(/^\{"result":\{"event":(.*)\}\}$/gm, '$1')) },
  ],
  [
    'lines with CRLF and empty ones between',
    { pieces: [lines(1, 2), lastLine(3)].map((text) => text.replaceAll('\n', '\r\n\r\n')) },
  ],
  ['lines whose last one has no end', { pieces: [lines(1, 2), lastLine(3).trim()] }],
  ['server-sent events', { type: 'text/event-stream', pieces: [sse(1, 2), lastSse(3)] }],
  [
    'server-sent events with CRLF and comments',
    {
      type: 'Text/Event-Stream; charset=utf-8',
      pieces: [`: hello\n\n${sse(1)}: ping\n\n${sse(2)}${lastSse(3)}`.replaceAll('\n', '\r\n')],
    },
  ],
  [
    'events whose data has several lines',
    {
      type: 'text/event-stream',
      pieces: [sse(1, 2), lastSse(3)].map((text) => text.replaceAll('"sequence"', '\ndata:"sequence"')),
    },
  ],
  [
    'wrapped events with other names',
    {
      type: 'text/event-stream',
      pieces: [lines(1, 2), lastLine(3)].map((text) =>
        text.replaceAll(/^(.*)$/gm, (line) => (line === '' ? '' : `event: message\ndata:${line}\n`)),
      ),
    },
  ],
  [
    'events with numbers in their ids only',
    {
      type: 'text/event-stream',
      pieces: [sse(1, 2), lastSse(3)].map((text) => text.replaceAll(/"sequence":\d,/g, '')),
    },
  ],
  [
    'pings with a name of their own',
    {
      type: 'text/event-stream',
      pieces: [sse(1), 'event: ping\ndata: {}\n\nevent: ping\ndata: now\n\n', sse(2), lastSse(3)],
    },
  ],
])('a stream is read in the form of %s', async (_, connection) => {
  expect(await read(scriptedClient([connection]))).toEqual([1, 2, 3])
})

test('a stream that is cut goes on after the last number, in the query and in Last-Event-ID', async () => {
  const client = scriptedClient([
    { pieces: [lines(1, 2), lines(3).slice(0, 40)], afterwards: 'break' },
    { pieces: [lines(3)] },
    { pieces: [lastLine(4)] },
  ])
  expect(await read(client)).toEqual([1, 2, 3, 4])
  expect(client.places()).toEqual([null, '2', '3'])
  expect(client.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '3'])
})

test('a stream begins after the number that the caller names', async () => {
  const client = scriptedClient([{ pieces: [lines(4)] }, { pieces: [lastLine(5)] }])
  expect(await read(client, { after_sequence: 3 })).toEqual([4, 5])
  expect(client.places()).toEqual(['3', '4'])
})

test('a deployment that replays from the beginning repeats no event', async () => {
  const client = scriptedClient([{ pieces: [lines(1, 2)] }, { pieces: [lines(1, 2, 3), lastLine(4)] }])
  expect(await read(client)).toEqual([1, 2, 3, 4])
})

test('a stream ends when a deployment replays a last event that the reader has seen', async () => {
  const client = scriptedClient([{ pieces: [lines(1, 2), lastLine(3)] }])
  expect(await read(client, { after_sequence: 3 })).toEqual([])
  expect(client.requests).toHaveLength(1)
})

test('a deployment that refuses our parameters is asked without them from then on', async () => {
  const refused = { status: 400, pieces: ['{"code":3,"message":"unknown parameter"}'] }
  const client = scriptedClient([
    { pieces: [lines(1)] },
    refused,
    { pieces: [lines(1, 2)] },
    { pieces: [lines(1, 2), lastLine(3)] },
  ])
  expect(await read(client)).toEqual([1, 2, 3])
  expect(client.places()).toEqual([null, '1', null, null])
})

test('a place that our own service refuses is a failure', async () => {
  const refused = { status: 400, pieces: ['{"code":3,"message":"after_sequence"}'] }
  const client = scriptedClient([refused], { capabilities: new Capabilities({ isComplete: true }) })
  expect(await read(client, { after_sequence: 1 })).toEqual(['invalid_argument'])
  expect(client.requests).toHaveLength(1)
})

test('events that are missing are asked for again', async () => {
  const client = scriptedClient([{ pieces: [lines(1, 4)] }, { pieces: [lines(2, 3, 4), lastLine(5)] }])
  expect(await read(client)).toEqual([1, 2, 3, 4, 5])
  expect(client.places()).toEqual([null, '1'])
})

test('events that are missing twice are reported by a resync, and the stream goes on', async () => {
  const client = scriptedClient([{ pieces: [lines(1, 4)] }, { pieces: [lines(4, 8), lastLine(9)] }])
  expect(await read(client)).toEqual([1, '1 to 4', 4, '4 to 8', 8, 9])
})

test('a resync moves the reader to the first event that is stored', async () => {
  const resync = { after_sequence: 9, first_sequence: 3, last_sequence: 4 }
  const client = scriptedClient([
    { pieces: [`${JSON.stringify({ result: { resync } })}\n`] },
    { pieces: [lines(3), lastLine(4)] },
  ])
  expect(await read(client, { after_sequence: 9 })).toEqual(['9 to 3', 3, 4])
  expect(client.places()).toEqual(['9', '2'])
})

test('a resync is read from a server-sent event, and once when each connection repeats it', async () => {
  const resync = 'event: resync\ndata: {"after_sequence":9,"first_sequence":0,"last_sequence":2}\n\n'
  const client = scriptedClient([
    { type: 'text/event-stream', pieces: [resync] },
    { type: 'text/event-stream', pieces: [resync, lastSse(3)] },
  ])
  expect(await read(client, { after_sequence: 9 })).toEqual(['9 to 0', 3])
})

test('a deployment that counts from 0 loses no event', async () => {
  expect(await read(scriptedClient([{ pieces: [lines(0, 1), lastLine(2)] }]))).toEqual([0, 1, 2])
})

test('events without numbers are read, and a cut among them is a failure', async () => {
  const unnumbered = lines(1, 2).replaceAll(/"sequence":\d,/g, '')
  const client = scriptedClient([{ pieces: [unnumbered] }])
  expect(await read(client)).toEqual(['undefined to undefined', 'undefined to undefined', 'unavailable'])
  expect(client.requests).toHaveLength(1)
})

test('a 204 to a later connection ends the stream', async () => {
  const client = scriptedClient([{ pieces: [lines(1)] }, { status: 204 }])
  expect(await read(client)).toEqual([1])
})

test('the ninth connection in a row without a new event is a failure, after growing waits', async () => {
  const client = scriptedClient([{ pieces: [lines(1)] }, { pieces: [lines(1)], afterwards: 'break' }])
  expect(await read(client)).toEqual([1, 'unavailable'])
  expect(client.requests).toHaveLength(9)
  expect(client.waits.slice(0, 5)).toEqual(client.waits.slice(0, 5).toSorted((a, b) => a - b))
  expect(Math.max(...client.waits)).toBeLessThanOrEqual(5000)
})

test('each new event allows the same number of cuts again', async () => {
  const cut: Scripted = { afterwards: 'break' }
  const script = [1, 2, 3, 4].flatMap((sequence) => [cut, cut, cut, cut, { pieces: [lines(sequence)] }])
  expect(await read(scriptedClient([...script, { pieces: [lastLine(5)] }]))).toEqual([1, 2, 3, 4, 5])
})

test.each([
  [404, '{"code":5,"message":"gone"}', 'not_found'],
  [403, '{"code":7,"message":"no"}', 'permission_denied'],
  [501, '{"code":12,"message":"no"}', 'unimplemented'],
])('a %i to the first or a later connection is a failure at once', async (status, text, code) => {
  expect(await read(scriptedClient([{ status, pieces: [text] }]))).toEqual([code])
  const later = scriptedClient([{ pieces: [lines(1)] }, { status, pieces: [text] }])
  expect(await read(later)).toEqual([1, code])
  expect(later.requests).toHaveLength(2)
})

test.each([
  ['application/json', '{"error":{"code":5,"message":"run <b>x</b>","details":[]}}\n'],
  ['application/json', '{"error":{"code":5,"http_code":404,"message":"run <b>x</b>"}}\n'],
  ['text/event-stream', 'event: error\ndata: {"error":{"code":5,"message":"run <b>x</b>","details":[]}}\n\n'],
  ['text/event-stream', 'event: error\ndata: {"code":5,"message":"run <b>x</b>"}\n\n'],
])('an error in a stream of %s is its failure, without the text', async (type, error) => {
  const client = scriptedClient([{ type, pieces: [type === 'application/json' ? lines(1) : sse(1), error] }])
  const items = client.api.streamAgentRunEvents({ run_id: 'r' })
  await items.next()
  const failure = (await items.next().catch((reason: unknown) => reason)) as ServiceError
  expect([failure.code, failure.message.includes('<b>')]).toEqual(['not_found', false])
  expect(client.requests).toHaveLength(1)
})

test('a transient error in a stream is followed by another connection', async () => {
  const busy = '{"error":{"code":14,"message":"stopping","details":[]}}\n'
  expect(await read(scriptedClient([{ pieces: [lines(1), busy] }, { pieces: [lastLine(2)] }]))).toEqual([1, 2])
})

test('a reply that is not a stream fails at once', async () => {
  const page = scriptedClient([{ type: 'text/html', pieces: ['<html>\n'] }])
  expect(await read(page)).toEqual(['upstream_shape_unknown'])
  expect(page.requests).toHaveLength(1)
})

const mebibyte = 'x'.repeat(1024 * 1024)

test.each<[string, Scripted]>([
  ['a line', { pieces: Array.from({ length: 9 }, () => mebibyte) }],
  ['an event', { type: 'text/event-stream', pieces: Array.from({ length: 9 }, () => `data: ${mebibyte}\n`) }],
])('%s of more than 8 MiB fails at once', async (_, connection) => {
  const client = scriptedClient([connection])
  expect(await read(client)).toEqual(['upstream_shape_unknown'])
  expect(client.requests).toHaveLength(1)
})

test('a connection that is silent for 45 seconds is followed by another one', async () => {
  const client = scriptedClient([{ pieces: [lines(1)], afterwards: 'silence' }, { pieces: [lastLine(2)] }])
  const seen = read(client)
  await settled()
  client.clock.pass(44_999)
  await settled()
  expect(client.requests).toHaveLength(1)
  client.clock.pass(1)
  expect(await seen).toEqual([1, 2])
  expect(client.requests[0]?.signal?.aborted).toBe(true)
})

test('a caller who leaves ends the connection', async () => {
  const client = scriptedClient([{ pieces: [lines(1)], afterwards: 'silence' }])
  for await (const item of client.api.streamAgentRunEvents({ run_id: 'r' })) {
    expect(item.event?.sequence).toBe(1)
    break
  }
  expect(client.requests[0]?.signal?.aborted).toBe(true)
})

test("a stream ends with the reason of the caller's signal", async () => {
  const client = scriptedClient([{ pieces: [lines(1)], afterwards: 'silence' }])
  const leaving = new AbortController()
  const items = client.api.streamAgentRunEvents({ run_id: 'r' }, { signal: leaving.signal })
  await items.next()
  const next = items.next()
  await settled()
  leaving.abort(new Error('enough'))
  await expect(next).rejects.toThrow('enough')
  expect(client.requests[0]?.signal?.aborted).toBe(true)
})

test('a stream ends when the time of its tool call is over', async () => {
  const clock = virtualClock()
  const budget = new Budget({ totalMs: 25_000, clock })
  budget.start()
  const client = scriptedClient([{ pieces: [lines(1)], afterwards: 'silence' }])
  const seen = read(client, {}, { signal: budget.signal, budget })
  await settled()
  clock.pass(25_000)
  expect(await seen).toEqual([1, 'unavailable'])
})
