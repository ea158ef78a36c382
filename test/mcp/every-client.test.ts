import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishedCommand, servePublished } from '../cli/published.ts'
import type { Served } from '../serve.ts'
import { connectClient, connected, eras, type Connected, type Era, type User } from './clients.ts'
import { connectHttp } from './http/http-server.ts'

/** `tracegate serve` as users start it. Over stdio, `tracegate` is a process of its own in front of it. */
let served: Served
let keys: string[]
beforeAll(async () => {
  served = await servePublished({ env: { TRACEGATE_TOOLSETS: 'all' } })
  await sendCrash()
  const path = `/v1/products/${served.endpoints.product_id}/requirements`
  const created = Array.from({ length: 8 }, (_, index) =>
    served.rest<{ requirement: { key: string } }>('POST', path, { title: `Order ${String(index)} is kept` }),
  )
  keys = (await Promise.all(created)).map(({ requirement }) => requirement.key)
})
afterAll(() => served[Symbol.asyncDispose]())

/** An event as an SDK sends it. */
async function sendCrash(): Promise<void> {
  const { dsn } = served.endpoints
  const { origin, pathname, username } = new URL(dsn)
  const frames = [{ filename: 'src/cart.ts', function: 'total', lineno: 7, in_app: true }]
  const exception = { values: [{ type: 'TypeError', value: 'items is undefined', stacktrace: { frames } }] }
  const event = JSON.stringify({ event_id: 'a'.repeat(32), platform: 'javascript', exception })
  const body = `{}\n{"type":"event"}\n${event}\n`
  const reply = await fetch(`${origin}/api${pathname}/envelope/?sentry_key=${username}`, { method: 'POST', body })
  expect(reply.status).toBe(200)
}

async function connectStdio(era: Era, user: User): Promise<Connected> {
  const { rest, token } = served.endpoints
  const server = {
    command: process.execPath,
    args: [await publishedCommand(), 'stdio'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: served.dataDir,
      TRACEGATE_BASE_URL: new URL(rest).origin,
      TRACEGATE_API_TOKEN: token,
      TRACEGATE_TOOLSETS: 'all',
      TRACEGATE_LOG_LEVEL: 'silent',
    },
    stderr: 'ignore' as const,
  }
  const client = connectClient(era, user)
  if (client instanceof Client) await client.connect(new StdioClientTransport(server))
  else await client.connect(new OlderTransport(server))
  return connected(client, () => client.close())
}

const connectOver = (transport: 'stdio' | 'http', era: Era, user: User) =>
  transport === 'stdio'
    ? connectStdio(era, user)
    : connectHttp(served.endpoints.mcp, served.endpoints.token, era, {}, user)

/** What the first of them was answered, by the question: all have to be answered alike. */
const answers = new Map<string, unknown>()
function asOthers(question: string, answer: unknown): unknown {
  if (!answers.has(question)) answers.set(question, answer)
  return answers.get(question)
}

const doors = (['stdio', 'http'] as const).flatMap((transport) => eras.map((era) => [transport, era] as const))

