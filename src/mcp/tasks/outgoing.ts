import type { CallToolResult, JSONRPCMessage, McpServer, ProtocolError, Transport } from '@modelcontextprotocol/server'
import { isObject } from '../../lib/objects.ts'
import type { TaskHead } from '../call/started-task.ts'
import type { Task } from './task.ts'

/** The member of `_meta` that carries what is sent instead of the result. */
const INSTEAD = 'tracegate/instead'

/** The result of a call that continues as a task; `sendTasks` sends the task instead. */
export function taskResult(task: Task | TaskHead): CallToolResult {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task
  const started = { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
  return carrier({ result: { resultType: 'task', ...started } })
}

/** The result of a call that is refused with a protocol error; `sendTasks` sends the error instead. */
export function refusal({ code, message, data }: ProtocolError): CallToolResult {
  return carrier({ error: { code, message, data } })
}

/** Marked as an error, because the SDK validates the results of successful calls against the output schema. */
function carrier(instead: object): CallToolResult {
  return { content: [], isError: true, _meta: { [INSTEAD]: instead } }
}

/**
 * Sends tasks and errors instead of the results that carry them. The SDK's handler of `tools/call` returns only tool results:
 * it would turn an error into a result, and add `content` to a task.
 */
export function sendTasks(server: McpServer): void {
  const connect = server.connect.bind(server)
  server.connect = (transport: Transport) => {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(unpacked(message), options)
    return connect(transport)
  }
}

function unpacked(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !isObject(message.result._meta)) return message
  const { [INSTEAD]: instead, ..._meta } = message.result._meta
  if (!isObject(instead)) return message
  const { jsonrpc, id } = message
  if (!isObject(instead['result'])) return { jsonrpc, id, ...instead } as JSONRPCMessage
  return { jsonrpc, id, result: { ...instead['result'], _meta } }
}
