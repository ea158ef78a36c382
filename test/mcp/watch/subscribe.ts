import { Client } from '@modelcontextprotocol/client'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Connected } from '../clients.ts'

export interface Heard {
  /** The addresses that were told to have changed. */
  updates: string[]
  stop(): Promise<void>
}

/** Subscribes as a client of its revision does; rejects when the address is not accepted. */
export async function subscribe({ client }: Connected, uri: string): Promise<Heard> {
  const updates: string[] = []
  if (!(client instanceof Client)) {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updates.push(params.uri))
  } else {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri))
    if (client.getNegotiatedProtocolVersion() === '2026-07-28') {
      const { honoredFilter, close } = await listened(client, uri)
      if (honoredFilter.resourceSubscriptions?.includes(uri) !== true) throw new Error('the address is not honoured')
      return { updates, stop: close }
    }
  }
  await client.subscribeResource({ uri })
  return { updates, stop: async () => void (await client.unsubscribeResource({ uri })) }
}

/** Listens as a client of the 2026-07-28 revision. */
export async function listened(client: Client, ...uris: string[]) {
  const subscription = await client.listen({ resourceSubscriptions: uris })
  return { honoredFilter: subscription.honoredFilter, close: () => subscription.close() }
}
