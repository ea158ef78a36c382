import type { Category } from '../catalogue/product.ts'

interface TaxRates {
  standard: number
  reduced: number
}

export type Country = 'DE' | 'AT' | 'CH' | 'US' | 'NO'

const rates = {
  DE: { standard: 19, reduced: 7 },
  AT: { standard: 20, reduced: 10 },
  CH: { standard: 8.1, reduced: 2.6 },
  US: { standard: 0, reduced: 0 },
} as Record<Country, TaxRates>

/** Percent of tax: food and books have the reduced rate. */
export function taxPercent(country: Country, category: Category): number {
  const { standard, reduced } = ratesOf(country)
  return category === 'pottery' ? standard : reduced
}

function ratesOf(country: Country): TaxRates {
  const { standard, reduced } = rates[country]
  return { standard, reduced }
}
