import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import type { Send, WireRequest } from '../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../app.ts'
import { connect, eras } from './clients.ts'
import { connectHttp, serveMcp } from './http/http-server.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const meta = {
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
}

/** A client into the service, and the requests that it made. */
function watchedApi(token = app.token) {
  const requests: WireRequest[] = []
  const send: Send = (request) => {
    requests.push(request)
    return app.service.direct(request)
  }
  return { api: createApi({ send, baseUrl: origin, token, via: 'mcp' }), requests }
}

const passedOn = (requests: readonly WireRequest[]) =>
  requests.map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }))

test.each(eras)('without an exporter, the trace of a call of %s is passed on as it came', async (era) => {
  const { api, requests } = watchedApi()
  await using agent = await connect(api, { era })
  await agent.client.callTool({ name: 'find_error_issues', arguments: {}, _meta: meta })
  expect(requests.length).toBeGreaterThan(0)
  expect(passedOn(requests)).toEqual(requests.map(() => meta))
})

test('calls at the same time do not pass on each other’s trace', async () => {
  const { api, requests } = watchedApi()
  await using agent = await connect(api)
  const parents = Array.from({ length: 20 }, (_, at) => `00-${String(at + 1).padStart(32, '0')}-00f067aa0ba902b7-00`)
  await Promise.all(
    [...parents, undefined].map((traceparent) =>
      agent.client.callTool({
        name: 'find_error_issues',
        arguments: {},
        ...(traceparent !== undefined && { _meta: { traceparent } }),
      }),
    ),
  )
  const times = (traceparent: string | undefined) =>
    requests.filter(({ headers }) => headers['traceparent'] === traceparent).length
  const each = requests.length / 21
  expect([...parents, undefined].map(times)).toEqual(Array.from({ length: 21 }, () => each))
})

test.each([
  ['of another form', { traceparent: 'x\r\nauthorization: Bearer y' }],
  ['without a trace', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
  ['that is no text', { traceparent: 7 }],
])('a traceparent %s is not passed on', async (_, _meta) => {
  const { api, requests } = watchedApi()
  await using agent = await connect(api, { era: '2025-11-25' })
  await agent.client.callTool({ name: 'find_error_issues', arguments: {}, _meta })
  expect(passedOn(requests)).toEqual(requests.map(() => ({ traceparent: undefined, tracestate: undefined })))
})

test('over HTTP the header counts where _meta names no trace', async () => {
  const watched: WireRequest[] = []
  await using server = await serveMcp(app, {
    apiFor(token) {
      const { api, requests } = watchedApi(token)
      requests.push = (...more) => watched.push(...more)
      return api
    },
  })
  await using agent = await connectHttp(`${server.base}/mcp`, app.token, '2026-07-28', meta)
  watched.splice(0)
  await agent.call('find_error_issues')
  expect(passedOn(watched)).toContainEqual(meta)
  const other = { traceparent: '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01' }
  watched.splice(0)
  await agent.client.callTool({ name: 'find_error_issues', arguments: {}, _meta: other })
  expect(passedOn(watched)).toContainEqual({ ...other, tracestate: undefined })
})
