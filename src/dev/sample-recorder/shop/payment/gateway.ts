import type { Money } from '../pricing/money.ts'
import { postJson } from '../support/http.ts'

export interface Charge {
  id: string
  state: 'paid' | 'declined'
  reason?: string
}

/** The payment provider's API. */
export class PaymentGateway {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async charge(order: string, amount: Money, method: string): Promise<Charge> {
    const response = await postJson(`${this.#url}/charges`, { order, amount, method })
    return readCharge(await response.text())
  }
}

function readCharge(text: string): Charge {
  return JSON.parse(text) as Charge
}
