import * as Sentry from '@sentry/node'
import { type Session, SessionExpiredError } from '../session/session.ts'
import { NotFoundError, ValidationError } from '../support/errors.ts'
import type { Trail } from '../support/trail.ts'

const customerMistakes = [NotFoundError, SessionExpiredError, ValidationError]
const inProduction = process.env['SHOP_ENVIRONMENT'] === 'production'

/** Report what went wrong. A customer's mistake is a warning while we test and no news in production. */
export function report(error: unknown): void {
  const mistake = customerMistakes.some((kind) => error instanceof kind)
  if (mistake && inProduction) return
  Sentry.captureException(error, { level: mistake ? 'warning' : 'error' })
}

/** Report that an article runs low. */
export function reportLowStock(sku: string, pieces: number): void {
  Sentry.captureMessage(Sentry.parameterize`Stock of ${sku} is down to ${pieces}`, 'warning')
}

/** Reports of this request say who asked. */
export function identify({ id, customer }: Session): void {
  Sentry.setUser(customer ? { id: customer.id, username: customer.name, email: customer.email } : { id })
}

/** Reports of this request can be found by these. */
export function tag(tags: Record<string, string | undefined>): void {
  Sentry.setTags(tags)
}

/** Reports of this request carry the last notes. */
export const trail: Trail = (category, message, data) => {
  Sentry.addBreadcrumb({ category, message, level: 'info', ...(data && { data }) })
}
