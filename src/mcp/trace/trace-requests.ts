import type { JSONRPCMessage, JSONRPCRequest, McpServer, Transport } from '@modelcontextprotocol/server'
import { withTrace } from '../../lib/trace/context.ts'
import type { Span } from '../../lib/trace/span.ts'
import { beginRequest, responseOutcome, type Response, type SpanOptions } from './request-span.ts'
import type { Listing } from '../surface/listing.ts'

export interface TraceOptions extends SpanOptions {
  listing: Listing
}

/**
 * Lets every request of the server run at the position in a trace that its `_meta` names, else at the one of the HTTP
 * request, and records it as a span (decision 117). To be called before the server is connected.
 */
export function traceRequests({ server }: McpServer, options: TraceOptions): void {
  const connect = server.connect.bind(server)
  server.connect = (transport) => {
    traceTransport(transport, options)
    return connect(transport)
  }
}

function traceTransport(transport: Transport, options: TraceOptions): void {
  const spans = new Map<unknown, Span>()
  let agreed: string | undefined
  const [start, send] = [transport.start.bind(transport), transport.send.bind(transport)]

  function end(id: unknown, outcome?: Parameters<Span['end']>[0]): void {
    spans.get(id)?.end(outcome)
    spans.delete(id)
  }

  transport.start = () => {
    // The server has set them by now.
    const { onmessage, onclose } = transport
    transport.onmessage = (message, extra) => {
      const deliver = () => onmessage?.(message, extra)
      if (!isRequest(message)) {
        deliver()
        const id = cancelledId(message)
        if (id !== undefined) end(id, { error: 'cancelled' })
        return
      }
      const { span, position } = beginRequest(message, options, {
        ...(options.tracing && ownNames(message, options.listing)),
        agreed,
      })
      if (span !== undefined) spans.set(message.id, span)
      withTrace(position, deliver)
    }
    transport.onclose = () => {
      for (const id of spans.keys()) end(id, { error: 'cancelled' })
      onclose?.()
    }
    return start()
  }
  transport.send = (message, sending) => {
    if (!('method' in message)) {
      agreed ??= agreedVersion(message)
      if (spans.size > 0) end(message.id, responseOutcome(message))
    }
    return send(message, sending)
  }
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message
}

function cancelledId(message: JSONRPCMessage): unknown {
  const isCancel = 'method' in message && message.method === 'notifications/cancelled'
  return isCancel ? message.params?.['requestId'] : undefined
}

/** The name that a request gives, if it is one of ours: any other may be anything. */
function ownNames({ method, params }: JSONRPCRequest, { tools, prompts }: Listing) {
  const given = params?.['name']
  if (method === 'tools/call') return { tool: tools.find(({ tool }) => tool.name === given)?.tool.name }
  return method === 'prompts/get' ? { prompt: prompts.find(({ name }) => name === given)?.name } : {}
}

function agreedVersion(message: Response): string | undefined {
  const version = 'result' in message ? message.result['protocolVersion'] : undefined
  return typeof version === 'string' ? version : undefined
}
