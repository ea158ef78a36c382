import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostHeaderValidation } from '@modelcontextprotocol/node'
import { createMcpHandler, ProtocolError, type McpServer, type ServerNotifier } from '@modelcontextprotocol/server'
import type { Api } from '../../client/api.ts'
import type { SendEvent } from '../../client/send-event.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseBearer } from '../../lib/network/bearer.ts'
import { isObject } from '../../lib/objects.ts'
import { readTrace, withTrace } from '../../lib/trace/context.ts'
import type { Tracing } from '../../lib/trace/span.ts'
import { createIntake, type IntakeLimits } from '../../lib/intake.ts'
import { confirmHere, narrower, type ConfirmOptions } from '../confirm/options.ts'
import type { SurfaceOptions } from '../define/define.ts'
import { answerListen } from './answer-listen.ts'
import { createVerifier, tokenHash, verifyWith, type Verify } from './auth.ts'
import { BodyCutOff, readJsonBody } from './body.ts'
import { answerPreflight, isPreflight, letPageRead, webOriginValidation } from './cors.ts'
import { webRequest, writeResponse } from './exchange.ts'
import { isLegacy } from './is-legacy.ts'
import { Lifetime } from './lifetime.ts'
import { createRequestLimit } from './limit.ts'
import { hasLongId, ID_TOO_LONG } from './message-ids.ts'
import { writeProblem } from './problem.ts'
import { writeFailure } from './write-failure.ts'
import { parseScope, type Scope } from './scope.ts'
import { OpenResponses } from './open-responses.ts'
import { createListenStreams, type ListenStream } from './listen-streams.ts'
import type { BuildSession } from './live-session.ts'
import type { SessionStore } from './session-store.ts'
import { createSessions } from './sessions.ts'
import type { CallFacts, CallRecord } from '../call/call-tool.ts'
import { createRecentChanges } from '../call/recent-changes.ts'
import { createSeenWorkspaces } from '../resolve/seen-workspaces.ts'
import { buildServer, openSubscriptions, tellUpdated, type ServerFacts } from '../server.ts'
import type { Surface } from '../surface/listing.ts'
import type { OneRequest } from '../surface/reached.ts'
import { isListen } from '../tasks/listen.ts'
import { createPolls } from '../watch/polls.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Every session may keep a stream open (sessions.ts allows 50), in addition to calls. */
const REQUESTS_PER_TOKEN = 100
/** Bodies that arrive or whose call is running. */
const defaultIntake: IntakeLimits = {
  bytes: 48 * 1024 * 1024,
  bytesPerOwner: 32 * 1024 * 1024,
  timeoutMs: 60_000,
  graceMs: 10_000,
  bytesPerSecond: 1024,
}
/** Longer than anything is silent: a stream has a comment every 15 seconds, a call an answer after 25. */
const UNREAD_MS = 120_000
const METHODS = ['GET', 'POST', 'DELETE']
/** What the SDK reports of requests that it refuses. */
const REFUSED = /^(?:Rejected inbound request|Unsupported Media Type)/
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

export interface McpHttpOptions {
  /** The client that makes a caller's calls with the caller's own token. */
  apiFor(token: string): Api
  options: SurfaceOptions
  version: string
  /** Sends an event to the ingest that a DSN names. */
  sendEvent?: SendEvent
  /** How people confirm calls; by default with a key of this process alone. */
  confirm?: ConfirmOptions
  /** The address of the gate's page for a scope. */
  gatePage?: CallFacts['gatePage']
  /** Verifies a token; default: `verifyWith`. */
  verify?: Verify
  /** Host names without ports that requests may use; default: the loopback names. */
  allowedHosts?: readonly string[]
  /** Receives bugs and protocol errors, whose details the caller does not see. */
  onError?: (error: unknown) => void
  /** Records requests as spans. */
  tracing?: Tracing | undefined
  /** Receives a record of every tool call, for the log. */
  onCall?: (record: CallRecord) => void
  now?: () => number
  /** Concurrent requests per token, including streams. */
  perToken?: number
  /** Limits for bodies. */
  intake?: IntakeLimits
  /** How long a connection may move no byte before it is closed: its peer does not read. */
  unreadMs?: number
  /** The sessions of the 2025 revisions, where several processes share them. */
  sessions?: SessionStore
  /** Instead of the whole surface and of the real time, for tests. */
  surface?: Surface
  clock?: Clock
  /** Builds the server of one request; lets a test put a public fixture behind this endpoint. */
  build?: (scope: Scope, token: string, use: ServerUse) => McpServer
}

