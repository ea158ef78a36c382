import { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../../app.ts'
import { tokenHeaders } from '../../service/people.ts'
import { eras, type Connected } from '../clients.ts'
import { addPrincipal, type Principal } from './principals.ts'
import { connectHttp, serveMcp, type McpServed } from './http-server.ts'

let app: App
let server: McpServed
let people: [Principal, Principal]
/** The tokens of all requests that reached the service. */
const tokens = new Set<string | undefined>()
beforeAll(async () => {
  app = await startApp()
  people = [await addPrincipal(app, 'alderwood', 'ALDER'), await addPrincipal(app, 'birchbark', 'BIRCH')]
  const send: Send = (request) => {
    tokens.add(request.headers['authorization'])
    return app.service.direct(request)
  }
  server = await serveMcp(app, {
    apiFor: (token) => createApi({ send, baseUrl: origin, token, via: 'mcp' }),
    options: { toolsets: ['all'], readOnly: false },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await app.close()
})

/** The same numbers in each run (mulberry32). */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Turn {
  agent: Connected
  me: Principal
  other: Principal
  /** What the other one got and this one tries: cursors and confirmations. */
  stolen: { cursor?: string; confirmation?: string }
  /** What this one gets. */
  own: { cursor?: string; confirmation?: string }
}

/** What a caller does; resolves to everything that it got back. */
type Action = (turn: Turn) => Promise<unknown>

const failure = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** A call whose arguments lead to the other one has to fail. */
async function refused({ agent }: Turn, tool: string, args: Record<string, unknown>): Promise<unknown> {
  const answer = await agent.call(tool, args)
  expect(answer).toMatchObject({ isError: true })
  return answer
}

const reads = (turn: Turn, uri: string) => turn.agent.client.readResource({ uri }).catch(failure)

const actions: Readonly<Record<string, Action>> = {
  'list issues': async (turn) => {
    const answer = await turn.agent.call('find_error_issues', { limit: 1 })
    expect(answer.text).toContain(turn.me.mark)
    turn.own.cursor = (answer.structured as { next_cursor?: string }).next_cursor ?? ''
    return answer
  },
  'list requirements': ({ agent }) => agent.call('list_requirements'),
  'read an issue': async ({ agent, me }) => {
    const answer = await agent.call('get_error_issue', { issue: me.issue })
    expect(answer.text).toContain(me.mark)
    return answer
  },
  'read context': ({ agent }) => agent.call('get_workspace_context'),
  'read the gate': ({ agent }) => agent.call('get_quality_gate'),
  'read the issue of the other': (turn) => refused(turn, 'get_error_issue', { issue: turn.other.issue }),
  'fix the issue of the other': (turn) => refused(turn, 'get_fix_context', { issue: turn.other.issue }),
  'name the product of the other': (turn) => refused(turn, 'find_error_issues', { product: turn.other.product }),
  'write to the product of the other': (turn) =>
    refused(turn, 'save_requirement', { product: turn.other.product, title: 'Taken over', body: 'It shall be ours.' }),
  'go on with the page of the other': async (turn) => {
    const { cursor } = turn.stolen
    return turn.agent.call('find_error_issues', { limit: 1, cursor: cursor ?? 'none' })
  },
  'prepare a deletion': async (turn) => {
    const answer = await turn.agent.call('delete_requirement', { requirement: 'REQ-1', reason: 'The user asked.' })
    turn.own.confirmation = /^confirmation: ([\w-]+)$/m.exec(answer.text)?.[1] ?? ''
    return answer
  },
  'confirm what was prepared for the other': (turn) =>
    refused(turn, 'delete_requirement', {
      requirement: 'REQ-1',
      reason: 'The user asked.',
      confirmation: turn.stolen.confirmation ?? 'none',
    }),
  'answer the form of the other': async (turn) => {
    if (!(turn.agent.client instanceof Client)) return undefined
    const params = {
      name: 'delete_requirement',
      arguments: { requirement: 'REQ-1', reason: 'The user asked.' },
      requestState: turn.stolen.confirmation ?? 'none',
      inputResponses: { confirm: { action: 'accept', content: { decision: 'confirm', type_to_confirm: 'REQ-1' } } },
    }
    return turn.agent.client.request({ method: 'tools/call', params }).catch(failure)
  },
  'read a resource': (turn) => reads(turn, `tracegate://error-issue/${turn.me.issue}`),
  'read resources of the other': async (turn) => [
    await reads(turn, `tracegate://error-issue/${turn.other.issue}`),
    await reads(turn, `tracegate://product/${turn.other.product}/gate`),
    await reads(turn, `tracegate://product/${turn.other.product}/coverage-gaps`),
  ],
  'subscribe to the gate of the other': (turn) =>
    turn.agent.client.subscribeResource({ uri: `tracegate://product/${turn.other.product}/gate` }).catch(failure),
  'complete a product': ({ agent }) =>
    agent.client
      .complete({
        ref: { type: 'ref/resource', uri: 'tracegate://product/{product}/gate' },
        argument: { name: 'product', value: '' },
      })
      .catch(failure),
  'call what does not exist': ({ agent }) => agent.client.callTool({ name: 'none', arguments: {} }).catch(failure),
  'list tools': ({ agent }) => agent.list(),
}

const REQUESTS = 1_000
const AT_ONCE = 8

test('in 1,000 interleaved requests of two people, no answer has anything of the other one', async () => {
  const random = seeded(20_261_126)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  await using clients = new AsyncDisposableStack()
  const turns: Turn[] = []
  const got = people.map((): Turn['own'] => ({}))
  for (const [index, me] of people.entries()) {
    const [own, stolen, other] = [got[index]!, got[1 - index]!, people[1 - index]!]
    for (const era of eras) {
      const agent = clients.use(await connectHttp(`${server.base}/mcp`, me.token, era))
      turns.push({ agent, me, other, own, stolen })
    }
  }
  const names = Object.keys(actions)
  const plan = Array.from({ length: REQUESTS }, () => ({ name: pick(names), turn: pick(turns) }))
  const seen: string[] = []
  const work = plan.values()
  const worker = async () => {
    for (const { name, turn } of work) {
      const answer = JSON.stringify([await actions[name]!(turn)])
      const mentions = answer.toLowerCase().includes(turn.other.mark)
      if (mentions) seen.push(`${name} by ${turn.me.mark}: ${answer}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  expect(seen).toEqual([])
  // Every kind of request was made by both, and the attempts had something to try.
  for (const me of people) {
    const done = plan.filter(({ turn }) => turn.me === me).map(({ name }) => name)
    expect(new Set(done).size).toBe(names.length)
  }
  const some = expect.stringMatching(/^[\w-]{8,}/) as string
  expect(got).toEqual(people.map(() => ({ cursor: some, confirmation: some })))
  for (const { token, product } of people) {
    const headers = { authorization: `Bearer ${token}` }
    const listed = await app.request<{ requirements: { title: string }[] }>(
      'GET',
      `/v1/products/${product}/requirements`,
      undefined,
      headers,
    )
    expect(listed.body.requirements).toHaveLength(3)
  }
  expect(tokens).toEqual(new Set(people.map(({ token }) => `Bearer ${token}`)))
  expect(server.errors).toEqual([])
}, 240_000)

test('without a valid token nothing is called, and the operator’s own token is never used', async () => {
  tokens.clear()
  const revoked = await tokenHeaders(app, { revokedAt: 1 })
  const expired = await tokenHeaders(app, { expiresAt: 1 })
  const headers = [{}, { authorization: 'Bearer tg_wrong' }, { authorization: 'Bearer ' }, revoked, expired]
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'find_error_issues', arguments: {} } }
  for (const given of headers) {
    for (const path of ['/mcp', `/mcp/p/${app.productId}`, '/mcp/readonly']) {
      const response = await fetch(server.base + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...given },
        body: JSON.stringify(call),
      })
      expect(response.status).toBe(401)
      expect(await response.text()).not.toContain('issue')
    }
  }
  expect(tokens).not.toContain(`Bearer ${app.token}`)
  expect(server.errors).toEqual([])
})
