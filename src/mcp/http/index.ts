import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostHeaderValidation, originValidation, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  type McpRequestContext,
  type McpServer,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import type { Api } from '../../client/api.ts'
import { parseBearer } from '../../lib/bearer.ts'
import type { SurfaceOptions } from '../define/define.ts'
import { createVerifier, tokenHash, type Verify } from './auth.ts'
import { BodyCutOff, BodyTooLarge, readJsonBody } from './body.ts'
import { createRequestLimit } from './limit.ts'
import { writeProblem } from './problem.ts'
import { parseScope, type Scope } from './scope.ts'
import { createSessions } from './sessions.ts'
import { buildServer, type CallRecord } from '../server.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Every session may hold a stream open (http-sessions.ts allows 50), and calls come on top. */
const REQUESTS_PER_TOKEN = 100
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

export interface McpHttpOptions {
  /** The client that makes a caller's calls with the caller's own token. */
  apiFor(token: string): Api
  options: SurfaceOptions
  version: string
  /** Asks whose token it is; left out, by `auth/me`. */
  verify?: Verify
  /** Host names, without ports, that requests may name; default the loopback names. */
  allowedHosts?: readonly string[]
  /** Told of bugs and of protocol errors; the caller learns nothing of them. */
  onError?: (error: unknown) => void
  /** Told of every tool call, for the log. */
  onCall?: (record: CallRecord) => void
  now?: () => number
  /** Requests of one token at once, streams among them. */
  perToken?: number
  /** Makes the server of one request instead of ours, so that a test can put a public fixture behind this door. */
  build?: (scope: Scope, token: string, era: McpRequestContext['era']) => McpServer
}

/** A handler of node:http requests under /mcp; `close` ends its sessions. */
export interface McpHttp {
  (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
  close(): Promise<void>
  /** Tells subscribers of the 2026-07-28 revision what changed. */
  notify: ServerNotifier
}

/**
 * MCP over streamable HTTP (mcp §8): the 2026-07-28 revision without state, the 2025 revisions in sessions. Every
 * request brings its caller's token, and nothing is shared between tokens.
 */
export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const { onError = () => undefined, now = Date.now } = options
  const build = options.build ?? ((scope, token) => buildScoped(options, scope, token))
  // A surface that cannot be built would answer every request with 500; better to say so at the start.
  buildServer({ api: () => options.apiFor(''), options: options.options, version: options.version })

  const verified = createVerifier(options.verify ?? ((token) => options.apiFor(token).getMe({})), now)
  const hosts = [...(options.allowedHosts ?? LOOPBACK)]
  const hostAllowed = hostHeaderValidation(hosts)
  const originAllowed = originValidation(hosts)
  const sessions = createSessions({ now })
  const limit = createRequestLimit(options.perToken ?? REQUESTS_PER_TOKEN)
  // A request that the protocol refuses is its sender's affair, who is told; it is nothing for our log.
  const ownFault = (error: Error) => {
    if (!(error instanceof ProtocolError) && !error.message.startsWith('Rejected inbound request')) onError(error)
  }
  const modern = createMcpHandler(
    ({ authInfo, requestInfo, era }) => {
      const scope = parseScope(
        new URL(requestInfo?.url ?? 'none:').pathname,
        Object.fromEntries(requestInfo?.headers ?? []),
        options.options,
      )
      if (authInfo === undefined || !('options' in scope))
        throw new Error('a request passed the door without its scope')
      return build(scope, authInfo.token, era)
    },
    { legacy: 'reject', onerror: ownFault, maxRequestBodySize: MAX_BODY_BYTES },
  )
  const answerModern = toNodeHandler(modern, { onerror: onError, maxRequestBodySize: MAX_BODY_BYTES })

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (!hostAllowed(incoming, outgoing) || !originAllowed(incoming, outgoing)) return
    const scope = parseScope(requestPath(incoming), incoming.headers, options.options)
    if (!('options' in scope)) return writeProblem(outgoing, scope.status, scope.message)
    const token = await authenticated(incoming, outgoing)
    if (token === undefined) return
    if (!limit.admits(tokenHash(token), outgoing)) {
      const message = 'too many requests with this token at once; let some end'
      return writeProblem(outgoing, 429, message, { headers: { 'retry-after': '1' } })
    }
    const body = incoming.method === 'POST' ? await readJsonBody(incoming, MAX_BODY_BYTES) : undefined
    if (await isLegacyRequest(await toWebRequest(incoming, body), body)) {
      const owner = `${tokenHash(token)} ${JSON.stringify(scope.options)}`
      const request = { body, owner, token: tokenHash(token), build: () => build(scope, token, 'legacy') }
      return sessions.handle(incoming, outgoing, request)
    }
    const auth = { token, clientId: tokenHash(token), scopes: [] }
    return answerModern(Object.assign(incoming, { auth }), outgoing, body)
  }

  /** The caller's token when the service knows it; otherwise the request is answered and the result undefined. */
  async function authenticated(incoming: IncomingMessage, outgoing: ServerResponse): Promise<string | undefined> {
    const token = parseBearer(incoming.headers.authorization)
    if (token !== undefined && (await verified(token))) return token
    const challenge =
      token === undefined ? 'Bearer realm="tracegate"' : 'Bearer realm="tracegate", error="invalid_token"'
    const message = token === undefined ? 'send Authorization: Bearer <API token>' : 'the API token is not valid'
    writeProblem(outgoing, 401, message, { headers: { 'www-authenticate': challenge } })
    return undefined
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      await handle(incoming, outgoing)
    } catch (error) {
      // Nobody is left to answer.
      if (error instanceof BodyCutOff) return void outgoing.destroy()
      if (error instanceof BodyTooLarge) {
        return writeProblem(outgoing, 413, 'the body is over 4 MiB', { headers: { connection: 'close' } })
      }
      if (error instanceof SyntaxError) return writeProblem(outgoing, 400, 'Parse error', { code: -32_700 })
      onError(error)
      writeProblem(outgoing, 503, 'the service behind this server cannot be reached', {
        headers: { 'retry-after': '5' },
      })
    }
  }

  return Object.assign(answer, {
    notify: modern.notify,
    async close() {
      await Promise.all([sessions.close(), modern.close()])
    },
  })
}

function buildScoped(options: McpHttpOptions, scope: Scope, token: string): McpServer {
  const { version, onError, onCall } = options
  return buildServer({
    api: () => options.apiFor(token),
    options: scope.options,
    version,
    cacheScope: scope.narrowed ? 'private' : 'public',
    ...(onError && { onBug: onError }),
    ...(onCall && { onCall }),
  })
}

function requestPath(incoming: IncomingMessage): string {
  return (incoming.url ?? '/').split('?', 1)[0] ?? '/'
}
