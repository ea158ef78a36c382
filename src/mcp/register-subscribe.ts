import type { McpServer } from '@modelcontextprotocol/server'
import { addressError } from './register-resource-template.ts'
import type { Subscriptions } from './watch/subscriptions.ts'

/**
 * Registers the subscriptions of the 2025 revisions, which end with the connection or session. `errorText` is what an
 * agent reads of a failure.
 */
export function registerSubscribe(
  { server }: McpServer,
  subscriptions: Subscriptions,
  errorText: (error: unknown) => string,
): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    await subscriptions.subscribe(uri).catch((error: unknown) => {
      throw addressError(uri, error, errorText(error))
    })
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    await subscriptions.unsubscribe(uri)
    return {}
  })
  const before = server.onclose
  server.onclose = () => {
    subscriptions.close()
    before?.()
  }
}
