import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcp, type AddressInfo, type Server as NetServer } from 'node:net'
import tls from 'node:tls'
import { buffer } from 'node:stream/consumers'
import { once } from 'node:events'
import type { EndpointName } from '../../../src/contract/index.ts'
import type { Retry } from '../../../src/contract/base/endpoint.ts'
import type { Send, WireRequest } from '../../../src/contract/base/wire.ts'
import { findCall } from '../reshaping.ts'
import { wholeBody } from '../whole-body.ts'
import type { CellClock } from './cell-clock.ts'
import { createAuthority, selfSigned } from './certificates.ts'
import { ELSEWHERE, type Answer, type Cut, type Detour, type Fault, type Place } from './fault.ts'

/** One request that the client sent, in order. */
export interface Logged {
  method: string
  path: string
  body: string
  /** `upload` for the PUT of bytes to a presigned address. */
  endpoint: EndpointName | 'upload' | 'unknown'
  retry: Retry
  /** It asks for a preview, so that the service changes nothing. */
  preview: boolean
  struck: boolean
  /** A connection was made; false where there was none that could carry the request. */
  sent: boolean
  /** What the service behind the fault answered; undefined where it did not see the request. */
  status?: number
}

/** One deployment behind one fault, under an address of its own. */
export interface Deployment {
  baseUrl: string
  log: readonly Logged[]
  /** Answers that were begun and are not closed yet. */
  open: ReadonlySet<ServerResponse>
  /** The network, with the requests that a connection fault strikes led elsewhere. */
  through(network: Send): Send
}

export interface Upstream extends AsyncDisposable {
  /** While all that is asked for is silent, the time of the clock passes. */
  deploy(service: Send, options: { clock: CellClock; fault: Fault | undefined; place: Place }): Deployment
  /** Requests that came to the host that redirects name; there must be none. */
  redirected: readonly string[]
}

interface Cell {
  fault: Fault | undefined
  place: Place
  clock: CellClock
  service: Send
  prefix: string
  redirectTo: string
  log: Logged[]
  open: Set<ServerResponse>
  /** How many of them keep the client waiting. */
  silent: number
  struck: number
}

