import { McpServer, type CallToolResult } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Api } from '../client/api.ts'
import { ServiceError } from '../errors.ts'
import { surface as everything } from '../surface.ts'
import { readArguments } from './arguments.ts'
import { requireConfirmation } from './confirm.ts'
import { effects, type SurfaceOptions } from './define.ts'
import { instructions } from './instructions.ts'
import { listingOf, type ListedTool, type Listing, type Surface } from './listing.ts'
import { render } from './render.ts'
import { createResolver } from './resolve.ts'
import { errorText } from './teach.ts'

/** How long a client may keep a list: it changes only with the configuration. */
const LIST_TTL_MS = 3_600_000
/** More list items and members than any tool takes. */
const MAX_ARGUMENT_ELEMENTS = 10_000

export interface ServerFacts {
  /** Opens the service or the network at the first call that needs it. */
  api: () => Api | Promise<Api>
  options: SurfaceOptions
  version: string
  /** `public`: every caller of this address gets the same lists. */
  cacheScope?: 'public' | 'private'
  /** Told of every failure that is no `ServiceError`; the agent learns nothing of it. */
  onBug?: (error: unknown, tool: string) => void
  /** Instead of the whole surface, for tests of the frame itself. */
  surface?: Surface
}

/** One server with the surface that the options show; cheap, because schemas are shared. */
export function buildServer(facts: ServerFacts): McpServer {
  const listing = listingOf(facts.surface ?? everything, facts.options)
  const hint = { ttlMs: LIST_TTL_MS, cacheScope: facts.cacheScope ?? 'public' }
  const server = new McpServer(
    { name: 'tracegate', title: 'Tracegate', version: facts.version },
    {
      instructions: instructions(listing.offers),
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
      },
      cacheHints: {
        'server/discover': hint,
        'tools/list': hint,
        'prompts/list': hint,
        'resources/list': hint,
        'resources/templates/list': hint,
        'resources/read': hint,
      },
      maxToolInputElements: MAX_ARGUMENT_ELEMENTS,
    },
  )
  for (const listed of listing.tools) registerTool(server, listed, listing, facts)
  for (const { name, uri, text, ...metadata } of listing.resources) {
    server.registerResource(name, uri, metadata, (address) => ({
      contents: [{ uri: address.href, mimeType: metadata.mimeType, text }],
    }))
  }
  for (const { name, title, description, args, text } of listing.prompts) {
    server.registerPrompt(name, { title, description, argsSchema: z.object(args) }, (given) => ({
      messages: [{ role: 'user', content: { type: 'text', text: text(given) } }],
    }))
  }
  return server
}

function registerTool(server: McpServer, listed: ListedTool, listing: Listing, facts: ServerFacts): void {
  const { tool, description, inputSchema, outputSchema } = listed
  const pinned = facts.options.product !== undefined
  const annotations = { title: tool.title, ...effects[tool.effect].annotations }
  server.registerTool(
    tool.name,
    { title: tool.title, description, inputSchema, outputSchema, annotations },
    async (raw, { mcpReq }) => {
      try {
        return await callTool(listed, raw, listing, facts, mcpReq.signal)
      } catch (error) {
        if (!(error instanceof ServiceError)) facts.onBug?.(error, tool.name)
        return {
          isError: true,
          content: [{ type: 'text', text: errorText(error, { offers: listing.offers, pinned }) }],
          _meta: { 'tracegate/integrity': 'trusted' },
        }
      }
    },
  )
}

async function callTool(
  { tool, input }: ListedTool,
  raw: unknown,
  { offers }: Listing,
  facts: ServerFacts,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { args, adjusted } = readArguments(input, raw)
  requireConfirmation(tool, args)
  const api = await facts.api()
  const resolve = createResolver({ api, pinned: facts.options.product, signal })
  const answer = await tool.run(args, { api, options: facts.options, resolve, signal, offers })
  const { text, structured, integrity } = render(answer, {
    offers,
    adjusted,
    pinned: facts.options.product !== undefined,
  })
  return {
    content: [{ type: 'text', text }],
    structuredContent: structured,
    _meta: { 'tracegate/integrity': integrity },
  }
}
