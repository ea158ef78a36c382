import { ShopError } from '../support/errors.ts'
import { getJson, within } from '../support/http.ts'

/** One warehouse could not say what it has. */
export class WarehouseError extends ShopError {
  override readonly name = 'WarehouseError'
}

/** A warehouse and its stock service. */
export class Warehouse {
  readonly city: string
  readonly #url: string

  constructor(city: string, url: string) {
    this.city = city
    this.#url = url
  }

  /** Pieces of an article on the shelf. */
  async stockOf(sku: string): Promise<number> {
    try {
      const answer = await within(400, `the stock service in ${this.city}`, getJson(`${this.#url}/stock/${sku}`))
      return (answer as { pieces: number }).pieces
    } catch (cause) {
      throw new WarehouseError(`${this.city} does not answer for ${sku}`, { cause })
    }
  }
}
