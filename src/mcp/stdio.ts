import type { Tracing } from '../lib/trace/span.ts'
import { ProtocolError, type McpRequestContext, type McpServer, type Transport } from '@modelcontextprotocol/server'
import { serveStdio, type StdioServerHandle } from '@modelcontextprotocol/server/stdio'
import type { Readable, Writable } from 'node:stream'
import type { Api } from '../client/api.ts'
import type { SendEvent } from '../client/send-event.ts'
import type { Upload } from '../client/upload.ts'
import type { SurfaceOptions } from './define/define.ts'
import type { ConfirmOptions } from './confirm/options.ts'
import type { LocalFiles } from './files/local-files.ts'
import { once } from '../lib/once.ts'
import type { CallFacts, CallRecord } from './call/call-tool.ts'
import { createRecentChanges } from './call/recent-changes.ts'
import { LineTransport, UnreadableMessage } from './line-transport.ts'
import { leaveOutAnswered } from './opening/leave-out-answered.ts'
import type { RequestId } from './opening/read.ts'
import { buildServer, openSubscriptions, type ServerFacts } from './server.ts'
import { ListeningTransport } from './watch/listening-transport.ts'
import { createPolls } from './watch/polls.ts'

/** What the SDK reports of messages that it refuses or discards. */
const REFUSED = /^(?:Discarded a |Rejected 2025-era request)/

/** Whether an error is about a message that its client should not have sent, and no failure of the server. */
export function isMessageRefused(error: unknown): error is Error {
  if (error instanceof ProtocolError || error instanceof UnreadableMessage) return true
  return error instanceof Error && REFUSED.test(error.message)
}

export interface StdioOptions {
  stdin: Readable
  stdout: Writable
  /** Opens the service or the network; called once, at the first tool call. */
  openApi: () => Promise<Api>
  options: SurfaceOptions
  version: string
  /** Files of this machine that tools may read. */
  local: LocalFiles
  upload: Upload
  sendEvent: SendEvent
  confirm: ConfirmOptions
  /** The address of the gate's page for a scope. */
  gatePage: NonNullable<CallFacts['gatePage']>
  /** Whose token the calls are made with: its hash, as at the HTTP door; '' for the embedded service's own. */
  caller: string
  /** Receives protocol errors and bugs in a call, which must not be written to stdout. */
  onError?: (error: unknown) => void
  /** Records requests as spans. */
  tracing?: Tracing | undefined
  /** Receives a record of every tool call, for the log. */
  onCall?: (record: CallRecord) => void
  /** Requests on stdin whose answers the client has already. */
  answered?: Set<RequestId>
}

/** Serves MCP on stdin and stdout, 2026-07-28 and the 2025 revisions; ends with stdin. */
export function serveMcpStdio({
  stdin,
  stdout,
  openApi,
  caller,
  onError,
  onCall,
  answered = new Set(),
  ...given
}: StdioOptions): StdioServerHandle {
  const open = once(openApi)
  // The caller started this process, so it may read the same files.
  const options = { ...given.options, local: true }
  const changing = { caller, recent: createRecentChanges() }
  const facts = {
    ...given,
    api: open,
    options,
    changing,
    ...(onError && { onBug: onError }),
    ...(onCall && { onCall }),
  }
  const transport = new LineTransport(stdin, stdout)
  leaveOutAnswered(transport, answered)
  return serveTransport(facts, transport, onError)
}

/** Serves one connection over a transport that both sides use for everything, such as stdio. */
export function serveTransport(
  given: ServerFacts,
  transport: Transport,
  onError?: (error: unknown) => void,
): StdioServerHandle {
  const facts = { ...given, polls: given.polls ?? createPolls(given.clock), seen: given.seen ?? { ids: [] } }
  let serving: McpServer | undefined
  const subscriptions = openSubscriptions(facts, (uri) => {
    serving?.server.sendResourceUpdated({ uri }).catch(() => undefined)
  })
  const build = ({ era }: McpRequestContext) => {
    serving = buildServer({ ...facts, isLegacy: era === 'legacy' })
    return serving
  }
  return serveStdio(build, {
    transport: new ListeningTransport(transport, subscriptions, facts),
    ...(onError && { onerror: onError }),
  })
}
