import type { McpServer, Transport } from '@modelcontextprotocol/server'
import { isObject } from '../../../lib/objects.ts'

/**
 * Lets `tools/call` through whose `arguments` are no object: the protocol layer would refuse them with an error that
 * teaches nothing. They arrive as `{"arguments": …}`, which repair knows.
 */
export function acceptAnyArguments(server: McpServer): void {
  const connect = server.connect.bind(server)
  server.connect = (transport: Transport) => {
    const { onmessage } = transport
    // The SDK calls a listener that is there before its own, with the same message.
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
