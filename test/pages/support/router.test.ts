import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { WireRequest } from '../../../src/contract/base/wire.ts'
import { createDoor } from '../../../src/http/door.ts'
import { LATER } from '../../../src/pages/support/document.ts'
import { html } from '../../../src/pages/support/html.ts'
import { factList, layout, note } from '../../../src/pages/support/layout.ts'
import { pageReply } from '../../../src/pages/support/reply.ts'
import { createRouter } from '../../../src/pages/support/router.ts'
import { isSameOrigin } from '../../../src/pages/support/same-origin.ts'
import { tokenField, typedToken } from '../../../src/pages/support/token-field.ts'
import { inaccessible } from '../../axe.ts'
import { chromiumPath, launchBrowser } from '../../browser.ts'

const hostile = `"><script>document.title='run'</script><img src=x onerror="document.title='run'">&amp;`

/** The door with one page that shows a hostile text and what its form sent; `sent` collects the tokens. */
async function door() {
  const sent: (string | undefined)[] = []
  const errors: unknown[] = []
  const pages = createRouter(
    [
      {
        name: 'plain',
        get({ url }) {
          if (url.searchParams.has('bug')) throw new Error('the secret detail')
          const facts = factList([{ label: 'Title', value: hostile }])
          const form = html`<form method="post" action="/plain">
            ${tokenField({ help: hostile })}<input type="hidden" name="t" value=${hostile} /><button>Send</button>
          </form>`
          return pageReply(200, layout({ title: 'Plain' }, html`${note('plain', hostile)}${facts}${form}`))
        },
        post({ form }) {
          sent.push(typedToken(form))
          return pageReply(200, layout({ title: 'Done' }, note('good', form.get('t') ?? '')))
        },
      },
      {
        name: 'slow',
        get: () =>
          pageReply(
            200,
            layout(
              { title: 'Slow' },
              html`<p>at once</p>
                ${LATER}`,
            ),
            {
              later: () => Promise.reject(new Error('the secret detail')),
            },
          ),
      },
      { name: 'still', get: () => pageReply(200, layout({ title: 'Still', wide: true }, note('plain', 'x'))) },
    ],
    (error) => errors.push(error),
  )
  const server = createDoor({
    mcp: (_, outgoing) => void outgoing.end('mcp'),
    pages,
    allowedHosts: ['127.0.0.1'],
    version: '1.2.3',
    log: () => undefined,
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const post = (headers: Record<string, string>, body = 'api_token_once=tg_abc&t=hello') =>
    fetch(`${origin}/plain`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  return { origin, sent, errors, post }
}

test('every page forbids scripts, frames, copies and other origins', async () => {
  const { origin } = await door()
  const replies = await Promise.all(
    ['/plain', '/still', '/plain/deeper', '/plain?bug=1'].map((path) => fetch(origin + path)),
  )
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 404, 500])
  for (const { headers } of replies) {
    const policy = headers.get('content-security-policy')?.split('; ') ?? []
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy.join(' ')).not.toMatch(/unsafe|https?:|\*/)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(headers.get('set-cookie')).toBeNull()
  }
})

test('a bug is reported and the reader does not see its details', async () => {
  const { origin, errors } = await door()
  expect(await (await fetch(`${origin}/plain?bug=1`)).text()).not.toContain('secret detail')
  expect(errors).toMatchObject([{ message: 'the secret detail' }])
})

test('a bug in the part of a page that is sent later is reported, and the reader sees that something is missing', async () => {
  const { origin, errors } = await door()
  const text = await (await fetch(`${origin}/slow`)).text()
  expect(text).toMatch(/<p>at once<\/p>.*The rest of the page could not be made/s)
  expect(text).not.toContain('secret detail')
  expect(errors).toMatchObject([{ message: 'the secret detail' }])
  // Nobody reads the body of a reply to HEAD, so its content is not made.
  expect((await fetch(`${origin}/slow`, { method: 'HEAD' })).status).toBe(200)
  expect(errors).toHaveLength(1)
})

test('only a form of our own origin reaches a page; every other one is refused with a reason', async () => {
  const { origin, post, sent } = await door()
  const accepted: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-origin' },
    { origin },
    { origin, 'sec-fetch-site': 'same-origin' },
  ]
  for (const headers of accepted) expect((await post(headers)).status).toBe(200)
  expect(sent).toEqual(['tg_abc', 'tg_abc', 'tg_abc'])
  const refused: Record<string, string>[] = [
    {},
    { origin: 'null' },
    { origin: 'https://elsewhere.example' },
    // Another program of this machine.
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin },
    { 'sec-fetch-site': 'same-origin', origin: 'https://elsewhere.example' },
  ]
  for (const headers of refused) {
    const reply = await post(headers)
    expect(reply.status).toBe(403)
    expect(await reply.text()).toContain('sent by a page of another site')
  }
  expect(sent).toHaveLength(3)
})

