import type { Catalogue } from '../catalogue/catalogue.ts'
import type { PaymentGateway } from '../payment/gateway.ts'
import { pay, PaymentError } from '../payment/pay.ts'
import type { Currency } from '../pricing/money.ts'
import { quote } from '../pricing/quote.ts'
import type { Session } from '../session/session.ts'
import { ShopError, ValidationError } from '../support/errors.ts'
import type { Trail } from '../support/trail.ts'
import { type Address, checkAddress } from './address.ts'
import { confirmation, type Mail } from './confirmation.ts'
import type { Order } from './order.ts'

/** An order could not be completed; nothing was charged. */
export class CheckoutError extends ShopError {
  override readonly name = 'CheckoutError'
  override readonly status = 402
}

export interface CheckoutRequest {
  address: Address
  currency: Currency
  method: string
  code?: string
  guestEmail?: string
}

export interface CheckoutParts {
  catalogue: Catalogue
  gateway: PaymentGateway
  nextNumber(): string
  post(mail: Mail): void
  trail: Trail
}

/** Turn a cart into a paid order: check the address, price the cart, charge, confirm by mail. */
export async function placeOrder(session: Session, request: CheckoutRequest, parts: CheckoutParts): Promise<Order> {
  const { address, currency, code, guestEmail } = request
  const { lines } = session.cart
  if (lines.length === 0) throw new ValidationError('cart', 'the cart is empty')
  checkAddress(address)
  const order: Order = {
    number: parts.nextNumber(),
    customer: session.customer,
    ...(guestEmail && { guestEmail }),
    lines,
    address,
    quote: quote(parts.catalogue, { lines, currency, country: address.country, ...(code && { code }) }),
  }
  parts.trail('checkout', 'cart priced', { pieces: session.cart.pieces, total: order.quote.total.amount })
  const mail = confirmation(order)
  await charge(order, request.method, parts)
  parts.post(mail)
  return order
}

async function charge(order: Order, method: string, { gateway, trail }: CheckoutParts): Promise<void> {
  try {
    await pay(gateway, { order: order.number, amount: order.quote.total, method }, trail)
  } catch (cause) {
    if (cause instanceof PaymentError) throw new CheckoutError(`order ${order.number} is not paid`, { cause })
    throw cause
  }
}
