import { startApp, type App, type AppOptions } from '../app.ts'
import type { Called } from '../mcp/clients.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const MINUTE = 60_000

export interface Shop extends App {
  /** One event at so many minutes before noon; fails when the ingest refuses it. */
  crash(minutesAgo: number, event?: Record<string, unknown>): Promise<void>
}

/**
 * The embedded service with a clock at noon and ids that count, so that whole outputs can be compared; one product, the
 * release shop@1.4.0 in production, and one component.
 */
export async function openShop(options: Pick<AppOptions, 'dataDir' | 'agentTypes'> = {}): Promise<Shop> {
  let ids = 0
  let events = 0
  const app = await startApp({
    ...options,
    platform: { now: () => noon, newId: () => `00000000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}` },
  })
  const product = `/v1/products/${app.productId}`
  await app.request('POST', `${product}/releases`, { version: 'shop@1.4.0', environment: 'production' })
  await app.request('POST', `${product}/components`, { name: 'Checkout', path_globs: ['src/checkout/**'] })
  return Object.assign(app, {
    async crash(minutesAgo: number, event: Record<string, unknown> = {}) {
      events += 1
      const reply = await app.ingest({
        event_id: String(events).padStart(32, '0'),
        timestamp: new Date(noon - minutesAgo * MINUTE).toISOString(),
        environment: 'production',
        release: 'shop@1.4.0',
        ...event,
      })
      if (reply.status !== 200) throw new Error(`the ingest answered ${String(reply.status)}`)
    },
  })
}

/** A checkout that crashed in our code below a library, with breadcrumbs and a user. */
export function checkoutCrash(user: string): Record<string, unknown> {
  return {
    platform: 'javascript',
    level: 'error',
    transaction: '/checkout',
    user: { id: user },
    sdk: { name: 'sentry.javascript.browser', version: '11.11.0' },
    tags: { browser: 'Firefox' },
    exception: {
      values: [
        {
          type: 'TypeError',
          value: "Cannot read properties of undefined (reading 'email')",
          mechanism: { type: 'onerror', handled: false },
          stacktrace: {
            frames: [
              { function: 'dispatch', filename: 'node_modules/react-dom/index.js', lineno: 9, in_app: false },
              {
                function: 'submitOrder',
                filename: 'src/checkout/order.ts',
                lineno: 41,
                colno: 7,
                in_app: true,
                context_line: '  const to = order.customer.email',
              },
            ],
          },
        },
      ],
    },
    breadcrumbs: {
      values: [{ timestamp: noon / 1000 - 60, category: 'ui.click', message: 'button#pay', level: 'info' }],
    },
  }
}

/** The result with its nonce replaced, as the text and the JSON an agent may get. */
export function shown({ text, structured }: Called): { text: string; structured: unknown } {
  return { text: text.replaceAll(/untrusted-\d{15}/g, 'untrusted-NONCE'), structured }
}
