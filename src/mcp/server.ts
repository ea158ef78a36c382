import { McpServer } from '@modelcontextprotocol/server'
import type { Tracing } from '../lib/trace/span.ts'
import { surface as everything } from '../surface.ts'
import { checkParams } from './call/check-params.ts'
import { tryTool, type CallFacts } from './call/call-tool.ts'
import { suggestions } from './call/outside-call.ts'
import type { Changing } from './call/count-changes.ts'
import { confirmHere, type ConfirmOptions } from './confirm/options.ts'
import { createRecentChanges } from './call/recent-changes.ts'
import { UI_EXTENSION, type View } from './define/define.ts'
import { instructions } from './surface/instructions.ts'
import { createListing, type Listing, type Surface } from './surface/listing.ts'
import { errorText } from './result/teach.ts'
import { registerPrompt } from './register-prompt.ts'
import { reachedBy, type OneRequest } from './surface/reached.ts'
import { registerSubscribe } from './register-subscribe.ts'
import { registerTemplate } from './register-resource-template.ts'
import { registerToolCalls, registerToolList } from './register-tools.ts'
import { skillsExtension } from './skills/extension.ts'
import { registerTasks } from './tasks/register-tasks.ts'
import { traceRequests } from './trace/trace-requests.ts'
import { createToolTasks } from './tasks/tool-tasks.ts'
import { createPolls, type Polls } from './watch/polls.ts'
import { Subscriptions, type KeptSubscriptions } from './watch/subscriptions.ts'

/** How long a client may keep a list: it changes only with the configuration. */
const LIST_TTL_MS = 3_600_000

export interface ServerFacts extends Omit<CallFacts, 'changing' | 'confirm'> {
  version: string
  /** Shared by the servers of several requests; by default a server has one caller, whose changes it counts itself. */
  changing?: Changing
  /** By default confirmations are signed with a key of this server alone. */
  confirm?: ConfirmOptions
  /** `public`: every caller of this address gets the same lists. */
  cacheScope?: 'public' | 'private'
  /** Instead of the whole surface, for tests of the frame itself. */
  surface?: Surface
  /** Reads what is subscribed to; shared by the servers of a process. */
  polls?: Polls
  /** Records requests as spans. */
  tracing?: Tracing | undefined
  /** How messages travel; by default `pipe`. */
  network?: 'tcp' | 'pipe' | undefined
  /** True for a client of the 2025 revisions. */
  isLegacy?: boolean
  /** False while the client has no stream open; by default a connection is one. */
  isListening?: () => boolean
  /** Those of a session, which several processes serve; by default the server has its own. */
  subscriptions?: Subscriptions
  /** The only request that the server answers; by default it answers all of a connection. */
  request?: OneRequest
}

function withDefaults(given: ServerFacts) {
  return {
    ...given,
    changing: given.changing ?? { caller: '', recent: createRecentChanges() },
    seen: given.seen ?? { ids: [] },
    confirm: given.confirm ?? confirmHere(),
    polls: given.polls ?? createPolls(given.clock),
  }
}

/** The subscriptions of one connection, session or stream; `updated` gets each address whose content has changed. */
export function openSubscriptions(
  given: ServerFacts,
  updated: (uri: string) => void,
  kept?: KeptSubscriptions,
): Subscriptions {
  const facts = withDefaults(given)
  const listing = createListing(facts.surface ?? everything, facts.options)
  return new Subscriptions({ listing, facts, polls: facts.polls, updated, isListening: facts.isListening, kept })
}

/**
 * One server with the surface that the options show. A server of one request registers only what that request can reach:
 * to register everything takes longer than most calls.
 */
export function buildServer(given: ServerFacts): McpServer {
  const facts = withDefaults(given)
  const listing = createListing(facts.surface ?? everything, facts.options)
  const reached = reachedBy(facts.request, listing)
  const hint = { ttlMs: LIST_TTL_MS, cacheScope: facts.cacheScope ?? 'public' }
  const server = new McpServer(
    { name: 'tracegate', title: 'Tracegate', version: facts.version },
    {
      ...(reached.isAll && { instructions: instructions(listing.offers) }),
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false, subscribe: listing.templates.some(({ template }) => template.watch) },
        prompts: { listChanged: false },
        ...(listing.views.length > 0 && { extensions: { [UI_EXTENSION]: {} } }),
      },
      cacheHints: {
        'server/discover': hint,
        'tools/list': hint,
        'prompts/list': hint,
        'resources/list': hint,
        'resources/templates/list': hint,
        'resources/read': hint,
      },
    },
  )
  checkParams(server)
  traceRequests(server, { listing, tracing: facts.tracing, network: facts.network })
  const tasks = facts.isLegacy === true ? undefined : createToolTasks(listing, facts)
  if (tasks !== undefined) registerTasks(server, tasks)
  if (reached.toolList) registerToolList(server, listing)
  if (reached.toolCalls) registerToolCalls(server, { listing, facts, hasTasks: tasks !== undefined })
  for (const { name, uri, text, skill: _, ...metadata } of reached.resources) {
    server.registerResource(name, uri, metadata, (address) => ({
      contents: [{ uri: address.href, mimeType: metadata.mimeType, text }],
    }))
  }
  for (const view of reached.views) registerView(server, view, listing.offers)
  const suggest = suggestions(facts)
  for (const listed of reached.templates) {
    const { template, tool } = listed
    const call = (args: unknown, signal: AbortSignal) =>
      tryTool(tool, args, { listing, facts, signal, name: template.uriTemplate, address: true })
    registerTemplate(server, listed, { call, suggest })
  }
  if (facts.request === undefined) {
    registerSubscribe(
      server,
      facts.subscriptions ?? openSubscriptions(facts, (uri) => void tellUpdated(server, uri)),
      (error) => errorText(error, { offers: listing.offers, pinned: facts.options.product !== undefined }),
    )
  }
  if (reached.skills) skillsExtension(listing, hint).attach(server)
  for (const prompt of reached.prompts) registerPrompt(server, prompt, { offers: listing.offers, suggest })
  return server
}

/** Tells a 2025 client that a resource has changed; one that is gone need not know. */
export async function tellUpdated({ server }: McpServer, uri: string): Promise<void> {
  await server.sendResourceUpdated({ uri }).catch(() => undefined)
}

/** The file of a view, which a host shows with the results of its tools (SEP-1865). */
function registerView(
  server: McpServer,
  { name, uri, title, description, copies, html }: View,
  offers: Listing['offers'],
): void {
  const mimeType = 'text/html;profile=mcp-app'
  const permissions = copies && { _meta: { ui: { permissions: { clipboardWrite: {} } } } }
  server.registerResource(name, uri, { title, description, mimeType }, ({ href }) => ({
    contents: [{ uri: href, mimeType, text: html(offers), ...permissions }],
  }))
}
