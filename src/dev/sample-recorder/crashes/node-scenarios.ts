import type { Country } from '../shop/pricing/tax.ts'
import { answers, type Mood } from './partners.ts'
import { burst, on, type Scenario } from './scenario.ts'
import type { ServerVisitor } from './server-visitor.ts'

/** A bug of the server. */
export interface NodeScenario extends Scenario {
  partners?: Mood
  /** The channel that the customer uses; `web` by default. */
  channel?: 'app'
  /** The process does not survive it. */
  fatal?: true
  act(visitor: ServerVisitor): Promise<unknown>
}

/** The body of an order: a default one, or changed as the bug requires. */
const order = (country: Country = 'DE', more: object = {}) => ({
  address: {
    name: 'A. Visitor',
    street: 'Hafenweg 7',
    postcode: country === 'DE' ? '20457' : '4051',
    city: 'Hamburg',
    country,
  },
  currency: 'EUR',
  method: 'card',
  ...more,
})

async function withCart(visitor: ServerVisitor, sku = 'tea-001'): Promise<void> {
  await visitor.signIn()
  await visitor.post('/api/cart', { sku, quantity: 2 })
}

export const nodeScenarios: readonly NodeScenario[] = [
  {
    name: 'article without a price in francs, in the cart',
    reports: "TypeError: Cannot read properties of undefined (reading 'amount')",
    async act(visitor) {
      await withCart(visitor, 'pot-003')
      await visitor.get('/api/cart?currency=CHF&country=CH')
    },
    runs: [
      on('production', '1.3.0', '11d 4h', '10d 2h 11m', '9d 22h', '8d 5h 40m'),
      on('production', '1.4.0', '6d 12h', '5d 1h', '3d 16h 5m'),
      on('production', '1.4.1', '1d 20h', '9h 12m'),
      on('staging', '1.4.0', '7d 20h'),
    ],
  },
  {
    name: 'article without a price in francs, in the list',
    channel: 'app',
    reports: "TypeError: Cannot read properties of undefined (reading 'amount')",
    act: (visitor) => visitor.get('/api/products?category=pottery&currency=CHF'),
    runs: [on('production', '1.4.0', '6d 11h', '4d 7h'), on('production', '1.4.1', '14h')],
  },
  {
    name: 'payment provider answers with a maintenance page',
    reports: "SyntaxError: Unexpected token '<'",
    partners: { payments: answers.maintenancePage },
    async act(visitor) {
      await withCart(visitor)
      await visitor.post('/api/checkout', order())
    },
    runs: [burst('production', '1.4.0', '3d 2h 10m', 140)],
    fold: true,
  },
  {
    name: 'payment provider hangs up',
    reports: 'CheckoutError: order SO-',
    partners: { payments: answers.hangUp },
    async act(visitor) {
      await withCart(visitor, 'cof-001')
      await visitor.post('/api/checkout', order())
    },
    runs: [
      on('staging', '1.3.0', '12d 2h'),
      on('production', '1.4.0', '5d 9h', '5d 8h 58m', '4d 1h'),
      on('production', '1.4.1', '1d 2h', '4h 30m'),
    ],
  },
  {
    name: 'no warehouse answers',
    reports: 'AggregateError: no warehouse answers for pot-001',
    partners: {
      'warehouses/hamburg': answers.unavailable,
      'warehouses/basel': answers.silence,
      'warehouses/graz': answers.hangUp,
    },
    act: (visitor) => visitor.get('/api/availability/pot-001'),
    runs: [on('production', '1.3.0', '10d 6h', '10d 5h 57m', '9d 3h'), on('production', '1.4.0', '6d 3h', '2d 22h')],
  },
  {
    name: 'discount codes that build on each other',
    reports: 'RangeError: Maximum call stack size exceeded',
    async act(visitor) {
      await withCart(visitor, 'tea-002')
      await visitor.get('/api/cart?code=spring')
    },
    runs: [
      on('development', '1.4.0', '8d 7h'),
      on('production', '1.4.0', '6d 20h', '6d 1h', '5d 14h', '4d 19h', '3d 8h', '2d 6h'),
    ],
  },
  {
    name: 'carrier is slow',
    channel: 'app',
    reports: "DeadlineError: the carrier's price list took longer than",
    partners: { carrier: answers.silence },
    act: (visitor) => visitor.get('/api/shipping?country=AT&grams=1200&subtotal=2400'),
    runs: [
      on('production', '1.3.0', '11d 1h', '8d 17h'),
      on('production', '1.4.0', '5d 17h'),
      on('production', '1.4.1', '1d 16h', '20h'),
      on('staging', '1.4.1', '2d 9h'),
    ],
  },
  {
    name: 'mail service refuses a confirmation',
    reports: 'MailError: the mail service refused "Your order SO-',
    partners: { mail: answers.mailboxFull },
    async act(visitor) {
      await withCart(visitor, 'boo-001')
      await visitor.post('/api/checkout', order())
    },
    runs: [
      on('production', '1.3.0', '9d 13h', '7d 19h'),
      on('production', '1.4.0', '4d 11h'),
      on('production', '1.4.1', '1d 9h', '3h 5m'),
    ],
  },
  {
    name: 'nightly price list has a decimal comma',
    reports: 'PriceListError: line 3: "12',
    partners: { prices: answers.prices('sku,amount\ntea-001,1290\ntea-003,12.90\n') },
    fatal: true,
    act: (visitor) => visitor.post('/api/jobs/price-update', {}),
    runs: [on('staging', '1.4.0', '7d 1h', '6d 1h'), on('production', '1.4.0', '5d 1h 30m')],
  },
  {
    name: 'stock runs low',
    reports: 'Stock of %s is down to %s',
    partners: {
      'warehouses/hamburg/stock/pot-002': answers.pieces(3),
      'warehouses/basel/stock/pot-002': answers.pieces(0),
      'warehouses/graz/stock/pot-002': answers.pieces(1),
    },
    act: (visitor) => visitor.post('/api/jobs/stock-watch', {}),
    runs: [on('production', '1.3.0', '8d'), on('production', '1.4.0', '4d'), on('production', '1.4.1', '1d')],
  },
  {
    name: 'guest at the checkout',
    channel: 'app',
    reports: "TypeError: Cannot read properties of undefined (reading 'email')",
    async act(visitor) {
      await visitor.enter()
      await visitor.post('/api/cart', { sku: 'tea-003' })
      await visitor.post('/api/checkout', order('DE', { guestEmail: 'guest@example.com', method: 'invoice' }))
    },
    runs: [
      on('production', '1.3.0', '11d 9h', '10d 13h', '9d 1h', '8d 12h', '7d 8h'),
      on('production', '1.4.1', '1d 6h', '17h', '6h 40m', '0s'),
    ],
  },
  {
    name: 'postcode of another country',
    reports: 'ValidationError: 4051 is not a postcode in DE',
    async act(visitor) {
      await withCart(visitor)
      await visitor.post('/api/checkout', order('DE', { address: { ...order('CH').address, country: 'DE' } }))
    },
    runs: [
      on('development', '1.3.0', '12d 20h'),
      on('staging', '1.4.0', '7d 12h'),
      on('development', '1.4.1', '3d 7h'),
    ],
  },
  {
    name: 'locale with an underscore',
    reports: 'RangeError: Incorrect locale information provided',
    async act(visitor) {
      await withCart(visitor, 'cof-002')
      await visitor.get('/api/cart?locale=de_AT')
    },
    runs: [on('development', '1.4.1', '3d 11h', '3d 10h 52m'), on('staging', '1.4.1', '2d 4h')],
  },
  {
    name: 'path that is not percent-encoded',
    reports: 'URIError: URI malformed',
    act: (visitor) => visitor.get('/api/products/tea-001%E0%A4%A'),
    runs: [
      on('production', '1.3.0', '10d 18h', '7d 23h'),
      on('production', '1.4.0', '3d 20h'),
      on('production', '1.4.1', '22h', '2h 15m'),
    ],
  },
  {
    name: 'country without tax rates',
    reports: "TypeError: Cannot destructure property 'standard' of",
    async act(visitor) {
      await withCart(visitor)
      await visitor.get('/api/cart?country=NO')
    },
    runs: [on('staging', '1.3.0', '12d 6h'), on('production', '1.4.0', '2d 13h'), on('production', '1.4.1', '12h')],
  },
  {
    name: 'search for C++',
    reports: 'SyntaxError: Invalid regular expression: /c++/gi',
    act: (visitor) => visitor.get('/api/search?q=c%2B%2B'),
    runs: [
      on('production', '1.3.0', '11d 20h', '9d 9h'),
      on('production', '1.4.0', '4d 15h'),
      on('production', '1.4.1', '8h'),
    ],
  },
]
