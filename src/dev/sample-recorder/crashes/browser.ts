import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Browser, chromium, type Route } from 'playwright-core'
import { Catalogue } from '../shop/catalogue/catalogue.ts'
import { feed } from '../shop/catalogue/feed.ts'
import { format } from '../shop/pricing/money.ts'
import { search } from '../shop/search/search.ts'
import { placeholderKey, placeholderProduct } from '../../../service/sample/recording.ts'
import type { ApiAnswer, BrowserScenario } from './browser-scenarios.ts'
import type { Build } from './build.ts'
import type { Capture } from './capture.ts'
import { person, visitorUserAgent } from './people.ts'
import { shopOrigin } from './scenario.ts'

/** The path of the browser used for recording. */
export const chromiumPath = '/usr/bin/chromium'

const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const args = [...quiet, '--disable-component-update', '--disable-sync']

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args })
}

const reportsOrigin = 'https://reports.shop.example'

export interface Visit {
  browser: Browser
  build: Build
  environment: string
  scenario: BrowserScenario
  visitor: number
  capture: Capture
}

/** Lets one visitor run into the bug; the capture receives what the page reports. */
export async function visit({ browser, build, environment, scenario, visitor, capture }: Visit): Promise<void> {
  const context = await browser.newContext({
    userAgent: visitorUserAgent(visitor, browser.version().split('.')[0]),
    locale: 'en-GB',
  })
  try {
    context.setDefaultTimeout(10_000)
    const page = await context.newPage()
    // No request of the page leaves this process, neither the shop's nor the SDK's.
    await context.route('**/*', (route) => answerPage(route, { build, environment, scenario, visitor, capture }))
    if (scenario.before) await page.addInitScript(scenario.before)
    await page.goto(shopOrigin(environment) + (scenario.page ?? '/'), { waitUntil: 'load' })
    if (scenario.act) {
      await page.waitForSelector('body[data-ready]', { state: 'attached' })
      await scenario.act(page)
    }
    await capture.arrival(scenario.name)
  } finally {
    await context.close()
  }
}

async function answerPage(route: Route, visit: Omit<Visit, 'browser'>): Promise<void> {
  const request = route.request()
  const url = new URL(request.url())
  if (url.origin === reportsOrigin) {
    visit.capture.accept(url.pathname + url.search, await request.allHeaders(), request.postData() ?? '')
    return route.fulfill({ json: {}, headers: { 'access-control-allow-origin': '*' } })
  }
  if (url.origin !== shopOrigin(visit.environment)) return route.abort()
  if (url.pathname.startsWith('/assets/'))
    return route.fulfill({ path: join(visit.build.assets, url.pathname.slice(8)) })
  if (url.pathname.startsWith('/api/')) return answerApi(route, url, visit)
  return route.fulfill({ contentType: 'text/html', body: await renderPage(visit) })
}

async function renderPage({ build, environment, scenario }: Omit<Visit, 'browser'>): Promise<string> {
  const template = await readFile(join(build.workspace, 'src/web/index.html'), 'utf8')
  const html = template
    .replace('%ENVIRONMENT%', environment)
    .replace('%DSN%', `${reportsOrigin.replace('//', `//${placeholderKey}@`)}/${placeholderProduct}`)
    .replace('%SDK%', `/assets/${build.sdk}`)
    .replace('%APP%', `/assets/${build.app}`)
  return scenario.html?.(html) ?? html
}

async function answerApi(route: Route, url: URL, { scenario, visitor }: Omit<Visit, 'browser'>): Promise<void> {
  const { status = 200, body, delayMs = 0 } = scenario.api?.[url.pathname] ?? goodDay(url, visitor)
  await wait(delayMs)
  if (typeof body === 'string') await route.fulfill({ status, contentType: 'text/html', body })
  else await route.fulfill({ status, json: body })
}

const catalogue = Catalogue.fromFeed(feed)

function goodDay(url: URL, visitor: number): ApiAnswer {
  switch (url.pathname) {
    case '/api/session':
      return { body: person(visitor) }
    case '/api/products':
      return { body: catalogue.all().map((product) => ({ ...product, price: format(product.prices.EUR) })) }
    case '/api/recommendations':
      return { body: catalogue.all().slice(0, 3) }
    case '/api/search':
      return { body: search(catalogue, url.searchParams.get('q') ?? '') }
    default:
      return { body: {} }
  }
}
