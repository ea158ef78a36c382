import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** Ends a server without cutting off what it has begun. */
export interface Stopping {
  /** Whether a request may begin; after the beginning of the stop it is refused with 503. */
  admits(this: void, outgoing: ServerResponse): boolean
  /**
   * Accepts no more connections, lets the requests that have begun end within the time, and refuses with 503 what has not been
   * answered by then.
   */
  stop(this: void, graceMs: number): Promise<void>
}

const refusal = 'the server is stopping; repeat the request in a moment\n'
const refusalHeaders = { 'retry-after': '1', connection: 'close', 'content-type': 'text/plain' }
/** How long requests that come on open connections are refused, before connections without any are closed. */
const LINGER_MS = 100
/** How long the refusals may take to be sent. */
const LAST_MS = 500

export function createStopping(server: Server): Stopping {
  const running = new Set<ServerResponse>()
  /** Connections without a first request. */
  const fresh = new Set<Socket>()
  let isStopping = false
  server.on('connection', (socket: Socket) => {
    fresh.add(socket)
    socket.once('close', () => fresh.delete(socket))
  })

  function admits(outgoing: ServerResponse): boolean {
    fresh.delete(outgoing.req.socket)
    if (isStopping) {
      refuse(outgoing)
      return false
    }
    running.add(outgoing)
    outgoing.once('close', () => running.delete(outgoing))
    return true
  }

  async function stop(graceMs: number): Promise<void> {
    if (!server.listening) return
    await arrived(server)
    isStopping = true
    // Not the one of http, which closes idle connections: a request may be on its way on them.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
    // A client must not send its next request on a connection that is about to close.
    for (const outgoing of running) outgoing.shouldKeepAlive = false
    const lingered = sleep(LINGER_MS).then(() => closeIdle())
    const isOver = await Promise.race([closed.then(() => true), sleep(graceMs, false, { ref: false })])
    await lingered
    if (isOver) return
    for (const outgoing of running) {
      if (outgoing.headersSent) outgoing.end()
      else refuse(outgoing)
    }
    await Promise.race([closed, sleep(LAST_MS, undefined, { ref: false })])
    server.closeAllConnections()
    await closed
  }

  function closeIdle(): void {
    server.close()
    // Node closes those that have had a request. Clients open others in advance, and would be waited for.
    for (const socket of fresh) if (socket.bytesRead === 0) socket.destroy()
  }

  return { admits, stop }
}

function refuse(outgoing: ServerResponse): void {
  outgoing.writeHead(503, refusalHeaders).end(refusal)
}

/** Turns of the event loop without a new connection after which no more wait to be accepted; their requests are read by then. */
const QUIET_TURNS = 10
/** So that new ones without end do not keep the server from stopping. */
const MOST_TURNS = 2_000

/**
 * Resolves when the connections that the system has accepted for us have reached the server: closing it would reset them
 * after their clients have sent a request.
 */
async function arrived(server: Server): Promise<void> {
  let quiet = 0
  const onConnection = () => (quiet = 0)
  server.on('connection', onConnection)
  for (let turns = 0; quiet < QUIET_TURNS && turns < MOST_TURNS; turns += 1) {
    quiet += 1
    await nextTurn()
  }
  server.off('connection', onConnection)
}
