import type { Send } from '../../../src/contract/base/wire.ts'
import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { tokenHeaders } from '../../service/people.ts'
import { openDesk, postForm } from '../rig.ts'

const asksForToken = 'Your API token'

test('a browser that opens the address comes to the board; a program is told that nothing is served', async () => {
  await using desk = await openDesk(await startApp())
  const asked = await fetch(desk.origin, { headers: { accept: 'text/html,*/*' }, redirect: 'manual' })
  expect([asked.status, asked.headers.get('location')]).toEqual([303, '/triage'])
  const followed = await fetch(desk.origin, { headers: { accept: 'text/html' } })
  expect(await followed.text()).toContain(asksForToken)
  expect((await fetch(desk.origin, { headers: { accept: 'application/json' } })).status).toBe(404)
})

test('one sign-in opens every area, and signing out closes all of them', async () => {
  await using desk = await openDesk(await startApp())
  const { reply, read, cookie } = await desk.signIn({ area: 'triage', next: '?status=any' })
  expect(reply.headers.get('location')).toBe('/triage?status=any')
  for (const area of ['triage', 'gate', 'coverage']) {
    const shown = await (await read(`/${area}`)).text()
    expect([area, shown.includes('Sign out'), shown.includes(asksForToken)]).toEqual([area, true, false])
    expect(shown).toMatch(new RegExp(`href="/${area}\\?product=1" aria-current="page"`))
  }
  await postForm(desk.origin, { do: 'sign-out' }, { area: 'coverage', headers: { cookie } })
  for (const area of ['triage', 'gate', 'coverage']) {
    expect(await (await read(`/${area}`)).text()).toContain(asksForToken)
  }
  expect(desk.errors).toEqual([])
})

test('of several products one is chosen, which then stays chosen in every area', async () => {
  const app = await startApp()
  await using desk = await openDesk(app)
  const [workspace] = (await app.api.getMe({})).user.workspaces ?? []
  const made = await app.request('POST', `/v1/workspaces/${workspace?.id ?? ''}/products`, {
    name: 'Second <b>shop</b>',
  })
  expect(made.status).toBe(200)
  const { read } = await desk.signIn()
  const choice = await (await read('/coverage')).text()
  expect(choice).toContain('Choose a product')
  expect(choice).toContain('Second &lt;b>shop&lt;/b>')
  const chosen = await (await read('/coverage?product=2')).text()
  expect(chosen).toContain('href="/gate?product=2"')
  expect(chosen).toContain('All products')
  expect(desk.errors).toEqual([])
})

test('a token that is revoked leads to the sign-in, and the session is over', async () => {
  const app = await startApp()
  await using desk = await openDesk(app)
  const token = (await tokenHeaders(app, {})).authorization.replace('Bearer ', '')
  const { read } = await desk.signIn({ token })
  expect(await (await read('/triage')).text()).toContain('Sign out')
  await app.db.write((rows) => rows.updateTable('token').set({ revoked_at: 1 }).execute())
  const refused = await read('/triage')
  expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, expect.stringContaining('Max-Age=0')])
  expect(await refused.text()).toContain(asksForToken)
  expect(desk.errors).toEqual([])
})

test('a second person sees their own products, and the first person’s session in that browser is over', async () => {
  const app = await startApp()
  await using desk = await openDesk(app)
  await app.ingest({ exception: { values: [{ type: 'Secretive', value: 'of the first person' }] } })
  const first = await desk.signIn()
  expect(await (await first.read('/triage')).text()).toContain('Secretive')
  const stranger = (await tokenHeaders(app, { stranger: true })).authorization.replace('Bearer ', '')
  const reply = await postForm(desk.origin, { api_token_once: stranger }, { headers: { cookie: first.cookie } })
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? ''
  for (const path of ['/triage', `/triage?product=${app.productId}`, '/coverage?product=1', '/gate?product=1']) {
    const shown = await (await fetch(desk.origin + path, { headers: { cookie } })).text()
    expect([path, shown.includes('Secretive')]).toEqual([path, false])
    expect(shown).toMatch(/This token sees no product|Not shown/)
  }
  expect(await (await first.read('/triage')).text()).toContain(asksForToken)
  expect(desk.errors).toEqual([])
})

const inRequestWords = /\b(?:GET|POST|returned [45]\d\d|FIELD_INVALID|TOKEN_INVALID|commit_sha|page_token)\b/

test('what an address asks for in vain is refused in a sentence with the next step', async () => {
  const app = await startApp()
  await app.ingest({ environment: 'production' })
  await using desk = await openDesk(app)
  const { read } = await desk.signIn()
  const cases: [path: string, status: number, reason: string, next: string][] = [
    ['/gate?commit=zzz', 400, 'the commit is not given as 7 to 64 digits and letters', 'Correct the address'],
    [
      `/gate?git_branch=${'b'.repeat(300)}`,
      400,
      'the name of the git branch is longer than 250',
      'Correct the address',
    ],
    ['/gate?page=zzz', 400, 'this page of the list does not exist any more', 'begin again below'],
    ['/triage?page=zzz', 400, 'this page of the list does not exist any more', 'begin again below'],
    ['/coverage?page=zzz', 400, 'this page of the list does not exist any more', 'begin again below'],
    [
      '/gate?environment=nope',
      404,
      'environment not found',
      'You asked for environment = &quot;nope&quot;. Expected: one of',
    ],
    [
      '/triage?product=nope',
      404,
      'product not found',
      'You asked for product = &quot;nope&quot;. Expected: one of My product (1)',
    ],
  ]
  for (const [path, status, reason, next] of cases) {
    const refused = await read(path)
    const text = await refused.text()
    expect([path, refused.status]).toEqual([path, status])
    expect(text).toContain(`Not shown: ${reason}`)
    expect(text).toContain(next)
    expect(text).not.toMatch(inRequestWords)
  }
})

test('a token that is not valid is refused in a sentence with the next step', async () => {
  await using desk = await openDesk(await startApp())
  const { reply } = await desk.signIn({ token: 'tg_wrong' })
  const text = await reply.text()
  expect(reply.status).toBe(401)
  expect(text).toContain('Not signed in: this token is not valid here.')
  expect(text).toContain('Check that it was copied whole')
  expect(text).not.toMatch(inRequestWords)
})

test('a service that does not answer is not taken for one without products', async () => {
  let isAway = false
  const away = { status: 503, headers: { 'retry-after': '3600' }, body: '' }
  await using desk = await openDesk(
    await startApp(),
    (send) => (request) => (isAway ? Promise.resolve(away) : send(request)),
  )
  const { read } = await desk.signIn()
  isAway = true
  const text = await (await read('/gate')).text()
  expect(text).toContain('Not shown: the service does not answer.')
  expect(text).toContain('Load the page again in a moment')
  expect(text).not.toMatch(/sees no product|Choose a product/)
  expect(text).not.toMatch(inRequestWords)
})

test.each(['/gate', '/gate?export=csv'])(
  'a service that takes too long for %s is not taken for a bug of the page',
  async (path) => {
    let isStuck = false
    const wrap =
      (send: Send): Send =>
      (request) =>
        isStuck ? new Promise(() => {}) : send(request)
    await using desk = await openDesk(await startApp(), wrap, { timeoutMs: 3_000 })
    const { read } = await desk.signIn()
    isStuck = true
    const reply = await read(path)
    const text = await reply.text()
    expect([reply.status, text]).toEqual([
      503,
      expect.stringContaining('Not shown: the service did not answer within 3 s.'),
    ])
    expect(text).toContain('Load the page again in a moment')
    expect(desk.errors).toEqual([])
  },
)
