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
