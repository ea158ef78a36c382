import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/mcp/http/session-store.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'
import { startApp, type App } from '../../app.ts'
import { waitingTool } from '../call/waiting-tool.ts'
import { serveMcp, type McpServed } from './http-server.ts'

const MINUTE = 60_000

const surface: Surface = {
  tools: [waitingTool(() => Promise.resolve())],
  resources: [],
  templates: [],
  prompts: [],
}

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const stores = { memory: createMemoryStore, 'the database': () => app.service.sessions }

describe.each(Object.entries(stores))('a session in %s', (_, store) => {
  let served: McpServed
  let now: number
  beforeEach(async () => {
    now = Date.now()
    served = await serveMcp(app, { surface, now: () => now, sessions: store() })
  })
  afterEach(() => served[Symbol.asyncDispose]())

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

  test('ends with its stream when 50 newer ones of its token begin, and is forgotten', async () => {
    const stream = (await ask(undefined, await openSession())).text()
    now += MINUTE
    for (let count = 0; count < 50; count += 1) await openSession()
    expect(served.open().sessions).toBe(50)
    expect(await stream).toBe('')
  })
})
