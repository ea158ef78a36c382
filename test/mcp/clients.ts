import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator as OlderValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { Api } from '../../src/client/api.ts'
import type { SurfaceOptions } from '../../src/mcp/define/define.ts'
import type { ServerFacts } from '../../src/mcp/server.ts'
import { serveTransport } from '../../src/mcp/stdio.ts'

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

/** The clients' own validators of results. Each client would compile the schemas of all tools again, with every list of them. */
const validators = { newer: compilingOnce(new AjvJsonSchemaValidator()), older: compilingOnce(new OlderValidator()) }

/** The same validator, which compiles each schema once. */
function compilingOnce<Validator extends { getValidator(schema: never): unknown }>(validator: Validator): Validator {
  const compile = validator.getValidator.bind(validator)
  const compiled = new Map<string, unknown>()
  function getValidator(schema: never): unknown {
    const key = JSON.stringify(schema)
    const known = compiled.get(key) ?? compile(schema)
    compiled.set(key, known)
    return known
  }
  return Object.assign(validator, { getValidator })
}

/** A client of one era before it has a transport. */
export function connectClient(era: Era, user?: User): Client | OlderClient {
  const capabilities = user === undefined ? {} : { elicitation: {} }
  if (era === 'sdk 1.32') {
    const older = new OlderClient(info, { capabilities, jsonSchemaValidator: validators.older })
    if (user !== undefined) older.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOnce(user, params))
    return older
  }
  const versionNegotiation = { mode: era === '2026-07-28' ? { pin: era } : ('legacy' as const) }
  const client = new Client(info, { versionNegotiation, capabilities, jsonSchemaValidator: validators.newer })
  if (user !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => answerOnce(user, params))
  return client
}

/** A form as a client gets it. */
export interface Shown {
  message: string
  requestedSchema: { properties: Record<string, unknown>; required?: string[] | undefined }
}

export interface Answered extends Record<string, unknown> {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string>
}

/** Whoever answers a client's forms. */
export type User = (shown: Shown) => Answered | Promise<Answered>

async function answerOnce(user: User, params: unknown): Promise<Answered> {
  return user(params as Shown)
}

/** A client in memory, through the same entry as over stdio, to a server over the real service. */
export async function connect(
  api: Api | (() => Promise<Api>),
  {
    era = '2026-07-28',
    options = {},
    user,
    ...facts
  }: { era?: Era; options?: Partial<SurfaceOptions>; user?: User } & Partial<Omit<ServerFacts, 'api' | 'options'>> = {},
): Promise<Connected> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const open = typeof api === 'function' ? api : () => api
  const handle = serveTransport(
    { api: open, options: { ...defaults, ...options }, version: '0.0.0-test', ...facts },
    far,
  )
  const client = connectClient(era, user)
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
