import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { createMemoryStore } from '../../../src/mcp/http/session-store.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'
import { startApp, type App } from '../../app.ts'
import { virtualClock, type VirtualClock } from '../../virtual-clock.ts'
import { waitingTool } from '../call/waiting-tool.ts'
import { connectHttp, serveMcp, type McpServed } from './http-server.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** How often a server looks for sessions that have ended. */
const SWEEP = 10 * MINUTE

const surface: Surface = {
  tools: [waitingTool(() => Promise.resolve())],
  resources: [],
  templates: [],
  prompts: [],
}

/** Each test has a day of its own, on which the sessions of the others have ended. */
let day = Date.now()
let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const stores = { memory: createMemoryStore, 'the database': () => app.service.sessions }

describe.each(Object.entries(stores))('a session in %s', (_, store) => {
  let served: McpServed
  let clock: VirtualClock
  let now: number
  let isRevoked: boolean
  let isReachable: boolean
  beforeEach(async () => {
    clock = virtualClock()
    now = day += DAY
    isRevoked = false
    isReachable = true
    async function verify(token: string): Promise<void> {
      if (isRevoked) throw new ServiceError('unauthenticated', 'no')
      // Nobody answers.
      if (!isReachable && token !== app.token) await new Promise(() => {})
    }
    served = await serveMcp(app, { surface, clock, now: () => now, sessions: store(), verify })
  })
  afterEach(() => served[Symbol.asyncDispose]())

  async function pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= SWEEP) {
      now += SWEEP
      clock.pass(SWEEP)
      await (await ask({ id: 1, method: 'ping' }, 'no session')).text()
    }
  }

  function ask(message: object | undefined, session?: string): Promise<Response> {
    return fetch(`${served.base}/mcp`, {
      method: message === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${app.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      ...(message && { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
    })
  }

  async function openSession(): Promise<string> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const opened = await ask({ id: 0, method: 'initialize', params })
    await opened.text()
    return opened.headers.get('mcp-session-id') ?? ''
  }

  async function listens(): Promise<void> {
    await expect.poll(() => served.open().streams).toBe(1)
  }

  test.each(['2025-11-25', 'sdk 1.32'] as const)(
    'goes on while a client of %s listens, however long it asks nothing',
    async (era) => {
      await using agent = await connectHttp(`${served.base}/mcp`, app.token, era)
      await listens()
      await pass(120 * MINUTE)
      expect((await agent.call('wait_long')).text).toBe('Waited.')
    },
  )

  test('goes on after the machine has slept, although another one begins first', async () => {
    await using agent = await connectHttp(`${served.base}/mcp`, app.token, '2025-11-25')
    await listens()
    now += 8 * 60 * MINUTE
    await openSession()
    expect((await agent.call('wait_long')).text).toBe('Waited.')
  })

  test('goes on after the machine has slept, although the token of another one cannot be checked', async () => {
    await using other = await connectHttp(`${served.base}/mcp`, 'another-token', '2025-11-25')
    expect(await other.list()).toHaveLength(1)
    await listens()
    await using agent = await connectHttp(`${served.base}/mcp`, app.token, '2025-11-25')
    await expect.poll(() => served.open().streams).toBe(2)
    isReachable = false
    now += 8 * 60 * MINUTE
    expect((await agent.call('wait_long')).text).toBe('Waited.')
  })

  test('ends with its stream when its token is no longer valid', async () => {
    const session = await openSession()
    const stream = (await ask(undefined, session)).text()
    isRevoked = true
    await pass(SWEEP)
    expect(await stream).toBe('')
    isRevoked = false
    expect((await ask({ id: 1, method: 'ping' }, session)).status).toBe(404)
  })

  test('is forgotten by the server when nobody has used it for half an hour', async () => {
    await openSession()
    await using agent = await connectHttp(`${served.base}/mcp`, app.token, '2025-11-25')
    await listens()
    for (let count = 0; count < 3; count += 1) await openSession()
    await pass(20 * MINUTE)
    expect(served.open().sessions).toBe(5)
    await pass(20 * MINUTE)
    expect(served.open().sessions).toBe(1)
    expect((await agent.call('wait_long')).text).toBe('Waited.')
  })

  test('ends with its stream when 50 newer ones of its token begin, and is forgotten', async () => {
    const stream = (await ask(undefined, await openSession())).text()
    now += MINUTE
    for (let count = 0; count < 50; count += 1) await openSession()
    expect(served.open().sessions).toBe(50)
    expect(await stream).toBe('')
  })
})
