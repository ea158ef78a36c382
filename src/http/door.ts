import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Send, WireReply } from '../contract/base/wire.ts'
import { failures, type FailureCode } from '../errors.ts'
import type { Log } from '../log.ts'
import { stackText } from '../lib/stack.ts'
import { createTurnstile } from '../lib/turns-of-others.ts'
import { limitConnections, type ConnectionLimits } from './connections.ts'
import { refuseMetrics, type MetricsPage } from './metrics-page.ts'
import { firstSegment, routeName, type OnRequest } from './route-name.ts'
import { createStopping, type Stopping } from './stopping.ts'
import { requestTarget, takeAbsoluteTarget, toWireRequest, writeReply } from './wire.ts'

/** The MCP endpoint, which handles node:http requests directly, each when `nextTurn` resolves. */
type McpHandler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  nextTurn: () => Promise<void>,
) => void | Promise<void>

/** The listener; `stop` ends it as `Stopping` does. */
export type Door = Server & Pick<Stopping, 'stop'>

export interface DoorOptions {
  mcp?: McpHandler
  /** The embedded service; undefined in front of a deployment, where only `/mcp` and the probes are served. */
  service?: Send
  /** Why the service cannot serve requests; resolves to undefined while it can. */
  readinessProblem?: () => Promise<string | undefined>
  /** Pages for people, by the first segment of their path. They check themselves where a form comes from. */
  pages?: { has(segment: string): boolean; answer: Send }
  /** The metrics of this process. */
  metrics?: MetricsPage | undefined
  /** Hears of every request when its response has ended. */
  onRequest?: OnRequest | undefined
  /** Host names, without ports, that requests may name. */
  allowedHosts: readonly string[]
  /** Our public origin; requests to its host name are treated as sent to it. */
  origin?: string
  version: string
  /** Proves to the sender of the nonce that this is the expected server; `port` is the port it connected to. */
  prove?: (nonce: string, port: number) => string
  log: Log
  connectionLimits?: ConnectionLimits
  /** Longest time for a request other than an upload to arrive; default five minutes. */
  requestTimeoutMs?: number
  /** Longest time for its headers; default 15 seconds. */
  headersTimeoutMs?: number
}

/**
 * Limits for receiving headers and a whole request, even one that arrives byte by byte. An upload may take as long as its
 * address is valid: a large upload over a slow line is not an attack, and the number of concurrent uploads is small.
 */
const headersTimeoutMs = 15_000
const requestTimeoutMs = 300_000
const uploadTimeoutMs = 3_600_000
const keepAliveTimeoutMs = 65_000
const checkTimeoutsEveryMs = 5_000

/** Requests that are begun or answered in a turn of the event loop: hundreds that come at once are spread over several. */
const stepsPerTurn = 4
const nextStep = createTurnstile(stepsPerTurn)

/**
 * Calls of tools that begin in a turn of the event loop. A call takes milliseconds, and libuv accepts one connection in a
 * turn: if every call that has arrived began at once, connections would wait for many rounds of the calls of others
 * (decision 085).
 */
const callsPerTurn = 1
const nextCall = createTurnstile(callsPerTurn)

/**
 * The one port: `/mcp` for agents, `/v1`, `/uploads` and `/openapi.json` for REST, `/api` for SDKs, `/healthz` and
 * `/readyz` for probes, `/metrics` for collectors, and pages for people. REST refuses requests for a foreign host name or origin, which DNS rebinding by a web page
 * produces (MCP checks that itself, pages check the origin of forms); ingest and probes accept any (mcp §8, contract §12).
 * The server is not listening yet.
 */
