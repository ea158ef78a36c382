import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import type { CallRecord } from '../../../src/mcp/call/call-tool.ts'
import { startApp, type App } from '../../app.ts'
import { connect } from '../clients.ts'
import { serveMcp } from '../http/http-server.ts'
import { cancelled, counted, countSurface, working, type Count } from './count-surface.ts'
import { rawClient, rawHttpClient, type RawClient } from './raw-client.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const count: Count = { reading: working, cancelled: [] }
const surface = countSurface(count)
beforeEach(() => {
  count.reading = working
  count.cancelled = []
})

async function open(door: 'stdio' | 'HTTP'): Promise<RawClient> {
  if (door === 'stdio') return rawClient(app.api, { surface })
  const served = await serveMcp(app, { surface })
  return { ...rawHttpClient(`${served.base}/mcp`, app.token), [Symbol.asyncDispose]: served[Symbol.asyncDispose] }
}

const serverInfo = { 'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'tracegate' }) as unknown }
const head = {
  taskId: 'count-1',
  createdAt: '2026-11-23T03:00:00.000Z',
  lastUpdatedAt: '2026-11-23T03:00:01.000Z',
  ttlMs: 60_000,
  pollIntervalMs: 500,
}
const call = { name: 'start_count', arguments: {} }
const missing = {
  code: -32_021,
  data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
}

describe.each(['stdio', 'HTTP'] as const)('a client over %s', (door) => {
  test('gets a task for what its call started, and nothing else', async () => {
    await using client = await open(door)
    const { result } = await client.request('tools/call', call)
    expect(result).toEqual({
      resultType: 'task',
      ...head,
      status: 'working',
      statusMessage: 'counting: 3 of 10',
      _meta: serverInfo,
    })
  })

  test('reads the task while it is working and once it has its result', async () => {
    await using client = await open(door)
    expect((await client.request('tasks/get', { taskId: 'count-1' })).result).toEqual({
      resultType: 'complete',
      ...head,
      status: 'working',
      statusMessage: 'counting: 3 of 10',
      _meta: serverInfo,
    })
    count.reading = counted()
    expect((await client.request('tasks/get', { taskId: 'count-1' })).result).toEqual({
      resultType: 'complete',
      ...head,
      status: 'completed',
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: expect.stringContaining('Counted to 10.') as unknown }],
        structuredContent: expect.objectContaining({ data: { id: 'count-1', counted: 10 } }) as unknown,
        _meta: { 'tracegate/integrity': 'team' },
      },
      _meta: serverInfo,
    })
  })

  test('reads a failure as a completed task with an error of the tool', async () => {
    await using client = await open(door)
    count.reading = counted(true)
    const { result } = await client.request('tasks/get', { taskId: 'count-1' })
    expect(result).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  test('cancels a task, and is acknowledged for one that has ended', async () => {
    await using client = await open(door)
    const acknowledged = { result: { resultType: 'complete', _meta: serverInfo } }
    expect(await client.request('tasks/cancel', { taskId: 'count-1' })).toMatchObject(acknowledged)
    expect(count.cancelled).toEqual(['count-1'])
    count.reading = cancelled
    expect(await client.request('tasks/cancel', { taskId: 'count-1' })).toMatchObject(acknowledged)
    expect(count.cancelled).toEqual(['count-1'])
    const { result } = await client.request('tasks/get', { taskId: 'count-1' })
    expect(result).toMatchObject({ status: 'cancelled' })
  })

  test('is acknowledged for answers that no task asked for', async () => {
    await using client = await open(door)
    const { result } = await client.request('tasks/update', { taskId: 'count-1', inputResponses: { any: {} } })
    expect(result).toEqual({ resultType: 'complete', _meta: serverInfo })
  })

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'gets -32602 from %s for an unknown task',
    async (method) => {
      await using client = await open(door)
      const { error } = await client.request(method, { taskId: 'count-2' })
      expect(error).toEqual({ code: -32_602, message: 'this task does not exist, or your token may not read it' })
    },
  )

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('needs the extension for %s', async (method) => {
    await using client = await open(door)
    const { error } = await client.request(method, { taskId: 'count-1' }, { elicitation: {} })
    expect(error).toMatchObject(missing)
    expect(count.cancelled).toEqual([])
  })

  test('needs the extension to ask for notifications of tasks', async () => {
    await using client = await open(door)
    const asked = { notifications: { taskIds: ['count-1'] } }
    expect((await client.request('subscriptions/listen', asked, {})).error).toMatchObject(missing)
  })

  test('gets the ordinary result without the extension, or when the call started nothing', async () => {
    await using client = await open(door)
    const plain = await client.request('tools/call', call, {})
    expect(plain.result).toMatchObject({ resultType: 'complete', structuredContent: { data: { id: 'count-1' } } })
    const idle = await client.request('tools/call', { ...call, arguments: { idle: true } })
    expect(idle.result).toMatchObject({ resultType: 'complete', structuredContent: { answer: 'Nothing to count.' } })
  })

  test('reads the tasks extension in the server capabilities', async () => {
    await using client = await open(door)
    const { result } = await client.request('server/discover', {})
    expect(result).toMatchObject({ capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } })
  })
})

