import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isInitializeRequest } from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import { backgroundClock, type Clock } from '../../lib/clock.ts'
import { isObject } from '../../lib/objects.ts'
import { writeResponse } from './exchange.ts'
import { createSweeps, IDLE_MS, NOTED_MS, notEndedSince } from './idle-sessions.ts'
import type { Lifetime } from './lifetime.ts'
import { LiveSession, type BuildSession } from './live-session.ts'
import { newProcessName, requestId } from './message-ids.ts'
import { writeProblem } from './problem.ts'
import { createLooks, noLooks } from './session-looks.ts'
import { createMemoryStore, type SessionStore, type StoredSession } from './session-store.ts'

const SESSIONS = 1000
const SESSIONS_PER_TOKEN = 50
/** What a client may say of itself, in characters. */
const INITIALIZE_CHARACTERS = 256 * 1024

/** The 2025 revisions over HTTP, where a server can ask its client something only within a session (mcp §10). */
export interface Sessions {
  /**
   * Answers one request. `owner` identifies token and scope of the session; to other owners the session does not exist.
   */
  handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    request: { body: unknown; owner: string; token: string; build: BuildSession; lifetime: Lifetime },
  ): Promise<void>
  /** How many sessions this process serves. */
  open(): number
  /** Ends the streams and calls of this process. Sessions that other processes know go on there. */
  close(): Promise<void>
}

export interface SessionOptions {
  /** By default the memory of this process. */
  store?: SessionStore | undefined
  now?: () => number
  clock?: Clock | undefined
}

export function createSessions({
  store = createMemoryStore(),
  now = Date.now,
  clock = backgroundClock,
}: SessionOptions = {}): Sessions {
  const process = newProcessName()
  const live = new LRUCache<string, LiveSession>({
    max: SESSIONS,
    // Not `dispose`: closing deletes the session, while the cache would still be removing it.
    disposeAfter: (session) => void session.close(),
  })
  const resuming = new Map<string, Promise<LiveSession>>()
  const { others } = store
  const looks =
    others === undefined
      ? noLooks
      : createLooks({
          process,
          others,
          clock,
          live: {
            get: (id) => live.peek(id),
            all: () => [...live.values()],
            end: (id) => void live.delete(id),
          },
        })
  const sweeps = createSweeps({ live, store, now, clock })

  async function connect(id: string, build: BuildSession): Promise<LiveSession> {
    const session = new LiveSession({ id, process, store, build, now })
    await session.connect(() => {
      if (live.peek(id) === session) live.delete(id)
    })
    return session
  }

  async function begin(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { body, owner, token, build }: Parameters<Sessions['handle']>[2],
  ): Promise<void> {
    const initialize = JSON.stringify(body)
    if (initialize.length > INITIALIZE_CHARACTERS)
      return writeProblem(outgoing, 413, 'the client says too much of itself')
    const session = await connect(randomUUID(), build)
    const { id } = session
    try {
      const response = await session.initialize(incoming, outgoing, body)
      if (response.ok) {
        await sweeps.swept()
        const usedAt = now()
        const limits = { usedSince: notEndedSince(usedAt), perToken: SESSIONS_PER_TOKEN, total: SESSIONS }
        const ended = await store.add({ id, owner, token, initialize, usedAt }, limits)
        live.set(id, session)
        for (const other of ended) live.delete(other)
      }
      await writeResponse(outgoing, response)
    } finally {
      if (live.peek(id) !== session) await session.close()
    }
  }

  /** The session as this process serves it; one of another process is built again from what is stored. */
  function serve({ id, initialize }: StoredSession, build: BuildSession): LiveSession | Promise<LiveSession> {
    const known = live.get(id) ?? resuming.get(id)
    if (known !== undefined) return known
    const resumed = (async () => {
      const session = await connect(id, build)
      await session.resume(initialize)
      live.set(id, session)
      return session
    })().finally(() => resuming.delete(id))
    resuming.set(id, resumed)
    return resumed
  }

  return {
    async handle(incoming, outgoing, request) {
      const id = incoming.headers['mcp-session-id']
      if (id === undefined) {
        if (isInitializeRequest(request.body)) return begin(incoming, outgoing, request)
        if (isObject(request.body) && request.body['method'] === 'initialize') {
          const message = 'initialize has protocolVersion, capabilities and clientInfo'
          return writeProblem(outgoing, 400, message, { code: -32_602, id: requestId(request.body) ?? null })
        }
        return writeProblem(outgoing, 400, 'Bad Request: a session id is required')
      }
      await sweeps.swept()
      const stored = typeof id === 'string' ? await store.find(id, notEndedSince(now())) : undefined
      if (stored?.owner !== request.owner) {
        if (stored === undefined && typeof id === 'string') live.delete(id)
        return writeProblem(outgoing, 404, 'Session not found', { code: -32_001 })
      }
      if (isNoteDue(stored, now())) await store.used(stored.id, now())
      const session = await serve(stored, request.build)
      const answered = session.handle(incoming, outgoing, request)
      if (incoming.method === 'GET') looks.look(stored.id)
      looks.begin()
      return answered
    },
    open: () => live.size,
    async close() {
      looks.close()
      sweeps.close()
      const open = [...live.values()]
      live.clear()
      await Promise.all(open.map((session) => session.close()))
    },
  }
}

/** Also after a clock that was ahead has been set back. Those of two machines differ by less than what counts as that. */
function isNoteDue({ usedAt }: StoredSession, now: number): boolean {
  return now - usedAt >= NOTED_MS || usedAt - now >= IDLE_MS
}
