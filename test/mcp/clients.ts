import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { Api } from '../../src/client/api.ts'
import type { SurfaceOptions } from '../../src/mcp/define/define.ts'
import { buildServer, type ServerFacts } from '../../src/mcp/server.ts'

export const defaults: SurfaceOptions = { toolsets: ['default'], readOnly: false }

/** The three clients of today: the newest revision, the newest client in the 2025 revision, the 1.x line of the SDK. */
export const eras = ['2026-07-28', '2025-11-25', 'sdk 1.32'] as const
export type Era = (typeof eras)[number]

/** One call's result as an agent's host gets it. */
export interface Called {
  text: string
  structured: unknown
  isError: boolean
  meta: Readonly<Record<string, unknown>>
}

export interface Connected extends AsyncDisposable {
  call(tool: string, args?: Record<string, unknown>): Promise<Called>
  list(): Promise<readonly ListedTool[]>
  instructions(): string | undefined
  client: Client | OlderClient
}

export interface ListedTool {
  name: string
  description?: string | undefined
  inputSchema: { properties?: Record<string, unknown> | undefined }
  outputSchema?: unknown
  annotations?: Readonly<Record<string, unknown>> | undefined
}

const info = { name: 'test', version: '1.0.0' }

/** A client of one era before it has a transport. */
export function connectClient(era: Era): Client | OlderClient {
  if (era === 'sdk 1.32') return new OlderClient(info)
  return new Client(info, { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } })
}

/** A client in memory, through the same entry as over stdio, to a server over the real service. */
export async function connect(
  api: Api | (() => Promise<Api>),
  {
    era = '2026-07-28',
    options = {},
    ...facts
  }: { era?: Era; options?: Partial<SurfaceOptions> } & Partial<Omit<ServerFacts, 'api' | 'options'>> = {},
): Promise<Connected> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const open = typeof api === 'function' ? api : () => api
  const handle = serveStdio(
    () => buildServer({ api: open, options: { ...defaults, ...options }, version: '0.0.0-test', ...facts }),
    { transport: far },
  )
  const client = connectClient(era)
  await client.connect(near)
  return connected(client, async () => {
    await client.close()
    await handle.close()
  })
}

/** The calls of a test over a client that is already connected. */
export function connected(client: Client | OlderClient, close: () => Promise<void>): Connected {
  return {
    client,
    async call(tool, args = {}) {
      const result = await client.callTool({ name: tool, arguments: args })
      const [first] = result.content as { type: string; text?: string }[]
      return {
        text: first?.text ?? '',
        structured: result.structuredContent,
        isError: result.isError === true,
        meta: result._meta ?? {},
      }
    },
    async list() {
      const { tools } = await client.listTools()
      return tools
    },
    instructions: () => client.getInstructions(),
    [Symbol.asyncDispose]: close,
  }
}
