import { Client, InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Api } from '../../src/client/api.ts'
import { serveTransport } from '../../src/mcp/stdio.ts'
import { waitingTool } from './call/waiting-tool.ts'
import { connect, connectClient, defaults, eras } from './clients.ts'

const unreachable = () => Promise.reject(new Error('no call of this test needs the service'))

describe.each(eras)('a client of %s', (era) => {
  test('hears of a tool that does not exist, and of a method that does not', async () => {
    await using agent = await connect(unreachable, { era })
    await expect(agent.call('find_nothing')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Tool find_nothing not found') as string,
    })
    if (!(agent.client instanceof Client)) return
    const unknown = agent.client.request({ method: 'tools/forget' }, z.object({}))
    await expect(unknown).rejects.toMatchObject({ code: -32601 })
  })

  test.each([
    ['list items', { components: Array.from({ length: 10_001 }, () => 'a') }],
    ['members', { filter: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`a${String(at)}`, at])) }],
    ['parts at any depth', { lists: Array.from({ length: 101 }, () => Array.from({ length: 100 }, () => 0)) }],
  ])('that sends more than 10,000 %s is told before they are read', async (_, args) => {
    await using agent = await connect(unreachable, { era })
    expect(await agent.call('find_error_issues', args)).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /^error: the arguments have too many list items and members \(invalid_argument\)\nexpected: at most 10,000 in one call/u,
      ) as string,
    })
  })
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  'a client of %s hears no more of a call that it has cancelled, while the tool goes on',
  async (era) => {
    const { promise: reported, resolve: hear } = Promise.withResolvers<void>()
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>()
    const slow = waitingTool(async (_, context) => {
      context.progress({ done: 1, total: 2, message: 'half of it' })
      await goesOn
      context.progress({ done: 2, total: 2, message: 'all of it' })
    })
    const surface = { tools: [slow], resources: [], templates: [], prompts: [] }
    const [near, far] = InMemoryTransport.createLinkedPair()
    const sent: JSONRPCMessage[] = []
    const send = far.send.bind(far)
    far.send = (message, options) => {
      sent.push(message)
      return send(message, options)
    }
    const handle = serveTransport({ api: () => ({}) as Api, options: defaults, version: '0.0.0-test', surface }, far)
    const client = connectClient(era) as Client
    await client.connect(near)
    const cancelling = new AbortController()
    const call = client.callTool({ name: 'wait_long' }, { signal: cancelling.signal, onprogress: () => hear() })
    await reported
    const before = sent.length
    cancelling.abort()
    await expect(call).rejects.toThrow('abort')
    await client.listTools()
    goOn()
    await client.listTools()
    expect(sent.slice(before).filter((message) => 'method' in message)).toEqual([])
    await client.close()
    await handle.close()
  },
)
