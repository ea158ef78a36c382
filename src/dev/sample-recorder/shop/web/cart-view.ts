import { CartStorage } from '../cart/cart-storage.ts'
import { element, item } from './dom.ts'

/** The cart on the page; it survives a reload. */
export class CartView {
  readonly #storage = new CartStorage(localStorage)
  readonly #cart = this.#storage.load()

  show(): void {
    const lines = this.#cart.lines.map(({ sku, quantity }) =>
      item(`${quantity} × ${sku}`, 'One more', () => this.change(sku, quantity + 1)),
    )
    element('#cart ul').replaceChildren(...lines)
  }

  add(sku: string): void {
    this.#cart.add(sku)
    this.show()
  }

  change(sku: string, quantity: number): void {
    this.#cart.setQuantity(sku, quantity)
    this.#storage.save(this.#cart)
    this.show()
  }
}
