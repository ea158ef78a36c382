import { isObject } from '../lib/objects.ts'

/** Whether a message asks for a stream at all: nearly none does, and a schema takes long to say no. */
export function isListen(message: unknown): boolean {
  return isObject(message) && message['method'] === 'subscriptions/listen'
}
