import * as z from 'zod'
import { isListen } from '../tasks/listen.ts'
import { ADDRESSES, type Subscriptions } from './subscriptions.ts'

const Listen = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.literal('subscriptions/listen'),
  params: z.looseObject({ notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()) }) }),
})

/** A `subscriptions/listen` request of the 2026-07-28 revision for addresses. */
export type Listen = z.output<typeof Listen>

/** The message if it is such a request. */
export function readListen(message: unknown): Listen | undefined {
  return isListen(message) ? Listen.safeParse(message).data : undefined
}

/** The name of the request's subscriptions. */
export function listenerName(id: unknown): string {
  return JSON.stringify(id)
}

/**
 * Watches the first 50 addresses of the request, and resolves to the request for those that can be watched: the SDK
 * acknowledges all that it is asked for.
 */
export async function watchListened(listen: Listen, subscriptions: Subscriptions): Promise<Listen> {
  const { notifications } = listen.params
  const name = listenerName(listen.id)
  const watched = await Promise.all(
    firstAddresses(notifications.resourceSubscriptions).map(async (uri) => {
      try {
        await subscriptions.add(uri, name)
        return [uri]
      } catch {
        subscriptions.remove(uri, name)
        return []
      }
    }),
  )
  return {
    ...listen,
    params: { ...listen.params, notifications: { ...notifications, resourceSubscriptions: watched.flat() } },
  }
}

/** A body may name more than a hundred thousand, and each is compared with all templates in one turn of the event loop. */
function firstAddresses(uris: readonly string[]): string[] {
  const first = new Set<string>()
  for (const uri of uris) {
    if (first.size === ADDRESSES) break
    first.add(uri)
  }
  return [...first]
}
