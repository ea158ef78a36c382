import { Catalogue } from '../../shop/catalogue/catalogue.ts'
import { feed } from '../../shop/catalogue/feed.ts'
import type { CheckoutParts, CheckoutRequest } from '../../shop/checkout/checkout.ts'
import type { Mail } from '../../shop/checkout/confirmation.ts'
import { orderNumbers } from '../../shop/checkout/order.ts'
import { PaymentGateway } from '../../shop/payment/gateway.ts'
import { type Session, Sessions } from '../../shop/session/session.ts'

export const catalogue = Catalogue.fromFeed(feed)

export const hamburg = {
  name: 'A. Visitor',
  street: 'Hafenweg 7',
  postcode: '20457',
  city: 'Hamburg',
  country: 'DE',
} as const

/** Someone with an account, and pieces of an article in the cart. */
export function customerWith(sku: string, quantity = 1): Session {
  const session = new Sessions().open('visit-1', { id: 'cus_1', name: 'Ada Adler', email: 'ada.adler@example.com' })
  session.cart.add(sku, quantity)
  return session
}

/** What a customer sends to the checkout. */
export function order(more: Partial<CheckoutRequest> = {}): CheckoutRequest {
  return { address: hamburg, currency: 'EUR', method: 'card', ...more }
}

/** The checkout with this payment provider; `mails` are those it posts. */
export function checkoutWith(paymentUrl: string): CheckoutParts & { mails: Mail[] } {
  const mails: Mail[] = []
  return {
    catalogue,
    gateway: new PaymentGateway(paymentUrl),
    nextNumber: orderNumbers(),
    post: (mail) => mails.push(mail),
    trail: () => {},
    mails,
  }
}
