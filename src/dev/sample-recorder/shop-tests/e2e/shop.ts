import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test as base } from '@playwright/test'

/** How the shop of a test differs from a good day. */
interface Shop {
  /** What the payment provider says. */
  payments: { state: 'paid' | 'declined'; reason?: string }
  /** Where the shop's server listens. */
  origin: string
}

const dist = join(process.env['SHOP_BUILD'] ?? process.cwd(), 'dist')
const assets = join(dist, 'public/assets')
const visitor = { id: 'cus_1', name: 'Ada Adler', email: 'ada.adler@example.com' }

/** A test with the built shop: its server, its page, and a visitor who has signed in. */
export const test = base.extend<Shop>({
  payments: [{ state: 'paid' }, { option: true }],

  origin: async ({ payments }, use) => {
    const partners = createServer((request, response) => {
      const body = request.url?.startsWith('/payments') ? { id: 'ch_1', ...payments } : {}
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    await once(partners.listen(0, '127.0.0.1'), 'listening')
    const server = startServer(`http://127.0.0.1:${portOf(partners)}`)
    try {
      const [line] = (await once(createInterface(server.stdout!), 'line')) as [string]
      await use(`http://127.0.0.1:${(JSON.parse(line) as { listening: AddressInfo }).listening.port}`)
    } finally {
      server.kill()
      partners.close()
    }
  },

  request: async ({ playwright, origin }, use) => {
    const stranger = await playwright.request.newContext({ baseURL: origin })
    await stranger.post('/api/session', { data: { id: 'visit-1', customer: visitor } })
    await stranger.dispose()
    const request = await playwright.request.newContext({
      baseURL: origin,
      extraHTTPHeaders: { cookie: 'sid=visit-1' },
    })
    await use(request)
    await request.dispose()
  },

  page: async ({ page, request, origin }, use) => {
    await expect(await request.get('/api/session')).toBeOK()
    await page.context().addCookies([{ name: 'sid', value: 'visit-1', url: origin }])
    await page.route('**/assets/*', (route) =>
      route.fulfill({ path: join(assets, route.request().url().split('/').at(-1)!) }),
    )
    await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: startPage() }))
    await page.goto(`${origin}/`)
    await page.waitForSelector('body[data-ready]', { state: 'attached' })
    await use(page)
  },
})

export { expect }

function startServer(partners: string): ChildProcess {
  const file = readdirSync(join(dist, 'server')).find((name) => name.endsWith('.mjs')) ?? ''
  const env = { SHOP_PORT: '0', SHOP_PAYMENTS: `${partners}/payments`, SHOP_MAIL: `${partners}/mail` }
  return spawn(process.execPath, [join(dist, 'server', file)], { stdio: ['ignore', 'pipe', 'ignore'], env })
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** As the server in front of the shop fills it in; nothing is reported from a test. */
function startPage(): string {
  const asset = (start: string) => `/assets/${readdirSync(assets).find((name) => name.startsWith(start))}`
  return readFileSync(join(dist, '../src/web/index.html'), 'utf8')
    .replace('%ENVIRONMENT%', 'staging')
    .replace('%DSN%', '')
    .replace('%SDK%', asset('sdk-'))
    .replace('%APP%', asset('app-'))
}
