import type { CartLine } from '../cart/cart.ts'
import type { Quote } from '../pricing/quote.ts'
import type { Customer } from '../session/session.ts'
import type { Address } from './address.ts'

export interface Order {
  number: string
  customer: Customer
  /** Only of guests. */
  guestEmail?: string
  lines: readonly CartLine[]
  address: Address
  quote: Quote
}

/** Order numbers count up from the first one of the year: `SO-2600001`. */
export function orderNumbers(first = 2_600_001): () => string {
  let next = first
  return () => `SO-${next++}`
}
