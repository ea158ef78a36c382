import * as Sentry from '@sentry/browser'
import type { Product } from '../catalogue/product.ts'
import { read, write } from './api.ts'
import type { CartView } from './cart-view.ts'
import { element, item, notice } from './dom.ts'

/** The list of articles, each with a button that puts it into the cart. */
export class ProductList {
  readonly #cart: CartView

  constructor(cart: CartView) {
    this.#cart = cart
  }

  async show(): Promise<void> {
    const started = performance.now()
    const products = await read<(Product & { price: string })[]>('/api/products')
    element('#products').replaceChildren(...products.map((product) => this.#line(product)))
    warnWhenSlow(Math.round(performance.now() - started))
  }

  #line({ sku, name, price }: Product & { price: string }): HTMLLIElement {
    const line = item(`${name}, ${price}`, 'Add to cart', () => this.#add(sku, name))
    line.dataset['sku'] = sku
    return line
  }

  async #add(sku: string, name: string): Promise<void> {
    await write('/api/cart', { sku })
    this.#cart.add(sku)
    notice(`${name} is in your cart`)
  }
}

/** Visitors leave when the list takes longer. */
const slowMs = 800

function warnWhenSlow(ms: number): void {
  if (ms > slowMs) Sentry.captureMessage(Sentry.parameterize`The product list took ${ms} ms`, 'warning')
}
