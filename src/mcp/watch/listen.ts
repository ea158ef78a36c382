import * as z from 'zod'
import { isListen } from '../tasks/listen.ts'
import type { Subscriptions } from './subscriptions.ts'

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
 * Watches the addresses of the request, and resolves to the request for those that can be watched: the SDK acknowledges
 * all that it is asked for.
 */
export async function watchListened(listen: Listen, subscriptions: Subscriptions): Promise<Listen> {
  const { notifications } = listen.params
  const uris = [...new Set(notifications.resourceSubscriptions)]
  const added = await Promise.allSettled(uris.map((uri) => subscriptions.add(uri, listenerName(listen.id))))
  const watched = uris.filter((_, index) => added[index]?.status === 'fulfilled')
  for (const uri of uris) if (!watched.includes(uri)) subscriptions.remove(uri, listenerName(listen.id))
  return {
    ...listen,
    params: { ...listen.params, notifications: { ...notifications, resourceSubscriptions: watched } },
  }
}
