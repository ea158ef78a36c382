import type { JSONRPCErrorResponse, JSONRPCRequest } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { isObject } from '../../lib/objects.ts'
import { isDeclared, tasksNotDeclared } from './declared.ts'

/** Whether a message asks for a stream at all: nearly none does, and a schema takes long to say no. */
export function isListen(message: unknown): message is JSONRPCRequest {
  return isObject(message) && message['method'] === 'subscriptions/listen'
}

const TaskListen = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.literal('subscriptions/listen'),
  params: z.looseObject({
    notifications: z.looseObject({ taskIds: z.array(z.unknown()) }),
    _meta: z.unknown(),
  }),
})

/**
 * The response to a `subscriptions/listen` request that asks for notifications of tasks without declaring the extension;
 * undefined for any other message. A client that declares it is acknowledged without them: none are sent.
 */
export function refusedListen(message: unknown): JSONRPCErrorResponse | undefined {
  const listen = isListen(message) ? TaskListen.safeParse(message).data : undefined
  if (listen === undefined || isDeclared(listen.params._meta)) return undefined
  const { code, message: words, data } = tasksNotDeclared()
  return { jsonrpc: '2.0', id: listen.id, error: { code, message: words, data } }
}