export function createDoor(options: DoorOptions): Door {
  const timeouts = {
    headersTimeout: options.headersTimeoutMs ?? headersTimeoutMs,
    requestTimeout: uploadTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(checkTimeoutsEveryMs, options.headersTimeoutMs ?? checkTimeoutsEveryMs),
  }
  const server = createServer(timeouts, (incoming, outgoing) => {
    if (!stopping.admits(outgoing)) return
    if (options.onRequest !== undefined) tellWhenEnded(incoming, outgoing, options)
    answer(incoming, outgoing, options).catch((error: unknown) => fail(incoming, outgoing, error, options))
  })
  const stopping = createStopping(server)
  limitConnections(server, options.connectionLimits)
  // The next one may be waiting.
  server.on('connection', () => nextCall.hold())
  return Object.assign(server, { stop: stopping.stop })
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, options: DoorOptions): Promise<void> {
  const { service, pages } = options
  // A proxy in front may have checked the other one.
  if (hasTwoHosts(incoming))
    return writeReply(incoming, outgoing, problem('invalid_argument', 'the request has more than one Host header'))
  if (!takeAbsoluteTarget(incoming))
    return writeReply(
      incoming,
      outgoing,
      problem('invalid_argument', 'the target is neither a path nor an http address'),
    )
  const area = firstSegment(requestTarget(incoming))
  if (area !== 'uploads') limitArrival(incoming, outgoing, options.requestTimeoutMs ?? requestTimeoutMs)
  if (area === 'healthz') return writeReply(incoming, outgoing, health(incoming, options))
  if (area === 'readyz') return writeReply(incoming, outgoing, await readiness(options))
  if (area === 'metrics' && options.metrics !== undefined) {
    return writeReply(incoming, outgoing, await metrics(incoming, options.metrics))
  }
  if (area === 'api' && service !== undefined) return serve(incoming, outgoing, service, options)
  // MCP checks host and origin itself and refuses in its own format.
  if (area === 'mcp' && options.mcp !== undefined) return options.mcp(incoming, outgoing, nextCall)
  if (pages?.has(area) === true) {
    const refused = refuseHost(incoming, options)
    return refused === undefined
      ? serve(incoming, outgoing, pages.answer, options)
      : writeReply(incoming, outgoing, refused)
  }
  const refusal = refuseHost(incoming, options) ?? refuseOrigin(incoming, options)
  if (refusal !== undefined) return writeReply(incoming, outgoing, refusal)
  if (service !== undefined && ['v1', 'uploads', 'openapi.json'].includes(area)) {
    return serve(incoming, outgoing, service, options)
  }
  return writeReply(incoming, outgoing, problem('not_found', 'nothing is served at this address'))
}

function tellWhenEnded(incoming: IncomingMessage, outgoing: ServerResponse, options: DoorOptions): void {
  const began = performance.now()
  outgoing.once('close', () => {
    options.onRequest?.({
      method: incoming.method ?? '',
      route: routeName(requestTarget(incoming), options.pages),
      // The peer left before there was one.
      status: outgoing.headersSent ? outgoing.statusCode : 0,
      seconds: (performance.now() - began) / 1000,
    })
  })
}

function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Ends a request whose body has not arrived in time, as Node's own limit would. */
function limitArrival(incoming: IncomingMessage, outgoing: ServerResponse, timeoutMs: number): void {
  if (incoming.complete) return
  const timer = setTimeout(() => {
    if (incoming.complete) return
    if (!outgoing.headersSent) incoming.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
    incoming.destroy()
  }, timeoutMs).unref()
  incoming.once('close', () => clearTimeout(timer))
}

/** The proof covers the configured origin, not the Host header, which a relay could forge. */
function health(incoming: IncomingMessage, { version, origin, prove }: DoorOptions): WireReply {
  const query = new URLSearchParams(requestTarget(incoming).split('?', 2)[1])
  const nonce = query.get('nonce') ?? ''
  if (prove === undefined || !/^[0-9a-f]{32,128}$/.test(nonce)) return json(200, { status: 'ok', version })
  const configured = origin === undefined ? undefined : new URL(origin)
  const usual = configured?.protocol === 'https:' ? 443 : 80
  const port = configured === undefined ? incoming.socket.localPort : Number(configured.port || usual)
  return json(200, { status: 'ok', version, proof: prove(nonce, port ?? 0) })
}

