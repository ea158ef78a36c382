import type { Country } from '../pricing/tax.ts'
import { ValidationError } from '../support/errors.ts'

export interface Address {
  name: string
  street: string
  postcode: string
  city: string
  country: Country
}

const postcodes: Record<Country, RegExp> = {
  DE: /^\d{5}$/,
  AT: /^\d{4}$/,
  CH: /^\d{4}$/,
  NO: /^\d{4}$/,
  US: /^\d{5}(?:-\d{4})?$/,
}

/** Refuse what the carrier would send back. */
export function checkAddress(address: Address): void {
  for (const field of ['name', 'street', 'city'] as const) {
    if (address[field].trim() === '') throw new ValidationError(field, `the ${field} is missing`)
  }
  if (!postcodes[address.country].test(address.postcode)) {
    throw new ValidationError('postcode', `${address.postcode} is not a postcode in ${address.country}`)
  }
}
