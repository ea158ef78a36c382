import * as Sentry from '@sentry/browser'
import type { CheckoutRequest } from '../checkout/checkout.ts'
import { deliveryDay } from '../shipping/delivery.ts'
import { write } from './api.ts'
import { element, notice } from './dom.ts'

/** The visitor's order did not go through. */
export class OrderError extends Error {
  override readonly name = 'OrderError'
}

/** Address, delivery day and "Buy now". */
export function startCheckoutForm(): void {
  const form = element<HTMLFormElement>('#checkout')
  element<HTMLInputElement>('[name=wished]', form).addEventListener('change', showDeliveryDay)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void order(form)
  })
}

function showDeliveryDay(event: Event): void {
  const { value } = event.target as HTMLInputElement
  element<HTMLOutputElement>('[name=delivery]').value = deliveryDay(value)
}

async function order(form: HTMLFormElement): Promise<void> {
  Sentry.addBreadcrumb({ category: 'checkout', message: 'order sent', level: 'info' })
  try {
    const { number } = await write<{ number: string }>('/api/checkout', requestOf(form))
    notice(`Thank you! Your order is ${number}`)
  } catch (cause) {
    Sentry.captureException(new OrderError('the order did not go through', { cause }), {
      tags: { feature: 'checkout' },
    })
    notice('Sorry, that did not work. You have not been charged.')
  }
}

function requestOf(form: HTMLFormElement): CheckoutRequest {
  const text = (name: string) => element<HTMLInputElement>(`[name=${name}]`, form).value
  return {
    address: {
      name: text('name'),
      street: text('street'),
      postcode: text('postcode'),
      city: text('city'),
      country: 'DE',
    },
    currency: 'EUR',
    method: 'card',
  }
}
