import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server'
import { isObject } from '../../lib/objects.ts'
import { currentTrace, readTrace, type TraceContext } from '../../lib/trace/context.ts'
import type { Attributes, Span, Tracing } from '../../lib/trace/span.ts'

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
  'subscriptions/listen',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
])

export interface SpanOptions {
  /** Without it, the position that a caller names is only passed on. */
  tracing?: Tracing | undefined
  /** `tcp` for HTTP, `pipe` for stdio. */
  network?: 'tcp' | 'pipe' | undefined
}

interface Known {
  /** The tool or prompt of ours that the request names. */
  tool?: string | undefined
  prompt?: string | undefined
  /** What the client and the server agreed on, in the 2025 revisions. */
  agreed?: string | undefined
}

export interface Begun {
  span: Span | undefined
  /** Where the work for the request is done in a trace. */
  position: TraceContext | undefined
}

/**
 * Begins the span of a request by the conventions of OpenTelemetry for MCP: no arguments, results or addresses
 * (decision 117). Its parent is the position that `_meta` names, else the one of the HTTP request.
 */
export function beginRequest(message: JSONRPCRequest, options: SpanOptions, known: Known = {}): Begun {
  const named = namedTrace(message)
  if (options.tracing === undefined) return { span: undefined, position: named }
  const ambient = currentTrace()
  const span = options.tracing.begin({
    ...describe(message, options.network ?? 'pipe', known),
    kind: 'server',
    parent: named ?? ambient,
    link: named && ambient,
  })
  return { span, position: span.context }
}

function namedTrace({ params }: JSONRPCRequest) {
  const meta: unknown = params?._meta
  return isObject(meta) ? readTrace(meta['traceparent'], meta['tracestate']) : undefined
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** Whether a request belongs to the 2026-07-28 revision, in which every request names its version. */
export function isModern({ params }: JSONRPCRequest): boolean {
  return params?._meta?.[VERSION_KEY] !== undefined
}

function describe(
  { id, method, params }: JSONRPCRequest,
  network: 'tcp' | 'pipe',
  { tool, prompt, agreed }: Known,
): { name: string; attributes: Attributes } {
  const known = methods.has(method) ? method : '_OTHER'
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

/** Clients number their requests; a longer id may carry something. */
function isPlain(id: string | number): boolean {
  return /^[\w.:-]{1,40}$/.test(String(id))
}

export type Response = Exclude<JSONRPCMessage, { method: string }>

/** How the span of a request ends that was answered so. */
export function responseOutcome(message: Response): Parameters<Span['end']>[0] {
  if ('error' in message) {
    const code = String(message.error.code)
    return { error: code, attributes: { 'rpc.response.status_code': code } }
  }
  return message.result['isError'] === true ? { error: 'tool_error' } : {}
}