describe.each(doors)('over %s a client of %s', (transport, era) => {
  let agent: Connected
  let shown: string[]
  beforeAll(async () => {
    shown = []
    agent = await connectOver(transport, era, ({ message, requestedSchema }) => {
      shown.push(message)
      const key = /REQ-\d+/.exec(message)?.[0] ?? ''
      const content: Record<string, string> = { decision: 'confirm' }
      if ('type_to_confirm' in requestedSchema.properties) content['type_to_confirm'] = key
      return { action: 'accept', content }
    })
  })
  afterAll(() => agent[Symbol.asyncDispose]())

  test('is told who answers, what it can, and how to treat text of events', () => {
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'tracegate' })
    expect(Object.keys(agent.client.getServerCapabilities() ?? {})).toEqual(
      expect.arrayContaining(['tools', 'resources', 'prompts', 'completions']),
    )
    expect(agent.instructions()).toBe(asOthers('instructions', agent.instructions()))
    expect(agent.instructions()).toContain('untrusted')
  })

  test('sees the same tools, resources and prompts as every other client', async () => {
    const tools = (await agent.list()).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    // Over HTTP no tool reads files of the server's machine.
    expect(tools).toEqual(asOthers(`tools over ${transport}`, tools))
    const { resources } = await agent.client.listResources()
    const addresses = resources.map(({ uri, mimeType }) => `${uri} ${String(mimeType)}`)
    expect(addresses).toEqual(asOthers('resources', addresses))
    const { resourceTemplates } = await agent.client.listResourceTemplates()
    const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate)
    expect(templates).toEqual(asOthers('templates', templates))
    const prompts = (await agent.client.listPrompts()).prompts.map(({ name, arguments: given }) => ({ name, given }))
    expect(prompts).toEqual(asOthers('prompts', prompts))
  })

  test('gets the result of a tool in both forms, and its text marked as untrusted', async () => {
    const { text, structured, isError, meta } = await agent.call('find_error_issues')
    expect(isError).toBe(false)
    expect(meta['tracegate/integrity']).toBe('untrusted')
    const { data } = structured as { data: { rows: { id: string; title: string }[] } }
    expect(data.rows).toHaveLength(1)
    expect(text).toContain(data.rows[0]?.id)
    expect(text).toContain('items is undefined')
  })

  test('goes from the list of errors to what fixes one of them', async () => {
    const { structured } = await agent.call('find_error_issues')
    const { data } = structured as { data: { rows: { id: string }[] } }
    const { text, isError } = await agent.call('get_fix_context', { issue: data.rows[0]?.id })
    expect(isError).toBe(false)
    expect(text).toContain('src/cart.ts')
  })

  test('reads a resource that a template describes, and is told which one does not exist', async () => {
    const product = served.endpoints.product_id
    await served.rest('POST', `/v1/products/${product}/quality-gate:compute`, {})
    const { contents } = await agent.client.readResource({ uri: `tracegate://product/${product}/gate` })
    expect(JSON.stringify(contents)).toContain('(computed just now)')
    await expect(agent.client.readResource({ uri: `tracegate://product/${product}/nothing` })).rejects.toThrow(
      'nothing',
    )
  })

  test('gets a prompt with its argument, and values that complete the argument', async () => {
    const { completion } = await agent.client.complete({
      ref: { type: 'ref/prompt', name: 'triage_errors' },
      argument: { name: 'product', value: '' },
    })
    expect(completion.values).toHaveLength(1)
    const given = { product: completion.values[0] ?? '' }
    const { messages } = await agent.client.getPrompt({ name: 'triage_errors', arguments: given })
    expect(JSON.stringify(messages)).toContain(given.product)
  })

  test('is told in words which argument is wrong, and which tool is unknown by an error of the protocol', async () => {
    const { text, isError } = await agent.call('find_error_issues', { status: 'broken' })
    expect(isError).toBe(true)
    expect(text).toContain('expected: status: unresolved | resolved | ignored | any')
    await expect(agent.call('find_everything')).rejects.toMatchObject({ code: -32_602 })
  })

  test('writes after its user has confirmed the form with the facts', async () => {
    const saved = await agent.call('save_requirement', { title: `Carts of ${transport} ${era} are kept` })
    const key = /REQ-\d+/.exec(saved.text)?.[0]
    const removed = await agent.call('delete_requirement', { requirement: key, reason: 'Only a trial.' })
    expect(removed.text).toContain(`Deleted ${String(key)}`)
    expect(shown).toEqual([expect.stringContaining(String(key))])
  })

  test('may cancel a call, and the next ones are answered', async () => {
    const stop = new AbortController()
    const [asked, options] = [{ name: 'get_workspace_context', arguments: {} }, { signal: stop.signal }]
    const { client } = agent
    const call = client instanceof Client ? client.callTool(asked, options) : client.callTool(asked, undefined, options)
    stop.abort('no longer needed')
    await expect(call).rejects.toThrow('no longer needed')
    expect((await agent.call('get_workspace_context')).isError).toBe(false)
  })

  test('makes many calls at once, and each gets its own answer', async () => {
    const found = await Promise.all(keys.map((requirement) => agent.call('get_requirement', { requirement })))
    found.forEach(({ text }, index) => expect(text).toContain(`Order ${String(index)} is kept`))
  })
})
