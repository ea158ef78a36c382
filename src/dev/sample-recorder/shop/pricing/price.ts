import type { Product } from '../catalogue/product.ts'
import { type Currency, money, type Money } from './money.ts'

/** What one piece costs in the customer's currency. */
export function unitPrice(product: Product, currency: Currency): Money {
  return money(product.prices[currency].amount, currency)
}

/** What a line of the cart costs; ten pieces or more are 5 % cheaper. */
export function linePrice(product: Product, quantity: number, currency: Currency): Money {
  const full = unitPrice(product, currency).amount * quantity
  return money(quantity >= 10 ? Math.round(full * 0.95) : full, currency)
}
