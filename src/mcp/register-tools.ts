import {
  ProtocolError,
  ProtocolErrorCode,
  type JSONRPCRequest,
  type ListToolsResult,
  type McpServer,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isObject } from '../lib/objects.ts'
import { askWithinCall, formKind, repeatsCalls, returned, roundTrip } from './ask-client.ts'
import { tryTool, type CallFacts, type CallFrame } from './call/call-tool.ts'
import { toolResult } from './call/outcome.ts'
import { effects, type Context } from './define/define.ts'
import type { ListedTool, Listing } from './surface/listing.ts'
import { declaresTasks } from './tasks/declared.ts'
import { taskResult } from './tasks/task-result.ts'

type Request = ServerContext['mcpReq']

export interface ToolUse {
  listing: Listing
  facts: CallFacts
  /** Whether a call may continue as a task. */
  hasTasks: boolean
}

/** Answers `tools/list`. */
export function registerToolList({ server }: McpServer, { tools, views }: Listing): void {
  if (tools.length === 0) return
  const list = { tools: tools.map((listed) => listItem(listed, views)) }
  // Its type asks for `type: 'object'`, which JSON Schema of an object has.
  server.setRequestHandler('tools/list', () => list as ListToolsResult)
}

/**
 * Answers `tools/call`. A call does not pass the SDK's own handler, which reads the request with a schema twice and the
 * result once, and whose results can be neither tasks nor protocol errors (decision 134): the tool reads its arguments,
 * and `checkParams` has read the name.
 */
export function registerToolCalls(server: McpServer, use: ToolUse): void {
  const { tools, leftOut } = use.listing
  if (tools.length === 0) return
  // What has no handler goes to the fallback, which the SDK calls without a schema of its own.
  server.server.removeRequestHandler('tools/call')
  server.server.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    if (method !== 'tools/call') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
    const name = String(params?.['name'])
    const listed = tools.find(({ tool }) => tool.name === name)
    if (listed === undefined) {
      const why = leftOut.get(name)
      const message = `Tool ${name} not found${why === undefined ? '' : `: ${why}`}`
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
    }
    return callTool(server, listed, argumentsIn(params), mcpReq, use)
  }
}

/** A tool as `tools/list` describes it. */
function listItem({ tool, description, inputJson, outputJson }: ListedTool, views: Listing['views']) {
  const { name, title, effect } = tool
  const view = views.find(({ tools }) => tools.includes(name))
  return {
    name,
    title,
    description,
    inputSchema: inputJson,
    annotations: { title, ...effects[effect].annotations },
    ...(view && { _meta: { ui: { resourceUri: view.uri } } }),
    outputSchema: outputJson,
  }
}

/** The arguments of a call. What is not an object arrives as `{"arguments": …}`, which repair unwraps. */
function argumentsIn(params: JSONRPCRequest['params']): unknown {
  const given = params?.['arguments'] ?? undefined
  return given === undefined || isObject(given) ? given : { arguments: given }
}

async function callTool(
  server: McpServer,
  listed: ListedTool,
  raw: unknown,
  mcpReq: Request,
  { listing, facts, hasTasks }: ToolUse,
): Promise<Result> {
  const frame: CallFrame = {
    listing,
    facts,
    signal: mcpReq.signal,
    name: listed.tool.name,
    progress: progressReporter(mcpReq),
    form: formKind(server, mcpReq),
    startsTasks: hasTasks && declaresTasks(mcpReq),
    given: returned(mcpReq),
  }
  const first = await tryTool(listed, raw, frame)
  if (first.task !== undefined) return taskResult(first.task)
  if (first.asked === undefined) return toolResult(first)
  if (repeatsCalls(server)) return roundTrip(first.asked)
  const answer = await askWithinCall(mcpReq, first.asked, facts.confirm, facts.clock)
  return toolResult(await tryTool(listed, raw, { ...frame, given: { way: 'form', token: first.asked.token, answer } }))
}

/** Sends progress notifications to a caller that passed a token (mcp §10), until it cancels; values only increase. */
function progressReporter({ _meta, notify, signal }: Request): Context['progress'] | undefined {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  let last = -1
  return ({ done, total, message }) => {
    if (done <= last || signal.aborted) return
    last = done
    const params = { progressToken, progress: done, total, message }
    // A disconnected caller needs no report.
    notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}
