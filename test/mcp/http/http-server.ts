import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createApi } from '../../../src/client/client.ts'
import { createDoor } from '../../../src/http/door.ts'
import type { SurfaceOptions } from '../../../src/mcp/define/define.ts'
import { createMcpHttp, type McpHttp, type McpHttpOptions } from '../../../src/mcp/http/index.ts'
import { origin, type App } from '../../app.ts'
import { connectClient, connected, defaults, type Connected, type Era, type User } from '../clients.ts'

export interface McpServed extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  base: string
  /** What the server reported in addition to its responses. */
  errors: unknown[]
  notify: McpHttp['notify']
  /** What is open in the server. */
  open: McpHttp['open']
  /** Resolves when every request until now has been dealt with. */
  handled(): Promise<unknown>
}

/** The real MCP door in front of the real service, on a free loopback port. */
export async function serveMcp(
  app: Pick<App, 'service'>,
  { options = {}, ...more }: { options?: Partial<SurfaceOptions> } & Partial<Omit<McpHttpOptions, 'options'>> = {},
): Promise<McpServed> {
  const errors: unknown[] = []
  const mcp = createMcpHttp({
    apiFor: (token) => createApi({ send: app.service.direct, baseUrl: origin, token, via: 'mcp' }),
    options: { ...defaults, ...options },
    version: '0.0.0-test',
    onError: (error) => errors.push(error),
    ...more,
  })
  const requests: Promise<void>[] = []
  const server = createDoor({
    mcp(...request) {
      const handled = mcp(...request)
      requests.push(handled)
      return handled
    },
    allowedHosts: [],
    version: '0.0.0-test',
    log: (entry) => errors.push(entry),
  })
  return {
    base: await listening(server),
    errors,
    notify: mcp.notify,
    open: mcp.open,
    handled: () => Promise.all(requests),
    async [Symbol.asyncDispose]() {
      await mcp.close()
      await ended(server)
    },
  }
}

/** Adds the caller's token to every request and forwards the rest unchanged: for clients that cannot send a token. */
export async function addToken(base: string, token: string): Promise<AsyncDisposable & { base: string }> {
  const target = new URL(base)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const onward = forward(
      { hostname: target.hostname, port: target.port, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        outgoing.on('close', () => answer.destroy())
      },
    )
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  return { base: await listening(server), [Symbol.asyncDispose]: () => ended(server) }
}

/** A real client over HTTP. */
export async function connectHttp(
  address: string,
  token: string,
  era: Era,
  headers: Record<string, string> = {},
  user?: User,
): Promise<Connected> {
  const client = connectClient(era, user)
  const options = { requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } } }
  const url = new URL(address)
  if (client instanceof Client) await client.connect(new StreamableHTTPClientTransport(url, options))
  else await client.connect(new OlderTransport(url, options))
  return connected(client, () => client.close())
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has such an address.
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

async function ended(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
