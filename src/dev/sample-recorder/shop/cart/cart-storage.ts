import { Cart, type CartLine } from './cart.ts'

/** The part of the browser's storage that a cart needs. */
export interface KeyValueStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
}

const key = 'shop.cart'

/** Keeps the cart of a visitor between two visits. */
export class CartStorage {
  readonly #store: KeyValueStore

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  load(): Cart {
    const saved = this.#store.getItem(key)
    return saved ? Cart.from(JSON.parse(saved) as CartLine[]) : new Cart()
  }

  save(cart: Cart): void {
    this.#store.setItem(key, JSON.stringify(cart.lines))
  }
}
