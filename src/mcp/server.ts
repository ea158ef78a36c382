import { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Api } from '../client/api.ts'
import { failures, ServiceError } from '../errors.ts'
import { surface as everything } from '../surface.ts'
import { inToolWords, readArguments } from './arguments.ts'
import { requireConfirmation } from './confirm.ts'
import { effects, type SurfaceOptions } from './define.ts'
import { instructions } from './instructions.ts'
import { listingOf, type ListedTool, type Listing, type Surface } from './listing.ts'
import { asksForMore, moreCall } from './more-call.ts'
import { render } from './render.ts'
import { acceptAnyArguments } from './repair/any-arguments.ts'
import type { RepairKind } from './repair/notes.ts'
import { createResolver } from './resolve.ts'
import { errorText } from './teach.ts'

/** How long a client may keep a list: it changes only with the configuration. */
const LIST_TTL_MS = 3_600_000
/** More list items and members than any tool takes. */
const MAX_ARGUMENT_ELEMENTS = 10_000

/** What became of one tool call. */
export interface CallRecord {
  tool: string
  /** `ok`, or the code that the agent read. */
  outcome: string
  durationMs: number
  /** Length of the text form. */
  characters: number
  /** How the arguments were repaired. */
  repairs: RepairKind[]
}

export interface ServerFacts {
  /** Opens the service or the network at the first call that needs it. */
  api: () => Api | Promise<Api>
  options: SurfaceOptions
  version: string
  /** `public`: every caller of this address gets the same lists. */
  cacheScope?: 'public' | 'private'
  /** Told of every failure that is no `ServiceError`; the agent learns nothing of it. */
  onBug?: (error: unknown, tool: string) => void
  /** Told of every call, for the log; never of its arguments or its result (SAFETY §4). */
  onCall?: (record: CallRecord) => void
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
  acceptAnyArguments(server)
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
      const started = performance.now()
      const record: CallRecord = { tool: tool.name, outcome: 'ok', durationMs: 0, characters: 0, repairs: [] }
      const { text, ...rest } = await callTool(listed, raw, { listing, facts, signal: mcpReq.signal, record }).catch(
        (error: unknown) => {
          if (!(error instanceof ServiceError)) facts.onBug?.(error, tool.name)
          record.outcome = error instanceof ServiceError ? failures[error.code].agent : failures.internal.agent
          const text = errorText(error, { offers: listing.offers, pinned })
          return { text, isError: true, _meta: { 'tracegate/integrity': 'trusted' } }
        },
      )
      facts.onCall?.({ ...record, durationMs: Math.round(performance.now() - started), characters: text.length })
      return { content: [{ type: 'text' as const, text }], ...rest }
    },
  )
}

interface CallFrame {
  listing: Listing
  facts: ServerFacts
  signal: AbortSignal
  record: CallRecord
}

async function callTool({ tool, input }: ListedTool, raw: unknown, { listing, facts, signal, record }: CallFrame) {
  const { offers } = listing
  const { product } = facts.options
  const pinned = product !== undefined
  const { args, adjusted, kinds } = readArguments({ input, effect: tool.effect, pinned, product }, raw)
  record.repairs.push(...kinds)
  requireConfirmation(tool, args)
  const api = await facts.api()
  const resolve = createResolver({ api, pinned: product, signal })
  const answer = await tool
    .run(args, { api, options: facts.options, resolve, signal, offers })
    .catch((error: unknown) => {
      throw inToolWords(error, input, args)
    })
  if (answer.adjusted !== undefined) record.repairs.push('looked_up')
  const { text, structured, integrity } = render(answer, {
    offers,
    adjusted: [...adjusted, ...(answer.adjusted ?? [])],
    pinned,
    limits: {
      cuts: tool.cuts ?? [],
      wide: asksForMore(input, args),
      more: (cuts) => moreCall({ name: tool.name, input }, args, cuts),
    },
  })
  return { text, structuredContent: structured, _meta: { 'tracegate/integrity': integrity } }
}
