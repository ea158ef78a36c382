import type { Money } from '../pricing/money.ts'
import { ShopError } from '../support/errors.ts'
import type { Trail } from '../support/trail.ts'
import type { Charge, PaymentGateway } from './gateway.ts'

/** The provider could not be reached, or said no. */
export class PaymentError extends ShopError {
  override readonly name = 'PaymentError'
  override readonly status = 402
}

const attempts = 3

export interface Payment {
  order: string
  amount: Money
  method: string
}

/** Charge the customer once; a lost connection is tried again, a "declined" is not. */
export async function pay(gateway: PaymentGateway, payment: Payment, trail: Trail): Promise<Charge> {
  const charge = await chargeWithRetries(gateway, payment, trail)
  if (charge.state === 'declined')
    throw new PaymentError(`the payment was declined: ${charge.reason ?? 'no reason given'}`)
  return charge
}

async function chargeWithRetries(gateway: PaymentGateway, payment: Payment, trail: Trail): Promise<Charge> {
  let cause: unknown
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await gateway.charge(payment.order, payment.amount, payment.method)
    } catch (error) {
      // fetch reports a lost connection as a TypeError; anything else would only fail again.
      if (!(error instanceof TypeError)) throw error
      trail('payment', `attempt ${attempt} of ${attempts} failed`, { method: payment.method })
      cause = error
    }
  }
  throw new PaymentError(`no answer from the payment provider after ${attempts} attempts`, { cause })
}
