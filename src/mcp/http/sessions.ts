import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { isInitializeRequest, type McpServer } from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import { writeProblem } from './problem.ts'

/** A session that is idle for this long is ended. */
const IDLE_MS = 30 * 60_000
const SESSIONS = 1000
const SESSIONS_PER_TOKEN = 50

interface Session {
  transport: NodeStreamableHTTPServerTransport
  server: McpServer
  owner: string
  /** Open streams of the client for what is not the answer to a request. */
  streams: number
}

/** Builds the server of a session; the function tells whether its client has a stream open. */
type BuildServer = (isListening: () => boolean) => McpServer

/** The 2025 revisions over HTTP, where a server can ask its client something only within a session (mcp §10). */
export interface Sessions {
  /**
   * Answers one request. `owner` identifies token and scope of the session; to other owners the session does not exist.
   */
  handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    request: { body: unknown; owner: string; token: string; build: BuildServer },
  ): Promise<void>
  close(): Promise<void>
}

export interface SessionLimits {
  perToken?: number
  now?: () => number
}

export function createSessions({ perToken = SESSIONS_PER_TOKEN, now = Date.now }: SessionLimits = {}): Sessions {
  const sessions = new LRUCache<string, Session>({
    max: SESSIONS,
    ttl: IDLE_MS,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now },
    // Not `dispose`: closing deletes the session, while the cache would still be removing it.
    disposeAfter: ({ server }) => void server.close(),
  })

  function makeRoom(token: string): void {
    sessions.purgeStale()
    const own = [...sessions.entries()].filter(([, { owner }]) => owner.startsWith(`${token} `))
    // Entries are ordered by last use, most recent first.
    for (const [id] of own.slice(perToken - 1)) sessions.delete(id)
  }

  /** A client that listens to a subscription uses its session. */
  function isListening({ streams, transport: { sessionId } }: Session): boolean {
    return streams > 0 && sessionId !== undefined && sessions.get(sessionId) !== undefined
  }

  async function open(owner: string, token: string, build: BuildServer): Promise<Session> {
    makeRoom(token)
    const server = build(() => isListening(session))
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, session),
    })
    const session: Session = { transport, server, owner, streams: 0 }
    await server.connect(transport)
    const ended = transport.onclose
    transport.onclose = () => {
      ended?.()
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
    }
    return session
  }

  return {
    async handle(incoming, outgoing, { body, owner, token, build }) {
      const id = incoming.headers['mcp-session-id']
      const known = typeof id === 'string' ? sessions.get(id) : undefined
      if (known?.owner === owner) {
        if (incoming.method === 'GET') countStream(known, outgoing)
        return known.transport.handleRequest(incoming, outgoing, body)
      }
      if (id !== undefined) return writeProblem(outgoing, 404, 'Session not found', { code: -32_001 })
      if (!isInitializeRequest(body)) return writeProblem(outgoing, 400, 'Bad Request: a session id is required')
      const session = await open(owner, token, build)
      return session.transport.handleRequest(incoming, outgoing, body)
    },
    async close() {
      const open = [...sessions.values()]
      sessions.clear()
      await Promise.all(open.map(({ server }) => server.close()))
    },
  }
}

function countStream(session: Session, outgoing: ServerResponse): void {
  session.streams += 1
  outgoing.once('close', () => (session.streams -= 1))
}
