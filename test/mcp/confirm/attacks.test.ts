import { Client, InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runConfirmed, readPending, type Deciding } from '../../../src/mcp/call/run-confirmed.ts'
import { createRecentChanges } from '../../../src/mcp/call/recent-changes.ts'
import { errorText } from '../../../src/mcp/result/teach.ts'
import type { ConfirmOptions } from '../../../src/mcp/confirm/options.ts'
import { CONFIRMATION_MS, mintConfirmation, readConfirmation } from '../../../src/mcp/confirm/token.ts'
import { buildServer } from '../../../src/mcp/server.ts'
import { startApp, type App } from '../../app.ts'
import { connect, defaults, type Connected } from '../clients.ts'
import { connectHttp, serveMcp } from '../http/http-server.ts'
import { thingSurface, type Thing } from './things.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const thing: Thing = { text: '', written: [] }
const surface = thingSurface(thing)
let now = Date.parse('2026-11-22T12:00:00Z')
const confirm: ConfirmOptions = { mode: 'ask', secret: () => 'a secret of the operator, long enough', now: () => now }
const key = { secret: confirm.secret(), now: () => now }
const recent = createRecentChanges()
beforeEach(() => {
  thing.text = 'Orders are kept.'
  thing.written = []
  thing.lacking = undefined
})

const args = { thing: 'REQ-12', reason: 'The user asked.' }

const open = (more: Parameters<typeof connect>[1] = {}) =>
  connect(app.api, { surface, confirm, changing: { caller: 'one', recent }, ...more })

/** The confirmation that comes with a preview. */
async function handle(agent: Connected, tool = 'change_things'): Promise<string> {
  const { text } = await agent.call(tool, args)
  return /^confirmation: (?<token>[\w-]+)$/m.exec(text)?.groups?.['token'] ?? 'none'
}

/** The code for the terminal. */
async function code(agent: Connected, tool: string): Promise<string> {
  const { text } = await agent.call(tool, args)
  return /^terminal: tracegate confirm (?<token>[\w-]+)$/m.exec(text)?.groups?.['token'] ?? 'none'
}

async function refused(
  agent: Connected,
  confirmation: string,
  { tool = 'change_things', ...more }: { tool?: string; reason?: string } = {},
) {
  const { text, isError } = await agent.call(tool, { ...args, ...more, confirmation })
  expect({ isError, written: thing.written }).toEqual({ isError: true, written: [] })
  return text
}

describe('a handle', () => {
  test('runs the call that was shown, once', async () => {
    await using agent = await open()
    const confirmation = await handle(agent)
    expect((await agent.call('change_things', { ...args, confirmation })).text).toContain('Cleared.')
    const { nonce } = readConfirmation(key, confirmation)
    expect(thing.written).toEqual([{ reason: args.reason, confirmed: { way: 'handle', nonce } }])
    thing.written = []
    expect(await refused(agent, confirmation)).toContain('this confirmation was used before; nothing was written')
  })

  test('is for this tool, these arguments, this caller and this product', async () => {
    await using agent = await open()
    await using other = await open({ changing: { caller: 'another', recent } })
    await using pinned = await open({ options: { product: app.productId } })
    const confirmation = await handle(agent)
    expect(await refused(agent, await handle(agent, 'delete_thing'))).toContain('is for another tool')
    expect(await refused(agent, confirmation, { reason: 'Another.' })).toContain('not the ones that were shown')
    expect(await refused(other, confirmation)).toContain('was prepared for another caller')
    expect(await refused(pinned, confirmation)).toContain('is for another product')
    // None of this has used it up.
    expect((await agent.call('change_things', { ...args, confirmation })).isError).toBe(false)
  })

  test('ends after five minutes, and when what was shown changes', async () => {
    await using agent = await open()
    const [early, late] = [await handle(agent), await handle(agent)]
    thing.text = 'Orders are deleted.'
    expect(await refused(agent, early)).toContain('text was Orders are kept., is Orders are deleted.')
    thing.text = 'Orders are kept.'
    now += CONFIRMATION_MS
    expect(await refused(agent, late)).toContain('five minutes; nothing was written (confirmation_expired)')
  })

  test('that this server did not sign is refused, and the refusal says how to get a new one', async () => {
    await using agent = await open()
    const confirmation = await handle(agent)
    const facts = readConfirmation(key, confirmation)
    const forged = mintConfirmation({ ...key, secret: 'a secret of another server' }, facts)
    for (const text of [forged, `${confirmation}A`, 'yes', 'true']) {
      const said = await refused(agent, text)
      expect(said).toContain('was not issued by this server, or was changed; nothing was written')
      expect(said).toContain('next: call again without confirmation, and show the user the preview')
    }
  })

  test('is no way round the form of a client that can ask, which gets none', async () => {
    await using silent = await open()
    await using asking = await open({ user: () => ({ action: 'decline' }) })
    expect(await refused(asking, await handle(silent))).toContain('cannot be confirmed by a handle')
    expect(await refused(asking, await code(asking, 'change_things'))).toContain('cannot be confirmed by a handle')
  })
})

