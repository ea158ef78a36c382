import type { Endpoint } from '../contract/base/endpoint.ts'
import type { Send, WireRequest } from '../contract/base/wire.ts'
import { currentTrace } from '../lib/trace/context.ts'
import type { Span, Tracing } from '../lib/trace/span.ts'

/**
 * Sends a request with the position in the trace that it is made at, and records it as a span of its endpoint: the path as
 * the contract writes it, without ids and query (decision 117).
 */
export function tracedSend(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  request: WireRequest,
  { send, baseUrl, tracing }: { send: Send; baseUrl: string; tracing?: Tracing | undefined },
): ReturnType<Send> {
  const parent = currentTrace()
  if (tracing === undefined) return send(parent === undefined ? request : withHeaders(request, parent))
  const { hostname, port, protocol } = new URL(baseUrl)
  const span = tracing.begin({
    name: `${method} ${path}`,
    kind: 'client',
    parent,
    attributes: {
      'http.request.method': method,
      'url.template': path,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    },
  })
  return recorded(span, () => send(withHeaders(request, span.context)))
}

async function recorded(span: Span, send: () => ReturnType<Send>): ReturnType<Send> {
  try {
    const reply = await send()
    const error = reply.status >= 400 ? String(reply.status) : undefined
    span.end({ error, attributes: { 'http.response.status_code': reply.status } })
    return reply
  } catch (error) {
    span.end({ error: errorClass(error) })
    throw error
  }
}

function withHeaders(request: WireRequest, context: ReturnType<typeof currentTrace>): WireRequest {
  return { ...request, headers: { ...request.headers, ...context } }
}

/** `ECONNREFUSED`, or the name of the error; its message may name what was sent. */
function errorClass(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  const isClass = (text: unknown): text is string => typeof text === 'string' && /^\w{1,60}$/.test(text)
  return [code, name].find(isClass) ?? '_OTHER'
}
