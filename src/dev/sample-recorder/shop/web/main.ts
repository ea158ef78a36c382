import './instrument.ts'
import * as Sentry from '@sentry/browser'
import type { Customer } from '../session/session.ts'
import { features } from '../support/release.ts'
import { read } from './api.ts'
import { CartView } from './cart-view.ts'
import { startCheckoutForm } from './checkout-form.ts'
import { element } from './dom.ts'
import { openNewsletter } from './newsletter.ts'
import { OfferCountdown } from './offer.ts'
import { ProductList } from './product-list.ts'
import { startSearchBox } from './search-box.ts'

const cart = new CartView()

/** Everything the page needs, the visible parts first. */
async function start(): Promise<void> {
  await signIn()
  cart.show()
  startSearchBox()
  startCheckoutForm()
  new OfferCountdown(element('#offer'), 60).start()
  await new ProductList(cart).show()
  if (features.recommendations) await import('./recommendations.ts').then((part) => part.showRecommendations())
  document.body.dataset['ready'] = 'yes'
}

async function signIn(): Promise<void> {
  const customer = await read<Customer>('/api/session')
  Sentry.setUser({ id: customer.id, username: customer.name, email: customer.email })
}

void start()
openNewsletter(location.hash)
