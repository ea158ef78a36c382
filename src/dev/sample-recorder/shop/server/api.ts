import type { Catalogue } from '../catalogue/catalogue.ts'
import { type CheckoutParts, type CheckoutRequest, placeOrder } from '../checkout/checkout.ts'
import { orderNumbers } from '../checkout/order.ts'
import { availability } from '../inventory/availability.ts'
import { type Currency, format, money } from '../pricing/money.ts'
import { unitPrice } from '../pricing/price.ts'
import { quote } from '../pricing/quote.ts'
import type { Country } from '../pricing/tax.ts'
import { search } from '../search/search.ts'
import { type Customer, type Session, SessionExpiredError, type Sessions } from '../session/session.ts'
import { shippingCost } from '../shipping/rates.ts'
import { post, startJob } from './jobs.ts'
import { partners } from './partners.ts'
import { tag, trail } from './report.ts'
import type { Route, ShopRequest } from './router.ts'

/** All routes of the shop's API. */
export function api(catalogue: Catalogue, sessions: Sessions): Route[] {
  const nextNumber = orderNumbers()
  const parts: CheckoutParts = { catalogue, gateway: partners.payments, nextNumber, post, trail }
  return [
    { method: 'GET', path: '/api/products', handle: ({ query }) => listProducts(catalogue, query) },
    { method: 'GET', path: '/api/products/:sku', handle: ({ params }) => catalogue.find(params['sku'] ?? '') },
    { method: 'GET', path: '/api/availability/:sku', handle: ({ params }) => stock(catalogue, params['sku'] ?? '') },
    { method: 'GET', path: '/api/search', handle: ({ query }) => search(catalogue, query.get('q') ?? '') },
    { method: 'POST', path: '/api/session', handle: ({ body }) => signIn(sessions, body) },
    { method: 'GET', path: '/api/session', handle: (request) => needSession(request).customer },
    { method: 'GET', path: '/api/recommendations', handle: () => catalogue.all().slice(0, 3) },
    { method: 'POST', path: '/api/cart', handle: addToCart },
    { method: 'GET', path: '/api/cart', handle: (request) => showCart(catalogue, request) },
    { method: 'GET', path: '/api/shipping', handle: ({ query }) => shipping(query) },
    { method: 'POST', path: '/api/checkout', handle: (request) => checkOut(request, parts) },
    { method: 'POST', path: '/api/jobs/:name', handle: ({ params }) => startJob(params['name'] ?? '', catalogue) },
  ]
}

function listProducts(catalogue: Catalogue, query: URLSearchParams) {
  const currency = (query.get('currency') ?? 'EUR') as Currency
  const category = query.get('category')
  tag({ currency })
  const products = category ? catalogue.inCategory(category) : catalogue.all()
  return products.map((product) => ({ ...product, price: format(unitPrice(product, currency)) }))
}

function stock(catalogue: Catalogue, sku: string) {
  return availability(catalogue.find(sku).sku, partners.warehouses)
}

function signIn(sessions: Sessions, body: unknown) {
  const { id, customer } = body as { id: string; customer?: Customer }
  return { session: sessions.open(id, customer).id }
}

function addToCart(request: ShopRequest) {
  const { sku, quantity } = request.body as { sku: string; quantity?: number }
  const { cart } = needSession(request)
  cart.add(sku, quantity)
  return cart.lines
}

function showCart(catalogue: Catalogue, request: ShopRequest) {
  const { query } = request
  const { cart } = needSession(request)
  const currency = (query.get('currency') ?? 'EUR') as Currency
  const country = (query.get('country') ?? 'DE') as Country
  const code = query.get('code')
  tag({ currency, country })
  const { total, tax } = quote(catalogue, { lines: cart.lines, currency, country, ...(code && { code }) })
  const locale = query.get('locale') ?? 'en'
  return { lines: cart.lines, total: format(total, locale), tax: format(tax, locale) }
}

function checkOut(request: ShopRequest, parts: CheckoutParts) {
  const wanted = request.body as CheckoutRequest
  tag({ payment_method: wanted.method, country: wanted.address.country, currency: wanted.currency })
  return placeOrder(needSession(request), wanted, parts)
}

function shipping(query: URLSearchParams) {
  const country = (query.get('country') ?? 'DE') as Country
  const weightGrams = Number(query.get('grams') ?? 500)
  const subtotal = money(Number(query.get('subtotal') ?? 0), (query.get('currency') ?? 'EUR') as Currency)
  tag({ country, currency: subtotal.currency })
  return shippingCost(partners.carrier, { country, weightGrams, subtotal })
}

function needSession({ session }: ShopRequest): Session {
  if (!session) throw new SessionExpiredError('please sign in first')
  return session
}
