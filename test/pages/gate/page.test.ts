import { expect, test } from 'vitest'
import { replyText, type Send } from '../../../src/contract/base/wire.ts'
import { approvals } from '../../../src/pages/gate/approvals.ts'
import { SESSION_MS } from '../../../src/pages/session/sessions.ts'
import { hostile, postForm } from '../rig.ts'
import { startGate } from './rig.ts'

const signInForm = 'Sign in to read the quality gate.'

test('a session begins with a valid token, shows what was asked for, and ends after an hour or by signing out', async () => {
  await using desk = await startGate()
  const { origin, app, clock } = desk
  expect(await (await fetch(`${origin}/gate?filter=failing`)).text()).toContain(signInForm)

  for (const [token, status] of [
    ['tg_wrong', 401],
    ['two words', 401],
  ] as const) {
    const refused = await postForm(origin, { api_token_once: token })
    const said = await refused.text()
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([status, null])
    expect(said).toContain('Not signed in: ')
    expect(said).not.toContain(token)
  }
  const crossSite = { api_token_once: app.token }
  expect((await postForm(origin, crossSite, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)

  const { reply, read } = await desk.signIn({ next: '?product=1&filter=failing&next=https://evil.example' })
  expect([reply.status, reply.headers.get('location')]).toEqual([
    303,
    '/gate?product=1&filter=failing&next=https%3A%2F%2Fevil.example',
  ])
  const cookie = reply.headers.get('set-cookie') ?? ''
  expect(cookie.split('; ').slice(1)).toEqual(['Path=/', 'Max-Age=3600', 'HttpOnly', 'SameSite=Strict'])
  expect(cookie).not.toContain(app.token)
  expect(await (await read('/gate')).text()).toContain('Not ready to ship')
  clock.now += SESSION_MS - 1
  expect(await (await read('/gate')).text()).toContain('Not ready to ship')
  clock.now += 2
  expect(await (await read('/gate')).text()).toContain(signInForm)

  const second = await desk.signIn()
  const out = await postForm(origin, { do: 'sign-out' }, { headers: { cookie: second.cookie } })
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
  expect(await (await second.read('/gate')).text()).toContain(signInForm)
  expect(desk.errors).toEqual([])
})

test('the session downloads the rows that are shown in each format, as files that the browser does not open', async () => {
  await using desk = await startGate()
  const { read } = await desk.signIn()
  for (const [format, type] of [
    ['csv', 'text/csv'],
    ['markdown', 'text/markdown'],
    ['html', 'text/html'],
    ['needs', 'application/vnd.needs+json'],
  ] as const) {
    const reply = await read(`/gate?export=${format}&filter=failing`)
    const text = await reply.text()
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="traceability\.[a-z.]+"$/)
    expect(reply.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect([text.includes('REQ-2'), text.includes('REQ-1')]).toEqual([true, false])
  }
  const unknown = await read('/gate?release=9.9.9')
  expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('Not shown: ')])
  expect(await (await read('/gate?git_branch=main')).text()).toContain('There is no verdict of this scope yet.')
  expect(desk.errors).toEqual([])
})

test('a risk that waits for approval is named with the command of the second person, while it waits', async () => {
  await using desk = await startGate()
  const { read } = await desk.signIn()
  const { app } = desk
  const { verdict } = await app.api.getGate({ product_id: app.productId })
  const [risk] = verdict.risks ?? []
  const waits = '1 accepted risk waits for the approval of a second person.'
  const shown = await (await read('/gate')).text()
  expect(shown).toContain(waits)
  expect(shown).toContain(`<code>tracegate approve ${risk?.id ?? ''} --product ${app.productId}</code>`)
  const rejected = { risk_id: risk?.id, decision: 'RISK_DECISION_REJECT' }
  const path = `/v1/products/${app.productId}/quality-gate:approve-risk`
  expect(await app.request('POST', path, rejected)).toMatchObject({ status: 200 })
  const decided = await (await read('/gate')).text()
  expect(decided).toContain('Accepted risks')
  expect([decided.includes(waits), decided.includes('tracegate approve')]).toEqual([false, false])
  expect(desk.errors).toEqual([])
})

test.each([
  [{ commit_sha: 'abc1234' }, 'r-1', []],
  [{ git_branch: 'main' }, 'r-1', []],
  [{}, 'r-1; rm -r x', []],
  [{}, '--data', []],
  [
    { release_id: 'v-2', environment_id: 'e-3' },
    'r-1',
    ['tracegate approve r-1 --product 1 --release v-2 --environment e-3'],
  ],
] as const)('of a scope %o the command for risk %s is %o', (scope, id, commands) => {
  const risk = { id, state: 'RISK_STATE_PENDING_APPROVAL' as const }
  expect(approvals([risk], { product_id: '1', ...scope })).toEqual({ waiting: 1, commands })
})

/** A deployment that answers with the required members of a verdict and a matrix, and ignores filters. */
function bare(send: Send): Send {
  return async (request) => {
    const url = new URL(request.url)
    url.searchParams.delete('filter')
    const reply = await send({ ...request, url: url.href })
    if (!url.pathname.includes('quality-gate')) return reply
    const body = JSON.parse(await replyText(reply)) as Record<string, Record<string, unknown>>
    const { verdict, traceability_matrix: matrix } = body
    const condition = { id: 'failing_tests', status: 'CONDITION_STATUS_FAIL', evidence: [{ type: 'test', id: 't-1' }] }
    const less =
      verdict === undefined
        ? { traceability_matrix: { rows: matrix?.['rows'] } }
        : { verdict: { id: verdict['id'], conditions: [condition, { id: 'new_issues' }] } }
    return { ...reply, body: JSON.stringify(less) }
  }
}

test('what a deployment leaves out is not stated, never zero, none or green', async () => {
  await using desk = await startGate(bare)
  const { read } = await desk.signIn()
  const shown = await (await read('/gate?filter=failing')).text()
  const words = shown
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
  for (const said of [
    '? not stated Not decided: 1 blocking condition fails The reason is not stated.',
    'computed at a time that is not stated',
    'Accepted risks Not stated by this deployment.',
    'Exclusions Not stated by this deployment.',
    'Issues nobody vouches for Not stated by this deployment.',
    'Earlier verdicts Not stated by this deployment.',
    'Requirements: not stated',
  ]) {
    expect(words).toContain(said)
  }
  expect(words).not.toMatch(/PASS|none\.|Ready to ship/)
  // The filter is applied to the rows, since the deployment did not.
  expect([words.includes('REQ-2'), words.includes('REQ-3')]).toEqual([true, false])
  expect(desk.errors).toEqual([])
  expect(shown).not.toContain(hostile)
})
