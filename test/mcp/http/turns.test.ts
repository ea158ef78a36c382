import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { serveMcp, type McpServed } from './http-server.ts'

const callers = 40
const callsOfEach = 4

let app: App
let server: McpServed
beforeAll(async () => {
  app = await startApp()
  await app.ingest({})
  server = await serveMcp(app, { perToken: callers })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await app.close()
})

const revision = '2026-07-28'
const call = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'get_workspace_context',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

/** Resolves to the status once the whole answer has arrived. */
function callTool(agent: Agent): Promise<number> {
  const headers = {
    authorization: `Bearer ${app.token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': revision,
    'mcp-method': 'tools/call',
    'mcp-name': 'get_workspace_context',
  }
  return new Promise((resolve, reject) => {
    request(`${server.base}/mcp`, { method: 'POST', agent, headers }, (incoming) => {
      incoming.resume().once('end', () => resolve(incoming.statusCode ?? 0))
    })
      .once('error', reject)
      .end(call)
  })
}

test('of many who call without a pause, each is served before another has been served twice more', async () => {
  const served = Array.from({ length: callers }, () => 0)
  let ahead = 0
  const callOften = async (_: unknown, caller: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let made = 1; made <= callsOfEach; made += 1) {
      expect(await callTool(agent)).toBe(200)
      served[caller] = made
      ahead = Math.max(ahead, made - Math.min(...served))
    }
    agent.destroy()
  }
  await Promise.all(served.map(callOften))
  expect(ahead).toBeLessThanOrEqual(2)
})
