import { expect, test } from 'vitest'
import { contract, type EndpointName } from '../../../src/contract/index.ts'
import { replyText } from '../../../src/contract/base/wire.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createAuthenticator } from '../../../src/service/rest/auth.ts'
import type { Handlers } from '../../../src/service/shared/context.ts'
import { createIdempotency } from '../../../src/service/rest/idempotency.ts'
import type { LogEntry } from '../../../src/service/shared/log.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import { createSymbolicator } from '../../../src/service/errors/sourcemaps/symbolicate/symbolicator.ts'
import { createRouter } from '../../../src/service/rest/router.ts'
import { createOpenStreams } from '../../../src/service/rest/streams/open-streams.ts'
import { pending } from '../../../src/service/handlers/pending.ts'
import { origin, startApp, type App } from '../../app.ts'
import { reasonOf } from '../people.ts'

/** A router of its own over the app's database. */
function routerWith(app: App, handlers: Partial<Handlers<EndpointName>>, log?: (entry: LogEntry) => void) {
  const parts = { db: app.db, platform: systemPlatform, log }
  const authenticator = createAuthenticator(parts)
  const send = createRouter({
    ...parts,
    symbolicator: createSymbolicator({ db: app.db, tables: app.dataDir }),
    handlers,
    authenticator,
    idempotency: createIdempotency(parts),
    streams: createOpenStreams(),
    clock: systemClock,
    checkResponses: true,
  })
  return async (method: string, path: string, headers: Record<string, string> = {}) => {
    const reply = await send({
      method,
      url: origin + path,
      headers: { authorization: `Bearer ${app.token}`, ...headers },
    })
    await authenticator.settled()
    return { status: reply.status, body: JSON.parse(await replyText(reply)) as unknown }
  }
}

test('every endpoint of the contract has a handler or answers 501', async () => {
  await using app = await startApp()
  for (const name of Object.keys(contract) as EndpointName[]) {
    const { method, path } = contract[name]
    const reply = await app.request(method, path.replaceAll(/\{\w+\}/g, '999'), method === 'GET' ? undefined : {})
    const isPending = (pending as readonly string[]).includes(name)
    expect([name, reply.status === 501]).toEqual([name, isPending])
    expect([name, reasonOf(reply) === 'NOT_BUILT']).toEqual([name, isPending])
    expect([name, reply.status]).toEqual([name, expect.toSatisfy((status) => [200, 400, 404, 501].includes(status))])
  }
})

test('an unknown path is 404, a known one under another method 501', async () => {
  await using app = await startApp()
  for (const path of ['/v1/nowhere', '/v1/workspaces/', '/v1/products//issues', '/v1/issues/x:explode', '/', '/v1']) {
    expect([path, (await app.request('GET', path)).status]).toEqual([path, 404])
  }
  const reply = await app.request('PATCH', '/v1/workspaces')
  expect([reply.status, reasonOf(reply)]).toEqual([501, 'METHOD_NOT_ALLOWED'])
})

test.each([
  ['GET', '/v1/products/1'],
  ['PUT', '/v1/products/1'],
  ['DELETE', '/v1/products/1'],
  ['GET', '/v1/tokens'],
  ['DELETE', '/v1/tokens/x'],
  ['PUT', '/v1/environments/x'],
  ['POST', '/v1/requirements/x:move'],
])('%s %s needs a web session: a token gets 403, nobody 401', async (method, path) => {
  await using app = await startApp()
  const reply = await app.request(method, path)
  expect([reply.status, reasonOf(reply)]).toEqual([403, 'WEB_SESSION_REQUIRED'])
  expect((await app.request(method, path, undefined, { authorization: undefined })).status).toBe(401)
})

test('uploads ask for their own signature, and neither they nor the contract for a token', async () => {
  await using app = await startApp()
  expect((await app.request('PUT', '/uploads/x', undefined, { authorization: undefined })).status).toBe(403)
  const reply = await app.request('GET', '/openapi.json', undefined, { authorization: undefined })
  expect(reply.body).toMatchObject({ openapi: '3.1.0', paths: { '/v1/auth/me': { get: {} } } })
})

test('an unexpected error is an internal one that tells nothing; the log has it under the request id', async () => {
  await using app = await startApp()
  const entries: LogEntry[] = []
  const send = routerWith(
    app,
    {
      async listWorkspaces() {
        throw new Error('secret detail')
      },
    },
    (entry) => entries.push(entry),
  )
  const reply = await send('GET', '/v1/workspaces', { 'x-request-id': 'r-1' })
  expect(reply).toMatchObject({ status: 500, body: { code: 13, details: [{ reason: 'INTERNAL' }] } })
  expect(JSON.stringify(reply.body)).not.toContain('secret')
  expect(JSON.stringify(reply.body)).toContain('r-1')
  expect(entries).toEqual([
    expect.objectContaining({ level: 'error', requestId: 'r-1', where: 'GET /v1/workspaces', status: 500 }),
  ])
  expect(entries[0]?.error).toContain('secret detail')
  expect(JSON.stringify(entries)).not.toContain(app.token)
})

test('a handler that breaks the contract fails loudly where responses are checked', async () => {
  await using app = await startApp()
  const send = routerWith(app, {
    async listWorkspaces() {
      const pagination = { next_page_token: '', page_size: 50, total_size: 0.5 }
      return { workspaces: [], next_page_token: '', pagination }
    },
  })
  const reply = await send('GET', '/v1/workspaces')
  expect(reply).toMatchObject({ status: 500 })
  expect(JSON.stringify(reply.body)).toContain('listWorkspaces breaks the contract: pagination.total_size')
})

test('a token has 100 requests at once and 20 in each second; the client in this process has no limit', async () => {
  let now = 1_000_000
  await using app = await startApp({ platform: { now: () => now } })
  const request = {
    method: 'GET',
    url: `${origin}/v1/workspaces`,
    headers: { authorization: `Bearer ${app.token}` },
  }
  const statuses = async (count: number, send = app.service.handle) => {
    const replies = await Promise.all(Array.from({ length: count }, () => send(request)))
    // Which one is refused depends on the order in which their tokens were read.
    return replies.map(({ status }) => status).toSorted((a, b) => a - b)
  }
  expect(await statuses(100)).toEqual(Array(100).fill(200))
  const refused = await app.service.handle(request)
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
  expect(await statuses(5, app.service.direct)).toEqual(Array(5).fill(200))
  now += 1000
  expect(await statuses(21)).toEqual([...Array<number>(20).fill(200), 429])
})