describe('the operator', () => {
  test('who allows the page alone gets neither forms nor handles', async () => {
    const only = { ...confirm, mode: 'page' as const }
    await using asking = await open({ confirm: only, user: () => ({ action: 'accept' }) })
    await using silent = await open({ confirm: only })
    await using usual = await open()
    expect(await handle(silent)).toBe('none')
    expect((await asking.call('change_things', args)).text).toContain('(confirmation_required')
    expect(await refused(silent, await handle(usual))).toContain('cannot be confirmed by a handle')
  })

  test('may allow the handle for a decision, but never where the tool allows none', async () => {
    await using usual = await open()
    await using agent = await open({ confirm: { ...confirm, mode: 'handle' } })
    expect(await handle(usual, 'decide_thing')).toBe('none')
    const confirmation = await handle(agent, 'decide_thing')
    expect(await refused(usual, confirmation, { tool: 'decide_thing' })).toContain('cannot be confirmed by a handle')
    expect((await agent.call('decide_thing', { ...args, confirmation })).isError).toBe(false)
    thing.written = []
    expect(await refused(agent, await code(agent, 'approve_thing'), { tool: 'approve_thing' })).toContain('by a handle')
  })

  test('is narrowed by a request, and never widened', async () => {
    await using served = await serveMcp(app, { surface, confirm })
    const connectAs = (mode: string) =>
      connectHttp(`${served.base}/mcp`, app.token, '2025-11-25', { 'x-mcp-confirm': mode })
    await using narrow = await connectAs('page')
    await using wide = await connectAs('handle')
    expect(await handle(narrow)).toBe('none')
    expect(await handle(wide)).not.toBe('none')
    expect(await handle(wide, 'decide_thing')).toBe('none')
    await expect(connectAs('never')).rejects.toThrow('X-MCP-Confirm is one of page, ask, handle')
  })
})

describe('on the page and in a terminal', () => {
  const deciding: Deciding = { surface, confirm, options: defaults }
  const decide = async (token: string, typed = 'REQ-12', way: 'page' | 'terminal' = 'page') => {
    const decision = { token, way, typed, api: app.api, signal: new AbortController().signal }
    const { text, error } = await runConfirmed(decision, deciding)
    return error === undefined ? text : errorText(error, { offers: () => true, pinned: false })
  }

  test('a person confirms what no agent can, after typing what it is about', async () => {
    await using agent = await open()
    const token = await code(agent, 'approve_thing')
    expect(readPending(token, deciding)).toMatchObject({ question: { asks: 'Clear REQ-12 for good?' }, key: 'REQ-12' })
    expect(await decide(token, 'REQ-1')).toContain('what was typed is not REQ-12')
    expect(await decide(token, '')).toContain('(declined')
    expect(thing.written).toEqual([])
    expect(await decide(token)).toContain('Cleared.')
    expect(thing.written).toMatchObject([{ confirmed: { way: 'page' } }])
    expect(await decide(token, 'REQ-12', 'terminal')).toContain('was used before')
    expect(thing.written).toHaveLength(1)
  })

  test('a choice is enough where nothing is lost', async () => {
    await using agent = await open()
    const token = await handle(agent)
    expect(readPending(token, deciding).key).toBeUndefined()
    expect(await decide(token, '', 'terminal')).toContain('Cleared.')
    expect(thing.written).toMatchObject([{ confirmed: { way: 'terminal' } }])
    // The page and the client share what was used.
    thing.written = []
    expect(await refused(agent, token)).toContain('was used before')
  })

  test('nothing is written when the state changed, and nothing is shown of a code that ended', async () => {
    await using agent = await open()
    const token = await code(agent, 'approve_thing')
    thing.text = 'Orders are deleted.'
    expect(await decide(token)).toContain('(state_changed)')
    now += CONFIRMATION_MS
    await expect(decide(token)).rejects.toMatchObject({ code: 'confirmation_expired' })
    expect(() => readPending('x', deciding)).toThrow('was not issued by this server')
    expect(thing.written).toEqual([])
  })

  test('a call that nobody has to confirm any more is refused, and not answered as if it were done', async () => {
    await using agent = await open()
    const token = await code(agent, 'approve_thing')
    thing.lacking = 'It is cleared already.'
    for (const way of ['page', 'terminal'] as const) {
      const text = await decide(token, 'REQ-12', way)
      expect(text).toContain('what the person was shown has changed; nothing was written (state_changed)')
      expect(text).toContain('It is cleared already.')
    }
    expect(thing.written).toEqual([])
    // The agent reads what there is to do instead.
    expect((await agent.call('approve_thing', args)).text).toContain('It is cleared already.')
  })
})

