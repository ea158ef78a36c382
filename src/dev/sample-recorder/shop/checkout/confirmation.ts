import { format } from '../pricing/money.ts'
import { features } from '../support/release.ts'
import type { Order } from './order.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

/** The mail that confirms an order. */
export function confirmation(order: Order): Mail {
  return {
    to: recipient(order),
    subject: `Your order ${order.number}`,
    text: `Thank you! We will charge ${format(order.quote.total)} and send your parcel to ${order.address.city}.`,
  }
}

function recipient(order: Order): string {
  // The new templates take the address from the account, as newsletters do.
  if (features.guestConfirmation && !features.newMailTemplates && order.guestEmail) return order.guestEmail
  return order.customer.email
}
