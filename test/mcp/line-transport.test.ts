import { PassThrough, Writable } from 'node:stream'
import { parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineTransport } from '../../src/mcp/line-transport.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const

/** A transport with both ends of its streams, and what it has reported. */
async function open(stdout: Writable = new PassThrough()) {
  const stdin = new PassThrough()
  const transport = new LineTransport(stdin, stdout)
  const received: JSONRPCMessage[] = []
  const errors: string[] = []
  let closed = 0
  transport.onmessage = (message) => received.push(message)
  transport.onerror = ({ message }) => errors.push(message)
  transport.onclose = () => (closed += 1)
  await transport.start()
  return { stdin, transport, received, errors, closed: () => closed }
}

const turn = () => new Promise((done) => setImmediate(done))

test('delivers each line as one message, wherever its bytes are divided', async () => {
  const messages = [{ ...ping, method: 'größe/✓' }, ping, { ...ping, id: 'zwei' }]
  const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\r\n`).join(''))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
      const { stdin, received } = await open()
      const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
      edges.slice(1).forEach((end, index) => stdin.write(bytes.subarray(edges[index], end)))
      await turn()
      expect(received).toEqual(messages)
    }),
    { numRuns: 50 },
  )
})

const anyValue = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('2.0', 1, 1.5, 2 ** 60, '', 'ping', null))
const meta = fc.dictionary(fc.constantFrom('progressToken', 'io.modelcontextprotocol/related-task', 'x'), anyValue)
const nearlyMessages = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant('2.0') }, anyValue),
    id: fc.oneof(fc.integer(), fc.string(), anyValue),
    method: fc.oneof({ weight: 5, arbitrary: fc.constant('tools/call') }, anyValue),
    params: fc.oneof(fc.record({ name: anyValue, _meta: fc.oneof(meta, anyValue) }, { requiredKeys: [] }), anyValue),
    result: anyValue,
    error: anyValue,
  },
  { requiredKeys: ['jsonrpc', 'method'] },
)

/** The message of a line, unless the SDK's schema refuses it. */
function judgedBySdk(line: string): JSONRPCMessage[] {
  try {
    return [parseJSONRPCMessage(JSON.parse(line))]
  } catch {
    return []
  }
}

test('accepts and refuses the same messages as the schema of the SDK', async () => {
  const { stdin, received, errors } = await open()
  await fc.assert(
    fc.asyncProperty(nearlyMessages, async (value) => {
      received.length = 0
      errors.length = 0
      const line = JSON.stringify(value)
      stdin.write(`${line}\n`)
      await turn()
      const expected = judgedBySdk(line)
      expect({ received, refused: errors.length }).toEqual({ received: expected, refused: 1 - expected.length })
    }),
    { numRuns: 1_000 },
  )
})

test('reports a message that is none and passes over a line that is no JSON, and reads on', async () => {
  const { stdin, received, errors } = await open()
  stdin.write(`{"jsonrpc":"1.0"}\nno JSON\n\n${JSON.stringify(ping)}\n`)
  await turn()
  expect(errors).toHaveLength(1)
  expect(received).toEqual([ping])
})

test.each([
  ['parameters that are no object', { ...ping, params: null }],
  ['a progress token that is none', { ...ping, params: { _meta: { progressToken: null } } }],
  ['a member that JSON-RPC does not have', { ...ping, id: 'a', trace: 1 }],
  ['another version of JSON-RPC', { ...ping, jsonrpc: '1.0' }],
  ['a method that is no name', { ...ping, method: 7 }],
])('refuses a request with %s, whose client would wait for an answer', async (_, request) => {
  const stdout = new PassThrough()
  const { stdin, received } = await open(stdout)
  stdin.write(`${JSON.stringify(request)}\n`)
  await turn()
  const error = { code: -32_600, message: 'the message is not a valid JSON-RPC request' }
  expect(JSON.parse(String(stdout.read()))).toEqual({ jsonrpc: '2.0', id: request.id, error })
  expect(received).toEqual([])
})

test.each([
  ['an answer', { jsonrpc: '2.0', id: 1, result: 7 }],
  ['a request whose id is none', { ...ping, id: null }],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized', params: [] }],
])('sends nothing in return for %s that is not valid', async (_, message) => {
  const stdout = new PassThrough()
  const { stdin, errors } = await open(stdout)
  stdin.write(`${JSON.stringify(message)}\n`)
  await turn()
  expect([stdout.read(), errors.length]).toEqual([null, 1])
})

test('takes the messages of a batch one after the other', async () => {
  const stdout = new PassThrough()
  const { stdin, received, errors } = await open(stdout)
  stdin.write(`${JSON.stringify([ping, { ...ping, id: 2, params: 7 }, { ...ping, id: 3 }])}\n[]\n`)
  await turn()
  expect(received).toEqual([ping, { ...ping, id: 3 }])
  expect(JSON.parse(String(stdout.read()))).toMatchObject({ id: 2, error: { code: -32_600 } })
  expect(errors).toHaveLength(2)
})

test('closes the connection at a line that does not end', async () => {
  const { stdin, errors, closed } = await open()
  const part = Buffer.alloc(1024 * 1024, ' ')
  for (let sent = 0; sent < 11; sent += 1) stdin.write(part)
  await turn()
  expect(errors).toEqual(['a line of more than 10485760 bytes'])
  expect(closed()).toBe(1)
})

test('closes once when stdin ends, and sends nothing after that', async () => {
  const { stdin, transport, closed } = await open()
  stdin.end()
  stdin.destroy()
  await turn()
  await transport.close()
  expect(closed()).toBe(1)
  await expect(transport.send(ping)).rejects.toThrow('closed')
})

test('closes when stdin had ended before', async () => {
  const stdin = new PassThrough()
  stdin.destroy()
  const transport = new LineTransport(stdin, new PassThrough())
  const closed = new Promise<string>((done) => (transport.onclose = () => done('closed')))
  await transport.start()
  expect(await closed).toBe('closed')
})

test('a message to a slow reader is sent when the reader goes on', async () => {
  const stdout = new PassThrough({ highWaterMark: 10 })
  const { transport } = await open(stdout)
  let sent = false
  const sending = transport.send(ping).then(() => (sent = true))
  await turn()
  expect(sent).toBe(false)
  stdout.resume()
  await sending
})

test('a reader that is gone closes the connection, and every message that waits for it fails', async () => {
  const stdout = new Writable({ highWaterMark: 1, write: () => undefined })
  const { transport, errors, closed } = await open(stdout)
  const sending = [transport.send(ping), transport.send(ping)]
  stdout.destroy(new Error('EPIPE'))
  const outcomes = await Promise.allSettled(sending)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([errors, closed()]).toEqual([['EPIPE'], 1])
})
