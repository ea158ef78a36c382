import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { createDoor } from '../../src/http/door.ts'
import type { ConfirmOptions } from '../../src/mcp/confirm/options.ts'
import { createDecisions } from '../../src/pages/confirm/decisions.ts'
import { confirmPath } from '../../src/pages/confirm/path.ts'
import { createPages } from '../../src/pages/index.ts'
import { surface } from '../../src/surface.ts'
import { origin as serviceOrigin, type App } from '../app.ts'
import { connect, type Connected, type Era, type User } from '../mcp/clients.ts'
import { startSampleApp } from '../sample-app.ts'
import { tokenHeaders } from '../service/people.ts'

let app: App
let bob: string
let origin: string
let close: () => Promise<void>

const options = { toolsets: ['default', 'approvals'], readOnly: false }
const confirm: ConfirmOptions = {
  mode: 'ask',
  secret: () => 'a secret of the operator, long enough',
  pageLink: (code) => Promise.resolve(origin + confirmPath(code)),
}

beforeAll(async () => {
  app = await startSampleApp()
  const headers = await tokenHeaders(app, { member: 'Bob', scopes: ['gate:approve'] })
  bob = headers.authorization.replace('Bearer ', '')
  const apiFor = (token: string) => createApi({ send: app.service.direct, baseUrl: serviceOrigin, token })
  const decisions = createDecisions({ surface, options, confirm }, apiFor)
  const pages = createPages({ decisions, onError: (error) => expect.fail(String(error)) })
  const server = createDoor({ pages, allowedHosts: ['127.0.0.1'], version: '1.2.3', log: () => undefined })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  // It listens on TCP.
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  close = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    await app.close()
  }
}, 120_000)
afterAll(() => close())

/** What the page says after a person has typed their token and the key. */
async function decideOnPage(link: string, token: string, typed: string): Promise<string> {
  const body = new URLSearchParams({ t: new URL(link).searchParams.get('t') ?? '', api_token_once: token, typed })
  const headers = { 'sec-fetch-site': 'same-origin', origin }
  const reply = await fetch(`${origin}/confirm`, { method: 'POST', headers, body, redirect: 'error' })
  return (await reply.text()).replaceAll(/<style>.*<\/style>|<[^>]*>/gs, ' ').replaceAll(/\s+/g, ' ')
}

const linkIn = (text: string) => /http\S+confirm\?t=\S+/.exec(text)?.[0] ?? ''

const says =
  (agree: string): User =>
  () => ({
    action: 'accept',
    content: { decision: 'confirm', type_to_confirm: agree },
  })

async function inChat<T>(era: Era, user: User | undefined, work: (agent: Connected) => Promise<T>): Promise<T> {
  await using agent = await connect(app.api, { era, options, confirm, ...(user && { user }) })
  return await work(agent)
}

async function status(): Promise<string> {
  return inChat('2026-07-28', undefined, async (agent) => (await agent.call('compute_quality_gate')).text)
}

test('the sample is released with risks that one person accepts in chat and another approves on the page, and a new failure blocks it again', async () => {
  const { conditions = [] } = (await app.api.computeGate({ product_id: app.productId })).verdict
  const blocking = conditions
    .filter((one) => one.status === 'CONDITION_STATUS_FAIL' && one.severity === 'CONDITION_SEVERITY_BLOCKING')
    .map(({ id }) => id)
  expect(blocking).toEqual(expect.arrayContaining(['critical_coverage', 'failing_tests']))
  for (const [index, blocker] of blocking.entries()) {
    const era = index % 2 === 0 ? '2026-07-28' : '2025-11-25'
    const args = { blocker, reason: 'The release only changes colours; the team mends it next week.' }
    const { text } = await inChat(era, says(blocker), (agent) => agent.call('accept_gate_risk', args))
    expect(text).toContain(`Accepted the risk of condition ${blocker}`)
    expect(text).toContain('The gate is FAIL')
    expect(await decideOnPage(linkIn(text), app.token, blocker)).toContain('a second person has to')
    expect(await status()).toMatch(/^FAIL/)
    const approval = await inChat(era, undefined, (agent) => agent.call('approve_gate_risk', { risk: blocker }))
    expect(await decideOnPage(linkIn(approval.text), bob, blocker)).toContain(`Approved the risk of ${blocker}`)
  }
  const passed = await status()
  expect(passed).toMatch(/^PASS_WITH_RISK: /)
  expect(passed).toContain('accepted by Owner and approved by Bob')
  const cases = [
    { file_path: 'test/new.test.ts', suite_path: [], name: 'breaks', status: 'RESULT_STATUS_FAILED' as const },
  ]
  await app.api.ingestTests({ product_id: app.productId, draft: { cases }, run: { environment: 'ci' } })
  const failed = await status()
  expect(failed).toMatch(/^FAIL: 1 blocking condition fails: failing_tests/)
}, 120_000)
