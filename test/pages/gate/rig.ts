import type { AddressInfo } from 'node:net'
import { createApi } from '../../../src/client/client.ts'
import { downloadMatrix } from '../../../src/client/download.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { createDoor } from '../../../src/http/door.ts'
import { createPages } from '../../../src/pages/index.ts'
import { origin as serviceOrigin, startApp, type App } from '../../app.ts'

/** What outsiders and members write: markup that would run, ask for another origin or leave its place. */
export const hostile = `</td></script><script>document.title='run'</script><img src="https://evil.example/x" onerror="document.title='run'">`

export interface GateDesk extends AsyncDisposable {
  app: App
  origin: string
  /** Bugs. */
  errors: unknown[]
  clock: { now: number }
  /** Types the owner's token; `read` then asks with the cookie. */
  signIn(next?: string): Promise<{ reply: Response; read: (path: string) => Promise<Response> }>
}

/** Sends a form of the page's own origin. */
export function postForm(origin: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams(fields)
  return fetch(`${origin}/gate`, { method: 'POST', redirect: 'manual', headers: { origin, ...headers }, body })
}

/**
 * The gate's page at a door, with a product that fails: a verified requirement, one with a failing test of a hostile name,
 * one without a test, a vouched and an unvouched issue with hostile titles, a risk that waits for approval and an
 * exclusion by an agent.
 */
export async function startGate(wrap: (send: Send) => Send = (send) => send): Promise<GateDesk> {
  const app = await startApp()
  await fail(app)
  const errors: unknown[] = []
  const clock = { now: 1000 }
  const client = (token: string) => ({ send: wrap(app.service.direct), baseUrl: serviceOrigin, token })
  const pages = createPages({
    decisions: undefined,
    gate: {
      readerFor: (token) =>
        Promise.resolve({
          api: createApi(client(token)),
          download: (request, format) => downloadMatrix(request, format, client(token)),
        }),
      now: () => clock.now,
    },
    onError: (error) => errors.push(error),
  })
  const server = createDoor({ pages, allowedHosts: ['127.0.0.1'], version: '1.2.3', log: () => undefined })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  // It listens on TCP.
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  return {
    app,
    origin,
    errors,
    clock,
    async signIn(next = '') {
      const reply = await postForm(origin, { api_token_once: app.token, next })
      return {
        reply,
        read: (path: string) =>
          fetch(origin + path, { headers: { cookie: reply.headers.get('set-cookie')?.split(';')[0] ?? '' } }),
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await app.close()
    },
  }
}

/** Makes the product and computes its verdict twice, with a new failure in between. */
async function fail(app: App): Promise<void> {
  const product = `/v1/products/${app.productId}`
  const send = async (method: string, path: string, body?: object, headers = {}) => {
    const reply = await app.request<Record<string, { id: string }>>(method, path, body, headers)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const asAgent = { 'x-svc-via': 'mcp' }
  for (const title of ['The cart adds up', `Orders are kept ${hostile}`, 'Refunds are paid once']) {
    await send('POST', `${product}/requirements`, { title, priority: 'critical', risk: 'high', status: 'approved' })
  }
  const passed = { file_path: 'test/cart.test.ts', suite_path: ['cart'], name: 'adds up [REQ-1]', status: 'PASSED' }
  await send('POST', `${product}/tests:ingest`, { draft: { cases: [passed] } })
  await send('POST', `${product}/quality-gate:compute`, {})
  const failed = { ...passed, name: `keeps ${hostile} [REQ-2]`, status: 'FAILED' }
  await send('POST', `${product}/tests:ingest`, { draft: { cases: [passed, failed] } })
  await app.ingest({ exception: { values: [{ type: 'Hostile', value: hostile }] } }, { fingerprint: ['quiet'] })
  const { issues } = (await send('GET', `${product}/issues`)) as unknown as { issues: { id: string }[] }
  const [first, second] = issues
  await send('POST', `/v1/issues/${first!.id}:setStatus`, { status: 'ignored', note: `noise ${hostile}` }, asAgent)
  await send('POST', `/v1/issues/${second!.id}:setStatus`, { status: 'unresolved' })
  await send('POST', `${product}/quality-gate:compute`, {})
  const reason = `The old cart stays for one more week. ${hostile}`
  await send('POST', `${product}/quality-gate:accept-risk`, { condition_ids: ['failing_tests'], reason })
  await send('POST', `${product}/quality-gate:compute`, {})
}
