import type { Page } from 'playwright-core'
import { on, type Scenario } from './scenario.ts'

/** An answer of the shop's API to a page. */
export interface ApiAnswer {
  status?: number
  /** Sent as JSON, or as is if it is text. */
  body: unknown
  delayMs?: number
}

/** A bug of the page. */
export interface BrowserScenario extends Scenario {
  /** Path and hash of the page. */
  page?: string
  /** A change that a colleague made to the page. */
  html?(html: string): string
  /** Answers of the API that differ from normal operation, by path. */
  api?: Record<string, ApiAnswer>
  /** Runs in the page before the shop does. */
  before?: string
  /** What the visitor does once the page is ready. */
  act?(page: Page): Promise<unknown>
}

const gatewayPage = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'

const addToCart = (page: Page) => page.click('[data-sku=tea-001] button')

async function buy(page: Page): Promise<void> {
  await addToCart(page)
  for (const [field, value] of [
    ['name', 'A. Visitor'],
    ['street', 'Hafenweg 7'],
    ['postcode', '20457'],
    ['city', 'Hamburg'],
  ]) {
    await page.fill(`#checkout [name=${field}]`, value ?? '')
  }
  await page.click('#checkout button')
}

export const browserScenarios: readonly BrowserScenario[] = [
  {
    name: 'recommended article without a picture',
    reports: "TypeError: Cannot read properties of undefined (reading 'url')",
    api: { '/api/recommendations': { body: [{ sku: 'boo-003', name: 'Tea Atlas', category: 'books' }] } },
    runs: [
      on('development', '1.4.0', '8d 22h'),
      on('production', '1.4.0', '6d 17h', '5d 22h', '4d 9h', '2d 18h'),
      on('production', '1.4.1', '1d 14h', '10h'),
    ],
  },
  {
    name: 'added to the cart when it was just sold out',
    reports: 'ApiError: /api/cart answered 409: tea-001 is sold out',
    api: { '/api/cart': { status: 409, body: { error: 'tea-001 is sold out' } } },
    act: addToCart,
    runs: [
      on('staging', '1.3.0', '12d 9h'),
      on('production', '1.3.0', '11d 14h', '9d 18h'),
      on('production', '1.4.0', '5d 4h'),
      on('production', '1.4.1', '1d 11h', '5h 20m'),
    ],
  },
  {
    name: 'suggestions answered by the proxy',
    reports: "SyntaxError: Unexpected token '<'",
    api: { '/api/search': { status: 502, body: gatewayPage } },
    act: (page) => page.fill('#search input', 'teapot'),
    runs: [
      on('staging', '1.3.0', '12d 15h', '12d 14h 58m'),
      on('production', '1.4.0', '3d 1h', '3d 55m'),
      on('staging', '1.4.1', '2d 20h'),
    ],
  },
  {
    name: 'storage of the browser is full',
    reports: "QuotaExceededError: Failed to execute 'setItem' on 'Storage'",
    before:
      "for (let room = 1 << 22; room >= 1; room >>= 1) try { for (let n = 0; ; n++) localStorage.setItem('x' + room + n, 'x'.repeat(room)) } catch {}",
    async act(page) {
      await addToCart(page)
      await page.click('#cart button')
    },
    runs: [
      on('production', '1.3.0', '8d 21h'),
      on('production', '1.4.0', '4d 22h', '3d 12h'),
      on('production', '1.4.1', '1d 23h'),
    ],
  },
  {
    name: 'newsletter link without a form on the page',
    reports: "TypeError: Cannot read properties of null (reading 'scrollIntoView')",
    page: '/#newsletter',
    runs: [on('development', '1.4.1', '3d 18h'), on('staging', '1.4.1', '2d 15h', '1d 18h')],
  },
  {
    name: 'card declined at the checkout',
    reports: 'OrderError: the order did not go through',
    api: { '/api/checkout': { status: 402, body: { error: 'the payment was declined: insufficient funds' } } },
    act: buy,
    runs: [
      on('production', '1.3.0', '10d 21h', '7d 13h'),
      on('production', '1.4.0', '6d 8h', '3d 22h'),
      on('production', '1.4.1', '1d 4h', '40m'),
    ],
  },
  {
    name: 'offer without a countdown',
    reports: "TypeError: Cannot set properties of null (setting 'textContent')",
    html: (html) => html.replace('Spring offer ends in <b class="seconds">60</b> seconds', 'Spring offer ends today'),
    runs: [on('production', '1.3.0', '9d 6h', '9d 5h 30m', '9d 4h 10m')],
  },
  {
    name: 'wished delivery day that is no date',
    reports: 'RangeError: Invalid time value',
    async act(page) {
      await page.fill('[name=wished]', 'next friday')
      await page.locator('[name=wished]').blur()
    },
    runs: [
      on('staging', '1.4.0', '7d 16h'),
      on('production', '1.4.0', '4d 4h'),
      on('production', '1.4.1', '18h', '1h 25m'),
    ],
  },
  {
    name: 'slow product list',
    reports: 'The product list took %s ms',
    api: { '/api/products': { body: [], delayMs: 850 } },
    runs: [
      on('production', '1.3.0', '8d 9h'),
      on('production', '1.4.0', '5d 20h', '2d 3h'),
      on('production', '1.4.1', '7h 10m'),
    ],
  },
]
