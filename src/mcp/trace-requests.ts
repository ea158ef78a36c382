import type { JSONRPCMessage, JSONRPCRequest, McpServer, Transport } from '@modelcontextprotocol/server'
import { isObject } from '../lib/objects.ts'
import { currentTrace, readTrace, withTrace } from '../lib/trace/context.ts'
import type { Attributes, Span, Tracing } from '../lib/trace/span.ts'
import type { Listing } from './surface/listing.ts'

/** Other names are those of their senders. */
const methods = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
])

export interface TraceOptions {
  listing: Listing
  /** Without it, the position that a caller names is only passed on. */
  tracing?: Tracing | undefined
  /** `tcp` for HTTP, `pipe` for stdio. */
  network?: 'tcp' | 'pipe' | undefined
}

/**
 * Lets every request of the server run at the position in a trace that its `_meta` names, else at the one of the HTTP
 * request, and records it as a span by the conventions of OpenTelemetry for MCP: no arguments, results or addresses
 * (decision 117). To be called before the server is connected.
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
  /** What the client and the server agreed on, in the 2025 revisions. */
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
      const named = namedTrace(message)
      const ambient = currentTrace()
      const span = options.tracing?.begin({
        ...describe(message, options, agreed),
        kind: 'server',
        parent: named ?? ambient,
        link: named && ambient,
      })
      if (span !== undefined) spans.set(message.id, span)
      withTrace(span?.context ?? named, deliver)
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
      end(message.id, responseOutcome(message))
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

function namedTrace({ params }: JSONRPCRequest) {
  const meta: unknown = params?._meta
  return isObject(meta) ? readTrace(meta['traceparent'], meta['tracestate']) : undefined
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

function describe(
  { id, method, params }: JSONRPCRequest,
  { listing, network = 'pipe' }: TraceOptions,
  agreed: string | undefined,
): { name: string; attributes: Attributes } {
  const known = methods.has(method) ? method : '_OTHER'
  const tool =
    method === 'tools/call'
      ? nameIn(
          listing.tools.map(({ tool }) => tool.name),
          params,
        )
      : undefined
  const prompt =
    method === 'prompts/get'
      ? nameIn(
          listing.prompts.map(({ name }) => name),
          params,
        )
      : undefined
  const version = params?._meta?.[VERSION_KEY] ?? agreed
  return {
    name: [known, tool ?? prompt].filter((part) => part !== undefined).join(' '),
    attributes: {
      'mcp.method.name': known,
      'network.transport': network,
      ...(network === 'tcp' && { 'network.protocol.name': 'http' }),
      ...(isPlain(id) && { 'jsonrpc.request.id': String(id) }),
      ...(typeof version === 'string' && isPlain(version) && { 'mcp.protocol.version': version }),
      ...(tool !== undefined && { 'gen_ai.tool.name': tool, 'gen_ai.operation.name': 'execute_tool' }),
      ...(prompt !== undefined && { 'gen_ai.prompt.name': prompt }),
    },
  }
}

/** The name that a request gives, if it is one of ours: any other may be anything. */
function nameIn(names: readonly string[], params: JSONRPCRequest['params']): string | undefined {
  const given = params?.['name']
  return names.find((name) => name === given)
}

/** Clients number their requests; a longer id may carry something. */
function isPlain(id: string | number): boolean {
  return /^[\w.-]{1,40}$/.test(String(id))
}

type Response = Exclude<JSONRPCMessage, { method: string }>

function agreedVersion(message: Response): string | undefined {
  const version = 'result' in message ? message.result['protocolVersion'] : undefined
  return typeof version === 'string' ? version : undefined
}

function responseOutcome(message: Response): Parameters<Span['end']>[0] {
  if ('error' in message) {
    const code = String(message.error.code)
    return { error: code, attributes: { 'rpc.response.status_code': code } }
  }
  return message.result['isError'] === true ? { error: 'tool_error' } : {}
}
