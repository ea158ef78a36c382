import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import type { Api } from '../../../../src/client/api.ts'
import { createDoor } from '../../../../src/http/door.ts'
import { once } from '../../../../src/lib/once.ts'
import { createMcpHttp } from '../../../../src/mcp/http/index.ts'
import { serveTransport } from '../../../../src/mcp/stdio.ts'
import { LineTransport } from '../../../../src/mcp/line-transport.ts'
import { surface as everything } from '../../../../src/surface.ts'
import { clientFor, greeting, openTemporaryService, readName, trivialTools } from './work.ts'

// One of the servers that are compared, as a process of its own: `servers.ts http|stdio-minimal|stdio-ours`. The service
// that the tool `read_name` reads from is in the same process, for both.

const service = once(openTemporaryService)
const options = { toolsets: ['all'], readOnly: false }
const surface = { ...everything, tools: [...everything.tools, ...trivialTools] }

const ownApi = once(async (): Promise<Api> => {
  const opened = await service()
  return clientFor(opened, opened.token)
})

/** What the SDK's documentation begins with: a server with one tool. */
function minimalServer(tool: 'say_nothing' | 'read_name'): McpServer {
  const server = new McpServer({ name: 'minimal', version: '1.0.0' })
  const facts = { description: 'Answers a sentence.', inputSchema: z.object({ text: z.string().optional() }) }
  const said = async () => (tool === 'read_name' ? readName(await ownApi()) : greeting)
  server.registerTool(tool, facts, async () => ({ content: [{ type: 'text', text: await said() }] }))
  return server
}

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

/** What node:http itself takes for such a request and its response. */
const bare: Handle = async (incoming, outgoing) => {
  const { id } = JSON.parse(await text(incoming)) as { id: number }
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: greeting }] } })
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

async function serveHttp(): Promise<void> {
  const opened = await service()
  const handlers: Record<string, Handle> = {
    '/bare': bare,
    '/say_nothing': toNodeHandler(createMcpHandler(() => minimalServer('say_nothing'))),
    '/read_name': toNodeHandler(createMcpHandler(() => minimalServer('read_name'))),
  }
  const minimal = createServer((incoming, outgoing) => void handlers[incoming.url ?? '']?.(incoming, outgoing))
  const door = createDoor({
    mcp: createMcpHttp({ apiFor: (token) => clientFor(opened, token), options, version: '1.0.0', surface }),
    service: opened.handle,
    allowedHosts: ['127.0.0.1'],
    version: '1.0.0',
    log: () => undefined,
  })
  const addresses = { minimal: await listening(minimal), ours: await listening(door), token: opened.token }
  process.stdout.write(`${JSON.stringify(addresses)}\n`)
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

const [, , kind, tool] = process.argv
if (kind === 'http') await serveHttp()
else if (kind === 'stdio-minimal') serveStdio(() => minimalServer(tool === 'read_name' ? tool : 'say_nothing'))
else
  serveTransport(
    { api: ownApi, options: { ...options, local: true }, version: '1.0.0', surface },
    new LineTransport(process.stdin, process.stdout),
  )