describe('the state of a form', () => {
  /** Sends a call of the 2026-07-28 revision as it is, and resolves to what the server asks or says. */
  async function send(agent: Connected, tool: string, more: Record<string, unknown> = {}, called = args) {
    if (!(agent.client instanceof Client)) throw new Error('a client of the newest revision')
    const params = { name: tool, arguments: called, ...more }
    const result = await agent.client.request({ method: 'tools/call', params }, { allowInputRequired: true })
    const { requestState, content } = result as { requestState?: string; content?: { text: string }[] }
    return { requestState, text: content?.[0]?.text ?? '' }
  }
  const answer = (content?: Record<string, string>, action = 'accept') => ({
    inputResponses: { confirm: { action, ...(content && { content }) } },
  })
  const yes = answer({ decision: 'confirm', type_to_confirm: 'REQ-12' })
  const asking = () => open({ user: () => ({ action: 'cancel' }) })

  test('is for one answer, of its own call', async () => {
    await using agent = await asking()
    const { requestState } = await send(agent, 'delete_thing')
    expect((await send(agent, 'decide_thing', { ...yes, requestState })).text).toContain('is for another tool')
    const other = { ...args, reason: 'Another.' }
    expect((await send(agent, 'delete_thing', { ...yes, requestState }, other)).text).toContain(
      'not the ones that were shown',
    )
    expect((await send(agent, 'delete_thing', { ...yes, requestState: `${requestState}A` })).text).toContain(
      'was not issued',
    )
    expect((await send(agent, 'delete_thing', yes)).text).toContain('was not issued by this server')
    expect((await send(agent, 'delete_thing', { requestState })).text).toContain('the client returned no answer')
    // That was an answer, so the state is used.
    expect((await send(agent, 'delete_thing', { ...yes, requestState })).text).toContain('was used before')
    expect(thing.written).toEqual([])
  })

  test('does not count again after a no, and runs a call once when two answers come at the same time', async () => {
    await using agent = await asking()
    const declined = await send(agent, 'delete_thing')
    const no = { ...answer(undefined, 'decline'), requestState: declined.requestState }
    expect((await send(agent, 'delete_thing', no)).text).toContain('the client answered no')
    expect((await send(agent, 'delete_thing', { ...yes, ...declined })).text).toContain('was used before')
    expect(thing.written).toEqual([])
    const { requestState } = await send(agent, 'delete_thing')
    const both = await Promise.all([1, 2].map(() => send(agent, 'delete_thing', { ...yes, requestState })))
    expect(both.filter(({ text }) => text.includes('Cleared.'))).toHaveLength(1)
    expect(thing.written).toHaveLength(1)
  })
})

test('a client of a revision before 2025-11-25 gets the names of the choices, one that only opens pages no form', async () => {
  /** Speaks the protocol itself; resolves to the first message after the call. */
  async function firstMessage(protocolVersion: string, elicitation: object): Promise<JSONRPCMessage> {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const facts = { api: () => app.api, options: defaults, version: '0', surface, confirm }
    const handle = serveStdio(() => buildServer(facts), { transport: far })
    const messages: JSONRPCMessage[] = []
    const called = Promise.withResolvers<JSONRPCMessage>()
    near.onmessage = (message) => {
      messages.push(message)
      if (messages.length === 2) called.resolve(message)
    }
    await near.start()
    const clientInfo = { name: 'raw', version: '1' }
    const params = { protocolVersion, capabilities: { elicitation }, clientInfo }
    await near.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    await near.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const call = { name: 'change_things', arguments: args }
    await near.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call })
    const message = await called.promise
    await handle.close()
    return message
  }
  expect(await firstMessage('2025-06-18', {})).toMatchObject({
    method: 'elicitation/create',
    params: {
      requestedSchema: {
        properties: {
          decision: {
            type: 'string',
            enum: ['decline', 'confirm'],
            enumNames: ['No, change nothing', 'Yes: Clear REQ-12 for good?'],
          },
        },
      },
    },
  })
  expect(await firstMessage('2025-11-25', { url: {} })).toMatchObject({ id: 2, result: { isError: true } })
})
