import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import { origin, startApp, type App } from '../../app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { watched } from '../../upstream/watched.ts'
import { serveMcp } from './http-server.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** The status and body of a list of tools over HTTP before a deployment that lacks these endpoints. */
async function ask(lacking: readonly string[], tokens: readonly string[], product?: string) {
  const send = watched(reshaped(app.service.direct, ...lacking))
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
