import type { McpServer, Transport } from '@modelcontextprotocol/server'
import { isObject } from '../../../lib/objects.ts'

/**
 * Accepts `tools/call` requests whose `arguments` are not an object, which the protocol layer would refuse with an error
 * that does not help. They arrive as `{"arguments": …}`, which repair unwraps.
 */
export function acceptAnyArguments(server: McpServer): void {
  const connect = server.connect.bind(server)
  server.connect = (transport: Transport) => {
    const { onmessage } = transport
    // The SDK calls an existing listener before its own, with the same message object.
    transport.onmessage = (message, extra) => {
      onmessage?.(message, extra)
      if ('method' in message && message.method === 'tools/call') wrapArguments(message.params)
    }
    return connect(transport)
  }
}

function wrapArguments(params: unknown): void {
  if (!isObject(params) || !('arguments' in params) || isObject(params['arguments'])) return
  if (params['arguments'] === null) delete params['arguments']
  else params['arguments'] = { arguments: params['arguments'] }
}
