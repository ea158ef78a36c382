import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CartLine } from '../cart/cart.ts'
import { discountPercent } from './discounts.ts'
import { type Currency, money, type Money, share, sum } from './money.ts'
import { linePrice } from './price.ts'
import { type Country, taxPercent } from './tax.ts'

export interface QuoteRequest {
  lines: readonly CartLine[]
  currency: Currency
  country: Country
  code?: string
}

/** What the customer pays for a cart. Prices include tax; `tax` says how much of the total it is. */
export interface Quote {
  subtotal: Money
  discount: Money
  tax: Money
  total: Money
}

/** Price a cart: line prices, then the discount code, then the tax that is inside. */
export function quote(catalogue: Catalogue, { lines, currency, country, code }: QuoteRequest): Quote {
  const priced = lines.map(({ sku, quantity }) => {
    const product = catalogue.find(sku)
    return { category: product.category, price: linePrice(product, quantity, currency) }
  })
  const subtotal = sum(
    priced.map((line) => line.price),
    currency,
  )
  const percent = code ? discountPercent(code) : 0
  const tax = sum(
    priced.map(({ price, category }) => taxInside(share(price, 100 - percent), taxPercent(country, category))),
    currency,
  )
  const discount = share(subtotal, percent)
  return { subtotal, discount, tax, total: money(subtotal.amount - discount.amount, currency) }
}

function taxInside(price: Money, percent: number): Money {
  return money(Math.round(price.amount - price.amount / (1 + percent / 100)), price.currency)
}