test('a surface without the tool has no tasks', async () => {
  await using client = await rawClient(app.api, { surface, options: { readOnly: true } })
  const { result } = await client.request('server/discover', {})
  expect(JSON.stringify(result)).not.toContain('tasks')
  expect((await client.request('tasks/get', { taskId: 'count-1' })).error).toMatchObject({ code: -32_601 })
})

test('a client of 2025-11-25 is offered no tasks', async () => {
  await using agent = await connect(app.api, { surface, era: '2025-11-25' })
  expect(JSON.stringify(agent.client.getServerCapabilities())).not.toContain('tasks')
  expect(await agent.call('start_count')).toMatchObject({ structured: { data: { id: 'count-1' } } })
})

test('a task that cannot be read now leaves the call its ordinary result', async () => {
  await using client = await rawClient(app.api, { surface: failing(new ServiceError('unavailable', 'down')) })
  const { result } = await client.request('tools/call', call)
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { answer: 'Started.' } })
})

test('a failure to read a task is an internal error with the words of the catalogue', async () => {
  await using client = await rawClient(app.api, { surface: failing(new ServiceError('unavailable', 'down')) })
  const { error } = await client.request('tasks/get', { taskId: 'count-1' })
  expect(error).toMatchObject({ code: -32_603, message: expect.stringContaining('upstream_unavailable') as unknown })
})

test('a bug in a task goes to the operator, not to the client', async () => {
  const bugs: unknown[] = []
  const broken = failing(new TypeError('secret at /srv/db'))
  await using client = await rawClient(app.api, { surface: broken, onBug: (error, where) => bugs.push([where, error]) })
  const { error } = await client.request('tasks/get', { taskId: 'count-1' })
  expect(error?.message).toBe('error: something broke inside Tracegate (internal, not retryable)')
  expect(bugs).toEqual([['tasks/get', expect.any(TypeError)]])
})

test('requests about tasks are logged without the id', async () => {
  const records: CallRecord[] = []
  await using client = await rawClient(app.api, { surface, onCall: (record) => records.push(record) })
  await client.request('tasks/get', { taskId: 'count-1' })
  await client.request('tasks/cancel', { taskId: 'count-2' })
  expect(records).toMatchObject([
    { tool: 'tasks/get', outcome: 'ok' },
    { tool: 'tasks/cancel', outcome: 'not_found' },
  ])
})

/** The surface with a task that cannot be read. */
function failing(error: Error) {
  const broken: Count = {
    get reading(): never {
      throw error
    },
    cancelled: [],
  }
  return countSurface(broken)
}
