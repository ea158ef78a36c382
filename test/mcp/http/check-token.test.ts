import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../../app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { watched } from '../../upstream/watched.ts'
import { connectHttp, serveMcp } from './http-server.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** The status and body of a list of tools over HTTP before a deployment that lacks these endpoints. */
async function ask(lacking: readonly string[], tokens: readonly string[], product?: string) {
  return askThrough(reshaped(app.service.direct, ...lacking), tokens, product)
}

async function askThrough(deployment: Send, tokens: readonly string[], product?: string) {
  const send = watched(deployment)
  await using served = await serveMcp(app, {
    apiFor: (token) => createApi({ send, baseUrl: origin, token, retries: 0 }),
    options: product === undefined ? {} : { product },
  })
  const answers = []
  for (const token of tokens) {
    const answer = await fetch(`${served.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
      }),
    })
    answers.push({ status: answer.status, body: await answer.text() })
  }
  return { answers, statuses: answers.map(({ status }) => status), sent: send.log.map(({ path }) => path) }
}

test('a page of a proxy in place of an answer does not call the token invalid', async () => {
  const page = { status: 401, headers: { 'content-type': 'text/html' }, body: '<html><h1>Sign in</h1></html>' }
  await using served = await serveMcp(app, {
    apiFor: (token) => createApi({ send: () => Promise.resolve(page), baseUrl: origin, token, retries: 0 }),
  })
  const answer = await fetch(`${served.base}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('www-authenticate')).toBeNull()
  expect(await answer.text()).toContain('GET /v1/auth/me returned 401')
})

describe('a service that cannot be asked', () => {
  async function door(send: Send) {
    await using served = await serveMcp(app, {
      apiFor: (token) => createApi({ send, baseUrl: origin, token, retries: 0 }),
    })
    const answer = await fetch(`${served.base}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    return { status: answer.status, wait: answer.headers.get('retry-after'), body: await answer.text() }
  }

  test('until a setting is changed is not asked for again', async () => {
    const cause = Object.assign(new Error('not trusted'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const untrusted = await door(() => Promise.reject(cause))
    expect(untrusted).toMatchObject({ status: 503, wait: null })
    expect(untrusted.body).toContain('set NODE_EXTRA_CA_CERTS to the file of its authority')
    const moved = await door(() => Promise.resolve({ status: 301, headers: {}, body: '' }))
    expect(moved).toMatchObject({ status: 503, wait: null })
    expect(moved.body).toContain('redirects are not followed; set TRACEGATE_BASE_URL to the final address')
  })

  test('is asked again when it wants to be', async () => {
    const busy = (headers: Record<string, string>) => () => Promise.resolve({ status: 429, headers, body: '' })
    expect(await door(busy({ 'retry-after': '60' }))).toMatchObject({ status: 503, wait: '60' })
    expect(await door(busy({}))).toMatchObject({ status: 503, wait: '5' })
  })
})

describe.each(['noRoute', 'noPage', 'notBuilt'])('a deployment that answers %s', (style) => {
  test('without auth/me has its tokens checked with the list of workspaces, once a minute', async () => {
    const { statuses, sent } = await ask([`${style}:getMe`], [app.token, app.token, 'tg_wrong'])
    expect(statuses).toEqual([200, 200, 401])
    const each = ['/v1/auth/me', '/v1/workspaces']
    expect(sent).toEqual([...each, ...each])
  })

  test('without the list of workspaces too, with the issues of the pinned product', async () => {
    const lacking = [`${style}:getMe`, `${style}:listWorkspaces`]
    const { statuses } = await ask(lacking, [app.token, 'tg_wrong'], app.productId)
    expect(statuses).toEqual([200, 401])
  })

  test('without any of them says why no token can be checked', async () => {
    const { statuses, answers } = await ask([`${style}:getMe`, `${style}:listWorkspaces`], [app.token])
    expect(statuses).toEqual([503])
    expect(answers[0]?.body).toContain('this deployment offers neither auth/me nor the list of workspaces')
    expect(answers[0]?.body).toContain('TRACEGATE_PRODUCT')
    expect(answers[0]?.body).not.toContain(app.token)
  })
})

/** A deployment whose tokens may not read these paths. */
function forbidding(...paths: readonly string[]): Send {
  return async (request) => {
    const isForbidden = paths.includes(new URL(request.url).pathname)
    const reply = await app.service.direct(request)
    if (!isForbidden || reply.status >= 300) return reply
    return { status: 403, headers: { 'content-type': 'application/json' }, body: '{"code":7,"message":"not yours"}' }
  }
}

test('a token that may not read auth/me is checked with what it may read', async () => {
  const { statuses } = await askThrough(forbidding('/v1/auth/me'), [app.token, 'tg_wrong'])
  expect(statuses).toEqual([200, 401])
  const pinned = forbidding('/v1/auth/me', '/v1/workspaces')
  expect((await askThrough(pinned, [app.token, 'tg_wrong'], app.productId)).statuses).toEqual([200, 401])
})

test('a token that may read nothing that it is checked with is refused, and not told to come back', async () => {
  const { statuses, answers } = await askThrough(forbidding('/v1/auth/me', '/v1/workspaces'), [app.token])
  expect(statuses).toEqual([403])
  expect(answers[0]?.body).toContain('the API token may read neither auth/me nor the list of workspaces')
})

test('a token that is revoked during a session is to be changed where the client keeps it', async () => {
  let isRevoked = false
  const send: Send = async (request) =>
    isRevoked ? { status: 401, headers: {}, body: '{"code":16}' } : await app.service.direct(request)
  await using served = await serveMcp(app, { apiFor: (token) => createApi({ send, baseUrl: origin, token }) })
  await using agent = await connectHttp(`${served.base}/mcp`, app.token, '2025-11-25')
  isRevoked = true
  const { text, isError } = await agent.call('get_workspace_context')
  expect(isError).toBe(true)
  expect(text).toMatch(/next: Ask the user for a valid token .*over HTTP in the Authorization header of the client/)
})
