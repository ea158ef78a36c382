import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import type { Api } from '../../../src/client/api.ts'
import type { SurfaceOptions } from '../../../src/mcp/define/define.ts'
import type { ServerFacts } from '../../../src/mcp/server.ts'
import { serveTransport } from '../../../src/mcp/stdio.ts'
import { TASKS_EXTENSION } from '../../../src/mcp/tasks/task.ts'
import { defaults } from '../clients.ts'

/** A response as it is on the wire. */
export interface Response {
  result?: Readonly<Record<string, unknown>>
  error?: { code: number; message: string; data?: unknown }
}

/** A client of 2026-07-28 that shows what a server really sends: the SDK's own client refuses tasks. */
export interface RawClient extends AsyncDisposable {
  /** One request; `capabilities` are those that it declares, by default the tasks extension. */
  request(method: string, params: Readonly<Record<string, unknown>>, capabilities?: object): Promise<Response>
}

const VERSION = '2026-07-28'
/** The capabilities of a client that takes tasks. */
export const withTasks = { extensions: { [TASKS_EXTENSION]: {} } }

let lastId = 0
function message(method: string, params: Readonly<Record<string, unknown>>, capabilities: object) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  return { jsonrpc: '2.0' as const, id: (lastId += 1), method, params: { ...params, _meta } }
}

/** In memory, through the same entry as over stdio. */
export async function rawClient(
  api: Api,
  {
    options = {},
    ...facts
  }: { options?: Partial<SurfaceOptions> } & Partial<Omit<ServerFacts, 'api' | 'options'>> = {},
): Promise<RawClient> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const handle = serveTransport(
    { api: () => api, options: { ...defaults, ...options }, version: '0.0.0-test', ...facts },
    far,
  )
  const waiting = new Map<unknown, (response: Response) => void>()
  near.onmessage = (received: JSONRPCMessage) => {
    if ('id' in received && !('method' in received)) waiting.get(received.id)?.(received as Response)
  }
  await near.start()
  return {
    request(method, params, capabilities = withTasks) {
      const sent = message(method, params, capabilities)
      const response = new Promise<Response>((resolve) => waiting.set(sent.id, resolve))
      return near.send(sent).then(() => response)
    },
    async [Symbol.asyncDispose]() {
      await near.close()
      await handle.close()
    },
  }
}

/** Over HTTP, one request at a time. */
export function rawHttpClient(address: string, token: string): RawClient {
  return {
    async request(method, params, capabilities = withTasks) {
      const name = params['taskId'] ?? params['name']
      const reply = await fetch(address, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': VERSION,
          'mcp-method': method,
          ...(typeof name === 'string' && { 'mcp-name': name }),
        },
        body: JSON.stringify(message(method, params, capabilities)),
      })
      return (await reply.json()) as Response
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