/** A loopback server in front of services, each deployment with its own fault, and the places that detours lead to. */
export async function startUpstream(): Promise<Upstream> {
  const cells = new Map<string, Cell>()
  const redirected: string[] = []
  const server = createServer((request, response) => {
    const [, number = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? []
    const cell = cells.get(number)
    if (cell === undefined) return void response.writeHead(404).end()
    answer(cell, path, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  const elsewhere = createServer(({ url }, response) => {
    redirected.push(url ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const [port, otherPort] = [await listen(server), await listen(elsewhere)]
  const roads = await openRoads(port)
  const origin = `http://127.0.0.1:${String(port)}`
  const redirectTo = `http://127.0.0.1:${String(otherPort)}/v1/workspaces`
  return {
    redirected,
    deploy(service, { clock, fault, place }) {
      const number = String(cells.size + 1)
      const prefix = `${origin}/${number}`
      const cell: Cell = {
        fault,
        place,
        clock,
        service,
        prefix,
        redirectTo,
        log: [],
        open: new Set(),
        silent: 0,
        struck: 0,
      }
      cells.set(number, cell)
      return { baseUrl: prefix, log: cell.log, open: cell.open, through: (network) => detoured(cell, network, roads) }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([closed(server), closed(elsewhere), roads.close()])
    },
  }
}

async function answer(cell: Cell, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  cell.open.add(response)
  response.on('close', () => cell.open.delete(response)).on('error', () => {})
  const body = await buffer(request)
  const logged = entry(cell, { method: request.method ?? '', path, body: body.toString() })
  const strike = cell.fault?.strike
  if (strike === undefined || strike.kind === 'connection' || !strikes(cell, logged)) {
    return reply(response, await served(cell, logged, request, body))
  }
  logged.struck = true
  switch (strike.kind) {
    case 'dropped':
      return void request.socket.resetAndDestroy()
    case 'front':
      return reply(response, ledTo(cell.redirectTo, strike.answer()))
    case 'back': {
      const changed = strike.change(await served(cell, logged, request, body))
      return strike.cut === undefined ? reply(response, changed) : cutReply(cell, response, changed, strike.cut)
    }
  }
}

/** Notes the request; `path` has no prefix. */
function entry(cell: Cell, { method, path, body }: Pick<Logged, 'method' | 'path' | 'body'>): Logged {
  const call = findCall({ method, url: `http://localhost${path}`, headers: {} })
  const isUpload = path.startsWith('/uploads/')
  const logged: Logged = {
    method,
    path,
    body: isUpload ? '' : body,
    endpoint: call?.name ?? (isUpload ? 'upload' : 'unknown'),
    retry: call?.endpoint.retry ?? (isUpload ? 'idempotent' : 'never'),
    preview: /"validate_only":true/.test(body),
    struck: false,
    sent: true,
  }
  cell.log.push(logged)
  return logged
}

/** Whether the fault of the cell strikes this request, which is the newest of those that arrived, or that were sent. */
function strikes(cell: Cell, logged: Logged, log: readonly Logged[] = cell.log): boolean {
  const { fault, place } = cell
  if (fault === undefined) return false
  if (place !== 'always' && cell.struck >= (fault.times ?? 1)) return false
  const begins = cell.struck > 0 || place === 'always' || isPlace(place, log, logged)
  if (begins) cell.struck += 1
  return begins
}

/** Whether a request changes something, or would if it were not a preview; preparing a context does not. */
export function isWrite({ method, endpoint }: Logged): boolean {
  return method !== 'GET' && endpoint !== 'prepareTestContext'
}

function isPlace(place: Place, log: readonly Logged[], logged: Logged): boolean {
  const writes = log.filter(isWrite)
  if (place === 'write') return logged === writes[0]
  if (place === 'after') return writes.length > 0 && logged !== writes[0]
  if (place === 'second') return log.length === 2
  return log.length === 1
}

async function served(
  { service, prefix }: Cell,
  logged: Logged,
  { headers }: IncomingMessage,
  body: Buffer,
): Promise<Answer & { body: Uint8Array }> {
  const { origin } = new URL(prefix)
  const request = { method: logged.method, url: origin + logged.path, headers: headers as WireRequest['headers'], body }
  const { status, headers: replied, body: content } = await service(request)
  logged.status = status
  // The presigned address is behind the same fault.
  const text = (await wholeBody(content)).toString().replaceAll(`${origin}/uploads/`, `${prefix}/uploads/`)
  const { 'content-length': _, ...kept } = replied
  return { status, headers: kept, body: Buffer.from(text) }
}

/** A redirect to `elsewhere` leads to another host. */
function ledTo(address: string, answer: Answer): Answer {
  if (answer.headers['location'] !== ELSEWHERE) return answer
  return { ...answer, headers: { ...answer.headers, location: address } }
}

async function reply(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  response.writeHead(status, headers)
  if (body instanceof Uint8Array) return void response.end(body)
  for await (const chunk of body) {
    if (response.destroyed) return
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')])
  }
  response.end()
}

/** Writes the answer itself, up to where it is cut. */
async function cutReply(
  cell: Cell,
  response: ServerResponse,
  { status, headers, body }: Answer,
  cut: Cut,
): Promise<void> {
  const { socket } = response
  if (socket === null) return
  const { head, tail } = framed(await wholeBody(body), cut.announced)
  const lines = Object.entries(headers).filter(([name]) => name !== 'content-length')
  const top = Buffer.from(
    [`HTTP/1.1 ${String(status)} -`, ...lines.map(([name, value]) => `${name}: ${value}`), head, '', ''].join('\r\n'),
  )
  const whole = cut.instead ?? Buffer.concat([top, tail])
  const at = cut.at({ total: whole.length, head: top.length })
  await new Promise((written) => socket.write(whole.subarray(0, at), written))
  if (cut.next === 'end') return void socket.end()
  if (cut.next === 'silence') return silence(cell, response)
  if (cut.next === 'reset') return void setTimeout(() => socket.resetAndDestroy(), 1)
  for (const byte of whole.subarray(at)) {
    if (socket.destroyed) return
    if (cut.next === 'drip') await silence(cell, response, 1_000)
    socket.write(Buffer.of(byte))
    if (cut.next === 'bytes') await new Promise((later) => setImmediate(later))
  }
  socket.end()
}

/** Keeps the client waiting, at most so long in the time of the cell, until it gives up. */
async function silence(cell: Cell, { socket }: ServerResponse, forMs = Infinity): Promise<void> {
  cell.silent += 1
  for (let passed = 0; passed < forMs && socket?.destroyed === false;) {
    await new Promise((later) => setTimeout(later, 1))
    // Requests that are being answered take no time.
    if (cell.open.size > cell.silent) continue
    await cell.clock.pass(1_000 / cell.silent)
    passed += 1_000
  }
  cell.silent -= 1
}

function framed(content: Buffer, announced: Cut['announced']): { head: string; tail: Buffer } {
  if (announced !== 'chunked') {
    const length = content.length + (announced === 'longer' ? 100 : 0)
    return { head: `content-length: ${String(length)}`, tail: content }
  }
  const half = Math.ceil(content.length / 2)
  const chunks = [content.subarray(0, half), content.subarray(half), Buffer.alloc(0)]
  const framedChunks = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`)
  return { head: 'transfer-encoding: chunked', tail: Buffer.from(framedChunks.join(''), 'latin1') }
}

interface Roads {
  lead(to: Detour): string
  close(): Promise<void>
}

/** The places that requests are led to by faults of the connection. */
async function openRoads(httpPort: number): Promise<Roads> {
  const authority = createAuthority()
  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, authority.cert])
  const answers: RequestListener = (_, response) => void response.end('{}')
  const certificates = {
    'a self-signed certificate': selfSigned('localhost'),
    'an expired certificate': authority.issue({ name: 'localhost', from: -3, until: -2 }),
    'a certificate of another host': authority.issue({ name: 'other.example', from: -1, until: 1 }),
  }
  const servers = await Promise.all(
    Object.entries(certificates).map(async ([detour, certificate]) => {
      const server = createTlsServer(certificate, answers)
      return { detour, server, port: String(await listen(server)) }
    }),
  )
  const [anyTls] = servers
  const ports = new Map(servers.map(({ detour, port }) => [detour, `https://localhost:${port}`]))
  ports.set('a closed port', `http://127.0.0.1:${String(await closedPort())}`)
  ports.set('HTTP to a TLS port', `http://localhost:${anyTls?.port ?? ''}`)
  ports.set('TLS to an HTTP port', `https://127.0.0.1:${String(httpPort)}`)
  return {
    lead: (to) => ports.get(to) ?? '',
    async close() {
      tls.setDefaultCACertificates(trusted)
      await Promise.all(servers.map(({ server }) => closed(server)))
    },
  }
}

function detoured(cell: Cell, network: Send, roads: Roads): Send {
  const strike = cell.fault?.strike
  if (strike?.kind !== 'connection') return network
  // Requests that are sent at the same time have not arrived.
  const sent: Logged[] = []
  return async (request) => {
    const path = request.url.slice(cell.prefix.length)
    const body = request.body instanceof Uint8Array ? Buffer.from(request.body).toString() : ''
    // Requests that are not struck are noted where they arrive.
    const logged = entry(cell, { method: request.method, path, body })
    sent.push(logged)
    if (!strikes(cell, logged, sent)) {
      cell.log.pop()
      return network(request)
    }
    Object.assign(logged, { struck: true, sent: false })
    if (strike.to === 'an unknown name') throw unknownName()
    return network({ ...request, url: roads.lead(strike.to) + path })
  }
}

/** What a name that no server of the DNS knows rejects with. */
function unknownName(): Error {
  return Object.assign(new Error('getaddrinfo ENOTFOUND quality.invalid'), {
    code: 'ENOTFOUND',
    syscall: 'getaddrinfo',
  })
}

async function closedPort(): Promise<number> {
  const server = createTcp()
  const port = await listen(server)
  await new Promise((done) => server.close(done))
  return port
}

async function listen(server: NetServer): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return (server.address() as AddressInfo).port
}

async function closed(server: Pick<Server, 'close' | 'closeAllConnections'>): Promise<void> {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
}
