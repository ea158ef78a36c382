import { ProtocolErrorCode, type JSONRPCRequest, type McpServer } from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../../lib/objects.ts'
import { isModern } from '../trace/request-span.ts'

/** No address of ours is longer, and the SDK fails on one with a million characters. */
export const MOST_URI_CHARACTERS = 8192
export const URI_TOO_LONG = 'uri is too long'

/**
 * Answers requests whose parameters no handler can read with `-32602` and one sentence. The SDK would answer with a schema's
 * full list of problems and call it a failure of the server. Call it before the server is connected.
 */
export function checkParams({ server }: McpServer): void {
  const connect = server.connect.bind(server)
  server.connect = (transport) => {
    const start = transport.start.bind(transport)
    transport.start = () => {
      // The server has set it by now.
      const { onmessage } = transport
      transport.onmessage = (message, extra) => {
        const isRequest = 'method' in message && 'id' in message
        const problem = isRequest ? findProblem(message) : undefined
        if (!isRequest || problem === undefined) return onmessage?.(message, extra)
        const error = { code: ProtocolErrorCode.InvalidParams, message: problem }
        transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => undefined)
      }
      return start()
    }
    return connect(transport)
  }
}

function findProblem(request: JSONRPCRequest): string | undefined {
  const { method, params } = request
  const find = problems[method]
  // Revision 2026-07-28 does not have these methods, and the SDK answers so.
  if (find === undefined || (legacyMethods.has(method) && isModern(request))) return undefined
  return find(isObject(params) ? params : {})
}

const legacyMethods: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe'])

/** Whether a message has an address at which the SDK fails before any handler. */
export function hasLongUri(message: unknown): boolean {
  const params = isObject(message) ? message['params'] : undefined
  return isObject(params) && typeof params['uri'] === 'string' && params['uri'].length > MOST_URI_CHARACTERS
}

type FindProblem = (params: JsonObject) => string | undefined

/** No list has a second page. */
const cursor: FindProblem = (params) =>
  params['cursor'] === undefined ? undefined : 'unknown cursor: this list has one page'

const uri: FindProblem = (params) => {
  if (typeof params['uri'] !== 'string') return 'uri must be a string'
  return params['uri'].length > MOST_URI_CHARACTERS ? URI_TOO_LONG : undefined
}

/** The SDK looks names up in an object, where it finds what every object has. */
function named(what: string): FindProblem {
  return ({ name }) => {
    if (typeof name !== 'string') return 'name must be a string'
    return name in Object.prototype ? `${what} ${name} not found` : undefined
  }
}

/** A call, which may carry what a client was asked for before (MCP 2026-07-28, multi round-trip requests). */
const call: FindProblem = (params) => {
  const { requestState, inputResponses } = params
  if (requestState !== undefined && typeof requestState !== 'string') return 'requestState must be a string'
  if (inputResponses !== undefined && !isObject(inputResponses)) return 'inputResponses must be an object'
  return named('Tool')(params)
}

const reference: FindProblem = ({ ref, argument }) => {
  if (!isObject(ref)) return 'ref must name a prompt or a resource template'
  if (!isObject(argument)) return 'argument must be an object with name and value'
  if (ref['type'] === 'ref/prompt') return named('Prompt')(ref)
  return ref['type'] === 'ref/resource' ? uri(ref) : 'ref.type must be ref/prompt or ref/resource'
}

const problems: Readonly<Partial<Record<string, FindProblem>>> = Object.assign(Object.create(null), {
  'tools/list': cursor,
  'prompts/list': cursor,
  'resources/list': cursor,
  'resources/templates/list': cursor,
  'tools/call': call,
  'prompts/get': named('Prompt'),
  'resources/read': uri,
  'resources/subscribe': uri,
  'resources/unsubscribe': uri,
  'completion/complete': reference,
})