/** What the handler of the SDK has to know of a request to build its server. */
interface Asked {
  scope: Scope
  request: OneRequest | undefined
}

/** What a server is built for. */
export type ServerUse = Pick<ServerFacts, 'isLegacy' | 'isListening' | 'subscriptions' | 'request'>

/** Resolves when the next request may begin. */
type NextTurn = () => Promise<void>

/** A handler of node:http requests under /mcp, each of which begins at its turn; `close` ends its sessions. */
export interface McpHttp {
  (incoming: IncomingMessage, outgoing: ServerResponse, nextTurn?: NextTurn): Promise<void>
  close(): Promise<void>
  /** Ends the streams on which clients listen, so that they connect to another process. */
  endStreams(this: void): void
  /** What is open in this process, for metrics. */
  open(this: void): { sessions: number; streams: number }
  /** Notifies subscribers of the 2026-07-28 revision of changes. */
  notify: ServerNotifier
}

/**
 * MCP over streamable HTTP (mcp §8): the 2026-07-28 revision without state, the 2025 revisions in sessions. Every
 * request has its caller's token, and nothing is shared between tokens.
 */
export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const { onError = () => undefined, now = Date.now } = options
  const recent = createRecentChanges(now)
  const seenBy = createSeenWorkspaces()
  const confirm = options.confirm ?? confirmHere()
  const polls = createPolls(options.clock)
  const factsFor = (scope: Scope, token: string): ServerFacts => {
    const caller = tokenHash(token)
    return scopedFacts(options, scope, {
      token,
      changing: { caller, recent },
      seen: seenBy(caller),
      confirm,
      polls,
    })
  }
  const build: NonNullable<McpHttpOptions['build']> =
    options.build ?? ((scope, token, use) => buildServer({ ...factsFor(scope, token), ...use }))
  // A surface that cannot be built would make every request fail with 500, so it fails at the start instead.
  buildServer({ api: () => options.apiFor(''), options: options.options, version: options.version })

  const verified = createVerifier(options.verify ?? verifyWith((token) => options.apiFor(token)), options.now)
  const hosts = [...(options.allowedHosts ?? LOOPBACK)]
  const hostAllowed = hostHeaderValidation(hosts)
  const originAllowed = webOriginValidation(hosts)
  const sessions = createSessions({ store: options.sessions, now, clock: options.clock })
  const intake = createIntake(options.intake ?? defaultIntake)
  const limit = createRequestLimit(options.perToken ?? REQUESTS_PER_TOKEN)
  // A request that the protocol refuses is the sender's mistake and is not logged.
  const ownFault = (error: Error) => {
    if (!(error instanceof ProtocolError) && !REFUSED.test(error.message)) onError(error)
  }
  const streams = createListenStreams()
  const listening = new OpenResponses()
  const modern = createMcpHandler(
    ({ authInfo }) => {
      if (authInfo === undefined) throw new Error('a request reached the handler without its caller')
      // `handle` puts it there.
      const { scope, request } = authInfo.extra as unknown as Asked
      return build(scope, authInfo.token, request === undefined ? {} : { request })
    },
    { legacy: 'reject', onerror: ownFault, maxRequestBodySize: MAX_BODY_BYTES, bus: streams.bus },
  )
  async function handle(incoming: IncomingMessage, outgoing: ServerResponse, nextTurn: NextTurn): Promise<void> {
    if (!hostAllowed(incoming, outgoing) || !originAllowed(incoming, outgoing)) return
    letPageRead(incoming, outgoing)
    const scope = parseScope(requestPath(incoming), incoming.headers, options.options)
    if (!('options' in scope)) return writeProblem(outgoing, scope.status, scope.message)
    if (isPreflight(incoming)) return answerPreflight(incoming, outgoing)
    const token = await authenticated(incoming, outgoing, scope.options.product)
    if (token === undefined) return
    if (!METHODS.includes(incoming.method ?? '')) {
      return writeProblem(outgoing, 405, 'Method not allowed', { headers: { allow: METHODS.join(', ') } })
    }
    outgoing.setTimeout(options.unreadMs ?? UNREAD_MS, () => outgoing.destroy())
    const lifetime = new Lifetime(outgoing)
    const handled = lifetime.extend()
    try {
      if (limit.admits(tokenHash(token), lifetime)) {
        await nextTurn()
        // The peer may have disconnected.
        if (!outgoing.closed) await serve(incoming, outgoing, { scope, token, lifetime })
      } else {
        const message = 'too many concurrent requests with this token; wait for some to end'
        writeProblem(outgoing, 429, message, { headers: { 'retry-after': '1' } })
      }
    } finally {
      handled()
    }
  }

  /** Serves a request that may begin. */
  async function serve(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { scope, token, lifetime }: { scope: Scope; token: string; lifetime: Lifetime },
  ): Promise<void> {
    const hold = intake.hold(tokenHash(token))
    lifetime.onEnd(() => hold.release())
    const body = incoming.method === 'POST' ? await readJsonBody(incoming, MAX_BODY_BYTES, hold) : undefined
    if (hasLongId(body)) return writeProblem(outgoing, 400, ID_TOO_LONG, { code: -32_600 })
    if (isLegacy(incoming, body)) {
      if (incoming.method === 'GET') listening.add(outgoing)
      const owner = hash('sha256', `${tokenHash(token)} ${JSON.stringify([scope.options, scope.confirm])}`)
      const inSession: BuildSession = ({ isListening, kept }) => {
        const facts = { ...factsFor(scope, token), isListening }
        const subscriptions = openSubscriptions(facts, (uri) => void tellUpdated(server, uri), kept)
        const server = build(scope, token, { isLegacy: true, isListening, subscriptions })
        const isPermitted = () => verified(token, scope.options.product).catch(() => true)
        return { server, subscriptions, isPermitted }
      }
      return sessions.handle(incoming, outgoing, { body, owner, token: tokenHash(token), build: inSession, lifetime })
    }
    const asked: Asked = { scope, request: isObject(body) ? (body as unknown as OneRequest) : undefined }
    const authInfo = { token, clientId: tokenHash(token), scopes: [], extra: { ...asked } }
    const answer = (message: unknown) => modern.fetch(webRequest(incoming, outgoing), { authInfo, parsedBody: message })
    if (!isListen(body)) return writeResponse(outgoing, await answer(body))
    listening.add(outgoing)
    const watch = (stream: ListenStream) => openSubscriptions(factsFor(scope, token), (uri) => stream.updated(uri))
    const { tracing, build: given } = options
    return answerListen(body, outgoing, { tracing, streams, answer, watch: given === undefined ? watch : undefined })
  }

  /** The caller's token if it is valid; otherwise writes the response and resolves to undefined. */
  async function authenticated(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    product: string | undefined,
  ): Promise<string | undefined> {
    const token = parseBearer(incoming.headers.authorization)
    if (token !== undefined && (await verified(token, product))) return token
    const challenge =
      token === undefined ? 'Bearer realm="tracegate"' : 'Bearer realm="tracegate", error="invalid_token"'
    const message = token === undefined ? 'send Authorization: Bearer <API token>' : 'the API token is not valid'
    writeProblem(outgoing, 401, message, { headers: { 'www-authenticate': challenge } })
    return undefined
  }

  async function answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    nextTurn: NextTurn = () => Promise.resolve(),
  ): Promise<void> {
    try {
      const { traceparent, tracestate } = incoming.headers
      await withTrace(readTrace(traceparent, tracestate), () => handle(incoming, outgoing, nextTurn))
    } catch (error) {
      // The peer has disconnected.
      if (error instanceof BodyCutOff) return void outgoing.destroy()
      writeFailure(outgoing, error, onError)
    }
  }

  return Object.assign(answer, {
    notify: modern.notify,
    endStreams: () => listening.end(),
    open() {
      return { sessions: sessions.open(), streams: listening.size }
    },
    async close() {
      await Promise.all([sessions.close(), modern.close()])
    },
  })
}

interface CallerFacts extends Required<Pick<ServerFacts, 'changing' | 'seen' | 'confirm' | 'polls'>> {
  token: string
}

function scopedFacts(
  options: McpHttpOptions,
  scope: Scope,
  { token, changing, seen, confirm, polls }: CallerFacts,
): ServerFacts {
  const { version, sendEvent, onError, onCall, clock, tracing } = options
  return {
    tracing,
    network: 'tcp',
    polls,
    api: () => options.apiFor(token),
    options: scope.options,
    changing,
    seen,
    confirm: { ...confirm, mode: narrower(confirm.mode, scope.confirm ?? confirm.mode) },
    version,
    cacheScope: scope.narrowed ? 'private' : 'public',
    ...(sendEvent && { sendEvent }),
    ...(onError && { onBug: onError }),
    ...(onCall && { onCall }),
    ...(clock && { clock }),
    ...(options.surface && { surface: options.surface }),
  }
}

function requestPath(incoming: IncomingMessage): string {
  return (incoming.url ?? '/').split('?', 1)[0] ?? '/'
}
