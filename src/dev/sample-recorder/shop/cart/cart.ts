import { ValidationError } from '../support/errors.ts'

export interface CartLine {
  sku: string
  quantity: number
}

/** Most pieces of one article in one order. */
const mostPieces = 50

/** What a customer is about to buy. */
export class Cart {
  readonly #quantities = new Map<string, number>()

  static from(lines: readonly CartLine[]): Cart {
    const cart = new Cart()
    for (const { sku, quantity } of lines) cart.setQuantity(sku, quantity)
    return cart
  }

  /** Adding an article twice adds up in one line. */
  add(sku: string, quantity = 1): void {
    this.setQuantity(sku, (this.#quantities.get(sku) ?? 0) + quantity)
  }

  /** Zero removes the line. */
  setQuantity(sku: string, quantity: number): void {
    if (!Number.isInteger(quantity) || quantity < 0) {
      throw new ValidationError('quantity', `${quantity} is not a number of pieces`)
    }
    if (quantity > mostPieces) throw new ValidationError('quantity', `at most ${mostPieces} pieces of one article`)
    if (quantity === 0) this.#quantities.delete(sku)
    else this.#quantities.set(sku, quantity)
  }

  get lines(): CartLine[] {
    return [...this.#quantities].map(([sku, quantity]) => ({ sku, quantity }))
  }

  get pieces(): number {
    return this.lines.reduce((total, line) => total + line.quantity, 0)
  }
}
