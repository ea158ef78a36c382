import { priceOf } from './prices.mts'

export interface Line {
  sku: string
  quantity: number
}

/** A class with a member of every kind; each can be made to crash. */
export class Cart {
  static #opened = 0
  readonly lines: Line[] = []
  #discounts: ((total: number) => number)[] = []

  static of(...skus: string[]): Cart {
    const cart = new Cart()
    for (const sku of skus) cart.add({ sku, quantity: 1 })
    return cart
  }

  static #count(limit: number): number {
    Cart.#opened += 1
    if (Cart.#opened > limit) throw new Error('too many carts')
    return Cart.#opened
  }

  static async open(limit: number): Promise<Cart> {
    await Promise.resolve()
    Cart.#count(limit)
    return new Cart()
  }

  add(line: Line): this {
    this.lines.push({ ...line, quantity: this.#checked(line) })
    return this
  }

  #checked(line: Line): number {
    if (line.quantity <= 0) throw new RangeError(`no quantity of ${line.sku}`)
    return line.quantity
  }

  get total(): number {
    let sum = 0
    for (const line of this.lines) sum += priceOf(line.sku) * line.quantity
    return this.#discounts.reduce((rest, discount) => discount(rest), sum)
  }

  set discount(percent: number) {
    if (percent > 100) throw new RangeError('a discount above the price')
    this.#discounts.push((total) => {
      if (Number.isNaN(total)) throw new TypeError('no total to discount')
      return total * (1 - percent / 100)
    })
  }

  readonly remove = (sku: string): void => {
    const index = this.lines.findIndex((line) => line.sku === sku)
    if (index < 0) throw new Error(`no ${sku} in the cart`)
    this.lines.splice(index, 1)
  };

  *skus(): Generator<string> {
    for (const line of this.lines) {
      if (line.sku.startsWith('-')) throw new Error('not a sku')
      yield line.sku
    }
  }

  *[Symbol.iterator](): Generator<Line> {
    for (const line of this.lines) yield frozen(line)
  }

  async checkout(pay: (total: number) => Promise<string>): Promise<string> {
    const { total } = this
    const receipt = await pay(total)
    if (receipt === '') throw new Error('no receipt')
    return receipt
  }

  toJSON(): object {
    return { total: this.total, lines: this.lines }
  }
}

function frozen(line: Line): Line {
  if (Object.isFrozen(line)) return line
  throw new Error(`${line.sku} can still change`)
}
