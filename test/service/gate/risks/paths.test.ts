import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createApi } from '../../../../src/client/client.ts'
import { createDoor } from '../../../../src/http/door.ts'
import { createPages } from '../../../../src/pages/index.ts'
import type { Matrix } from '../../../../src/service/gate/traceability/model.ts'
import { origin as serviceOrigin, type App } from '../../../app.ts'
import { tracegate } from '../../../cli/run.ts'
import { blocking, reason, startFailing } from './failing-product.ts'

const dayMs = 86_400_000

test('an accepted risk ends on every path at the same moment: verdicts, matrix, export, page and command', async () => {
  await using product = await startFailing()
  const { app, clock, post, bob } = product
  await using door = await openDoor(app)
  for (const condition of blocking) {
    const { body } = await post('accept-risk', { condition_ids: [condition], reason, ttl_days: 2 })
    await post('approve-risk', { risk_id: body.risk.id }, bob)
  }
  const path = `/v1/products/${app.productId}/quality-gate`
  const covering = {
    read: async () =>
      (await app.request<{ verdict: { active_risk_ids: string[] } }>('GET', path)).body.verdict.active_risk_ids.length >
      0,
    matrix: async () => {
      const { body } = await app.request<{ traceability_matrix: Matrix }>('GET', `${path}/traceability`)
      return body.traceability_matrix.rows.some((row) => row.risk_ids.length > 0)
    },
    export: async () => {
      const headers = { authorization: `Bearer ${app.token}`, accept: 'text/markdown' }
      const needs = await fetch(`${door.origin}${path}/traceability?format=needs`, { headers })
      return !/"risks": \[\]/.test(await needs.text())
    },
    page: async () => (await door.page('/gate')).includes('approved by Bob'),
    command: async () => {
      const env = { TRACEGATE_BASE_URL: door.origin, TRACEGATE_API_TOKEN: app.token, GITHUB_ACTIONS: '', GITLAB_CI: '' }
      return (await tracegate(['gate'], env)).code === 0
    },
  }
  const paths = async () => {
    const { verdict } = (await post('compute')).body
    const others = await Promise.all(Object.entries(covering).map(async ([name, ask]) => [name, await ask()] as const))
    return { computed: verdict.status === 'VERDICT_STATUS_PASS_WITH_RISK', ...Object.fromEntries(others) }
  }
  const all = ['computed', ...Object.keys(covering)]
  expect(await paths()).toEqual(Object.fromEntries(all.map((name) => [name, true])))
  clock.now += 2 * dayMs + 1000
  expect(await paths()).toEqual(Object.fromEntries(all.map((name) => [name, false])))
})

/** The service and the page of the gate at a door, signed in as the owner. */
async function openDoor(app: App) {
  const readerFor = (token: string) =>
    Promise.resolve({
      api: createApi({ send: app.service.direct, baseUrl: serviceOrigin, token }),
      download: () => Promise.reject(new Error('nothing is downloaded here')),
    })
  const prompts = { fixIssue: () => undefined, closeGaps: () => undefined }
  const areas = { readerFor, product: app.productId, prompts }
  const pages = createPages({ decisions: undefined, areas, onError: () => {} })
  const options = { allowedHosts: ['127.0.0.1'], version: '1.2.3', log: () => undefined }
  const server = createDoor({ ...options, pages, service: app.service.handle, mcp: () => undefined })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  // It listens on TCP.
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const body = new URLSearchParams({ api_token_once: app.token })
  const headers = { 'sec-fetch-site': 'same-origin', origin }
  const signedIn = await fetch(`${origin}/gate`, { method: 'POST', headers, body, redirect: 'manual' })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  return {
    origin,
    page: async (path: string) => {
      const html = await (await fetch(origin + path, { headers: { cookie } })).text()
      return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
