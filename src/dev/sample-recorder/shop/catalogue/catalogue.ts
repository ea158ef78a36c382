import { NotFoundError } from '../support/errors.ts'
import type { Currency, Money } from '../pricing/money.ts'
import type { Category, Product } from './product.ts'

/** All articles the shop sells. */
export class Catalogue {
  readonly #bySku: Map<string, Product>

  constructor(products: readonly Product[]) {
    this.#bySku = new Map(products.map((product) => [product.sku, product]))
  }

  /** Read the list of the buying department: one article per line. */
  static fromFeed(lines: readonly string[]): Catalogue {
    return new Catalogue(lines.map(readProduct))
  }

  all(): Product[] {
    return [...this.#bySku.values()]
  }

  inCategory(category: string): Product[] {
    return this.all().filter((product) => product.category === category)
  }

  find(sku: string): Product {
    const product = this.#bySku.get(sku)
    if (!product) throw new NotFoundError(`no article ${sku}`)
    return product
  }
}

function readProduct(line: string): Product {
  const [sku = '', name = '', category = '', weight = '', ...prices] = line.split(';')
  return {
    sku,
    name,
    category: category as Category,
    prices: Object.fromEntries(prices.map(readPrice)) as Record<Currency, Money>,
    cover: { url: `/images/${sku}.webp`, alt: name },
    weightGrams: Number(weight),
  }
}

function readPrice(text: string): [string, Money] {
  const [currency = '', amount = ''] = text.split(' ')
  return [currency, { amount: Number(amount), currency: currency as Currency }]
}