/** Unlike the other probe, it fails while the database does not answer, and from the beginning of a stop on. */
async function readiness({ readinessProblem }: DoorOptions): Promise<WireReply> {
  const problem = await readinessProblem?.()
  return problem === undefined ? json(200, { status: 'ready' }) : json(503, { status: 'not ready', problem })
}

async function metrics(incoming: IncomingMessage, page: MetricsPage): Promise<WireReply> {
  const refused = refuseMetrics(page, incoming, parseHost(incoming.headers.host)?.hostname)
  if (refused !== undefined) {
    const reply = problem(refused.code, refused.message)
    if (refused.code === 'unauthenticated') reply.headers['www-authenticate'] = 'Bearer realm="tracegate metrics"'
    return reply
  }
  const { contentType, text } = await page.read()
  return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body: text }
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  service: Send,
  options: DoorOptions,
): Promise<void> {
  await nextStep()
  const request = toWireRequest(incoming, outgoing, requestOrigin(incoming, options))
  const reply = await service(request)
  await nextStep()
  if (!outgoing.closed) await writeReply(incoming, outgoing, reply)
}

/** The peer disconnected, or this is a bug: details go to the log only. */
function fail(incoming: IncomingMessage, outgoing: ServerResponse, error: unknown, { log }: DoorOptions): void {
  if (outgoing.destroyed || incoming.errored !== null) return
  log({ level: 'error', message: 'request failed', error: stackText(error) })
  if (outgoing.headersSent) outgoing.destroy()
  else void writeReply(incoming, outgoing, problem('internal', 'something went wrong; see the log of the server'))
}

/** The origin that the caller used: the configured one if the host name matches, otherwise http and the Host header. */
function requestOrigin({ headers, socket }: IncomingMessage, { origin }: DoorOptions): string {
  const asked = parseHost(headers.host)
  if (asked === undefined) return `http://127.0.0.1:${String(socket.localPort ?? 80)}`
  return origin !== undefined && new URL(origin).hostname === asked.hostname ? origin : asked.origin
}

const remedy = 'the operator lists allowed names in TRACEGATE_ALLOWED_HOSTS'

function refuseHost({ headers }: IncomingMessage, { allowedHosts }: DoorOptions): WireReply | undefined {
  const host = parseHost(headers.host)
  if (host !== undefined && allowedHosts.includes(host.hostname)) return undefined
  return problem('permission_denied', `this host name is not allowed; ${remedy}`, 'HOST_NOT_ALLOWED')
}

function refuseOrigin({ headers }: IncomingMessage, { allowedHosts }: DoorOptions): WireReply | undefined {
  if (headers.origin === undefined) return undefined
  const page = URL.parse(headers.origin)
  // By its host alone an extension of a browser might pass.
  if (/^https?:$/.test(page?.protocol ?? '') && allowedHosts.includes(page?.hostname ?? '')) return undefined
  return problem(
    'permission_denied',
    `web pages of this origin are not allowed to call; ${remedy}`,
    'ORIGIN_NOT_ALLOWED',
  )
}

/** The last Host header that was read: most requests name the same one. */
let lastHost: { header: string; url: Readonly<URL> | undefined } | undefined

/** A Host header as a URL; undefined unless it is a host with or without a port. */
function parseHost(header: string | undefined): Readonly<URL> | undefined {
  if (header === undefined) return undefined
  if (lastHost?.header === header) return lastHost.url
  const url = /[/?#@\\]/.test(header) ? undefined : (URL.parse(`http://${header}`) ?? undefined)
  lastHost = { header, url }
  return url
}

/** A refusal by the door itself, in the format of the service (contract §0.4). */
function problem(code: FailureCode, message: string, reason: string = code.toUpperCase()): WireReply {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'tracegate', metadata: {} }
  return json(failures[code].status, { code: failures[code].grpc, message, details: [info] })
}

function json(status: number, body: object): WireReply {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers, body: JSON.stringify(body) }
}
