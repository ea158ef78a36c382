import { Cart } from '../cart/cart.ts'
import { ShopError } from '../support/errors.ts'

export interface Customer {
  id: string
  name: string
  email: string
}

/** One visitor. Guests have no customer. */
export interface Session {
  id: string
  customer: Customer
  cart: Cart
  lastSeen: number
}

/** The visitor was away too long. */
export class SessionExpiredError extends ShopError {
  override readonly name = 'SessionExpiredError'
  override readonly status = 401
}

const lifetimeMs = 30 * 60_000

/** Visitors by session id; a session ends half an hour after the last request. */
export class Sessions {
  readonly #byId = new Map<string, Session>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  open(id: string, customer?: Customer): Session {
    // A guest becomes a customer at the checkout, so the type says there is one.
    const session = { id, customer, cart: new Cart(), lastSeen: this.#now() } as Session
    this.#byId.set(id, session)
    return session
  }

  get(id: string): Session {
    const session = this.#byId.get(id)
    if (!session || this.#now() - session.lastSeen > lifetimeMs) throw new SessionExpiredError('please sign in again')
    session.lastSeen = this.#now()
    return session
  }
}
