import { type Currency, money, type Money } from '../pricing/money.ts'
import type { Country } from '../pricing/tax.ts'
import { getJson, within } from '../support/http.ts'

/** From this subtotal on we pay the parcel, in cents. */
const freeFrom = 5000

export interface Parcel {
  country: Country
  weightGrams: number
  subtotal: Money
}

/** What the carrier asks for a parcel; nothing from 50 on. */
export async function shippingCost(carrierUrl: string, { country, weightGrams, subtotal }: Parcel): Promise<Money> {
  if (subtotal.amount >= freeFrom) return money(0, subtotal.currency)
  const amount = await askCarrier(carrierUrl, country, weightGrams, subtotal.currency)
  return money(amount, subtotal.currency)
}

async function askCarrier(url: string, country: Country, weightGrams: number, currency: Currency): Promise<number> {
  const query = new URLSearchParams({ country, currency, grams: String(weightGrams) })
  const answer = await within(300, "the carrier's price list", getJson(`${url}/rates?${query.toString()}`))
  return (answer as { amount: number }).amount
}
