export type Currency = 'EUR' | 'USD' | 'CHF'

/** An amount in the smallest unit of its currency, so that sums are exact. */
export interface Money {
  amount: number
  currency: Currency
}

export function money(amount: number, currency: Currency): Money {
  return { amount, currency }
}

/** The sum of amounts in one currency. */
export function sum(amounts: readonly Money[], currency: Currency): Money {
  return money(
    amounts.reduce((total, each) => total + each.amount, 0),
    currency,
  )
}

/** A share of an amount, rounded to the cent in the customer's favour. */
export function share(of: Money, percent: number): Money {
  return money(Math.floor((of.amount * percent) / 100), of.currency)
}

/** As people read it: `€12.90`. */
export function format({ amount, currency }: Money, locale = 'en'): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount / 100)
}