test('a form of our own page that a proxy sends with another Host header is refused with what the operator can do', async () => {
  const { post, sent } = await door()
  const hint = 'the proxy in front of this server has to pass on the Host header of the browser'
  const reply = await post({ 'sec-fetch-site': 'same-origin', origin: 'https://quality.example' })
  expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining(hint)])
  for (const site of ['cross-site', 'same-site']) {
    const foreign = await post({ 'sec-fetch-site': site, origin: 'https://quality.example' })
    expect(await foreign.text()).not.toContain('proxy')
  }
  expect(sent).toEqual([])
})

test('a page that a proxy serves below a path is refused, because its links would lead out of it', async () => {
  const { origin } = await door()
  const open = (prefix: string) => fetch(`${origin}/plain`, { headers: { 'x-forwarded-prefix': prefix } })
  for (const prefix of ['/', '', '/, /']) expect((await open(prefix)).status).toBe(200)
  const refused = await open('/tracegate')
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('Tracegate needs a host name or a port of its own.')
})

test('behind a proxy that ends TLS the host decides, with its port', () => {
  const asked = (host: string, origin: string): WireRequest => ({ method: 'POST', url: '', headers: { host, origin } })
  expect(isSameOrigin(asked('quality.example', 'https://quality.example'))).toBe(true)
  expect(isSameOrigin(asked('quality.example:443', 'https://quality.example'))).toBe(true)
  expect(isSameOrigin(asked('quality.example', 'https://quality.example:8443'))).toBe(false)
  expect(isSameOrigin(asked('', 'https://quality.example'))).toBe(false)
})

test('what is no form, too long a form, or sent to a page without one is refused with a page', async () => {
  const { origin, post, sent } = await door()
  const ours = { 'sec-fetch-site': 'same-origin' }
  expect((await post({ ...ours, 'content-type': 'application/json' }, '{}')).status).toBe(400)
  expect((await post(ours, `t=${'x'.repeat(40_000)}`)).status).toBe(400)
  expect((await fetch(`${origin}/still`, { method: 'POST', headers: ours })).status).toBe(405)
  expect((await fetch(`${origin}/plain`, { method: 'DELETE', headers: ours })).status).toBe(405)
  expect(sent).toEqual([])
})

test('a token is taken as typed, without the white space of copying, and never as two lines', () => {
  const typed = (text: string) => typedToken(new URLSearchParams({ api_token_once: text }))
  expect(typed('  tg_abc\n')).toBe('tg_abc')
  expect(typed('tg_abc\nX-Other: 1')).toBeUndefined()
  expect(typed('')).toBeUndefined()
  expect(typedToken(new URLSearchParams())).toBeUndefined()
})

if (chromiumPath === undefined) console.warn('skipped: no Chromium on this machine (apt-get install chromium)')
test.skipIf(chromiumPath === undefined)(
  'in Chromium, without scripts, hostile text is text and the form arrives, and nothing else is requested',
  async () => {
    const { origin, sent } = await door()
    await using browser = await launchBrowser()
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const requested: string[] = []
    page.on('request', (request) => requested.push(`${request.method()} ${request.url()}`))
    await page.goto(`${origin}/plain`)
    expect(await page.title()).toBe('Plain – Tracegate')
    expect(await page.locator('dd').textContent()).toBe(hostile)
    expect(await page.locator('script, img').count()).toBe(0)
    await page.getByLabel('Your API token').fill('tg_typed')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.note.good')
    expect(await page.locator('.note').innerText()).toBe(hostile)
    expect(sent).toEqual(['tg_typed'])
    expect(requested).toEqual([`GET ${origin}/plain`, `POST ${origin}/plain`])
  },
)

test.skipIf(chromiumPath === undefined)(
  'in Chromium, a page with a form is accessible in light and in dark',
  async () => {
    const { origin } = await door()
    await using browser = await launchBrowser()
    const page = await browser.newPage()
    await page.goto(`${origin}/plain`)
    expect(await inaccessible(page)).toEqual([])
  },
)
