import { timeLimit } from '../client/budget.ts'
import { createSendEvent } from '../client/send-event.ts'
import { ConfigError, type Config } from '../config.ts'
import { isLoopback } from '../lib/network/loopback.ts'
import { createDoor, type Door } from '../http/door.ts'
import { createLog, type Log } from '../log.ts'
import { stackText } from '../lib/stack.ts'
import { createMcpHttp, type McpHttp } from '../mcp/http/index.ts'
import { createResolver } from '../mcp/resolve/index.ts'
import type { Product } from '../mcp/resolve/types.ts'
import { confirmPath } from '../pages/confirm/path.ts'
import { gatePath } from '../pages/gate/address.ts'
import type { Pages } from '../pages/support/router.ts'
import { version } from '../version.ts'
import { apiFor, openBackend, type Backend } from './support/backend.ts'
import { chooseProduct, findByName } from './support/choose-product.ts'
import { makeDataDir } from './support/data-dir.ts'
import { keepPort, keptPort, portFor } from './support/data-port.ts'
import {
  listeningOrigin,
  readEndpoints,
  removeEndpoints,
  takeServerLock,
  writeEndpoints,
  type Endpoints,
  type ServerLock,
} from './support/endpoints.ts'
import { checkHealth, healthProof } from './support/health.ts'
import type { Io } from './support/io.ts'
import { openPages } from './pages/open-pages.ts'
import { listen, PortError, requireFree } from './support/port.ts'
import { readSecret } from './support/secret.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { openTracing } from './telemetry/traces.ts'
import { welcome } from './welcome.ts'

/** How long open requests may take to end when the server is asked to stop. */
const drainMs = 5000

/**
 * `tracegate serve`: MCP, REST, event ingest and pages on one port, until a signal stops it. In front of another deployment it
 * serves only `/mcp` and the probes.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const log = createLog(config.logLevel, io.logDestination)
  const say = (line: string) => void io.stderr.write(`${line}\n`)
  const stopped = io.stopRequested()
  await requireNoOther(config)
  const address = { host: config.host, port: portFor(config) }
  await requireFree(address, io.env).catch((error: unknown) => refuse(error, { ...config, ...address }))
  makeDataDir(config.dataDir)
  using lock = await requireLock(config)
  const metrics = await createMetrics()
  const tracing = await openTracing(io.env, log)
  const backend = await openBackend(config, { log, onProgress: say, ingestCounts: metrics.ingest })
  let mcp: McpHttp | undefined
  let door: Door | undefined
  let endpoints: Endpoints | undefined
  try {
    if (config.product !== undefined) await requireProduct(config.product, backend)
    // The address is known only once the port is; there are no requests before that.
    let origin = listeningOrigin(address.host, address.port)
    const pageLink = (code: string) => Promise.resolve(origin + confirmPath(code))
    const baseUrl = () => (backend.service === undefined ? backend.baseUrl : origin)
    mcp = createMcpHttp({
      apiFor: (token) => apiFor({ ...backend, baseUrl: baseUrl() }, token, { via: 'mcp', tracing }),
      options: {
        toolsets: config.toolsets,
        readOnly: config.readOnly,
        product: config.product,
      },
      version,
      sendEvent: (...call) =>
        createSendEvent({
          baseUrl: baseUrl(),
          proxy: config.proxy,
          ...(backend.service && { send: backend.service.direct }),
        })(...call),
      confirm: { mode: config.confirm, secret: () => readSecret(config), pageLink, used: backend.used },
      ...(backend.service && { sessions: backend.service.sessions }),
      gatePage: (scope) => Promise.resolve(origin + gatePath(scope)),
      allowedHosts: config.allowedHosts,
      tracing,
      onError: (error) => log({ level: 'error', message: 'MCP request failed', error: stackText(error) }),
      onCall(record) {
        log({ level: 'info', message: 'tool call', ...record })
        metrics.call(record)
      },
    })
    metrics.watch({ mcp: mcp.open, service: backend.service?.load })
    door = openDoor(config, backend, {
      mcp,
      log,
      metrics,
      pages: openPages(config, { backend: () => Promise.resolve(backend), log, pageLink }),
    })
    const port = await listen(door, address, io.env)
    origin = config.origin ?? listeningOrigin(config.host, port)
    const products = await readProducts(origin, backend)
    endpoints = publicEndpoints(
      origin,
      backend,
      config.product === undefined ? undefined : findByName(products, config.product),
    )
    writeEndpoints(config.dataDir, endpoints)
    say(welcome(config, endpoints, products))
    if (backend.service !== undefined) followPort({ ...config, ...address }, port, say)
    await stopped
    say('tracegate: stopping')
  } finally {
    if (endpoints !== undefined) removeEndpoints(config.dataDir, endpoints)
    // The next server may start while the last requests end.
    lock?.close()
    // They would not end by themselves, and their readers connect again.
    backend.service?.endStreams()
    mcp?.endStreams()
    await door?.stop(drainMs)
    await mcp?.close()
    await backend.close()
    await tracing?.close()
  }
  return 0
}

/**
 * Throws where a server runs on the data directory: its `endpoints.json` and its port have room for one. The user needs its
 * address, not another port.
 */
async function requireNoOther({ dataDir, databaseUrl }: Config): Promise<void> {
  const { mcp, token } = readEndpoints(dataDir) ?? {}
  if (mcp === undefined) return
  const { origin, hostname } = new URL(mcp)
  // Behind a balancer, any process of a shared database may answer.
  if (databaseUrl !== undefined && !isLoopback(hostname)) return
  if ((await checkHealth(origin, token))?.proved !== true) return
  throw new ConfigError(
    `Tracegate is already running: ${mcp} serves ${dataDir}; stop that server first, or name another directory with --data`,
  )
}

/**
 * The lock of the data directory, which decides between servers that start at once. Where several machines share the database,
 * a directory may be shared too, and has none.
 */
async function requireLock(config: Config): Promise<ServerLock | undefined> {
  if (config.baseUrl !== undefined || config.databaseUrl !== undefined) return undefined
  const lock = takeServerLock(config.dataDir)
  if (lock !== undefined) return lock
  await requireNoOther(config)
  throw new ConfigError(`Tracegate is already being started on ${config.dataDir}`)
}

/** The DSNs printed so far name the port of the data directory. */
function refuse(error: unknown, { dataDir, port, origin }: Config): never {
  if (!(error instanceof PortError) || !error.taken) throw error
  if (origin !== undefined || keptPort(dataDir) !== port) throw error
  const again = `tracegate init DIR --port ${String(error.other)} prints them again`
  throw new ConfigError(
    `${error.message}\nThe DSNs printed so far name port ${String(port)}: ${again}; in the DSN of a server key, change the port`,
  )
}

/** The data directory keeps a port that was chosen for its server; DSNs that name another one are of no use meanwhile. */
function followPort({ dataDir, origin, port: chosen }: Config, port: number, say: (line: string) => void): void {
  const before = keptPort(dataDir)
  if (before !== undefined && before !== port && origin === undefined) {
    const change = `in each, write ${String(port)} instead; the keys stay valid`
    say(`tracegate: DSNs that name port ${String(before)} do not lead here: ${change}`)
  }
  if (chosen !== 0) keepPort(dataDir, port)
}

function openDoor(
  config: Config,
  { service }: Backend,
  { mcp, log, metrics, pages }: { mcp: McpHttp; log: Log; metrics: Metrics; pages: Pages },
): Door {
  return createDoor({
    mcp,
    pages,
    ...(service && {
      service: service.handle,
      readinessProblem: () => service.readinessProblem(),
      prove: (nonce, port) => healthProof(service.token, nonce, port),
    }),
    metrics: { token: config.metricsToken, isLocal: isForThisMachine(config), read: metrics.read },
    onRequest: metrics.request,
    allowedHosts: config.allowedHosts,
    ...(config.origin === undefined ? {} : { origin: config.origin }),
    version,
    log,
  })
}

/** Bound to loopback and reached by no other name, so that no proxy passes on what others ask. */
function isForThisMachine({ host, allowedHosts }: Config): boolean {
  return isLoopback(host) && allowedHosts.every(isLoopback)
}

/** A pinned product that does not exist would let every call fail. Where each caller brings a token, it cannot be checked. */
async function requireProduct(named: string, backend: Backend): Promise<void> {
  const { token } = backend
  if (token === undefined) return
  await chooseProduct(apiFor(backend, token), named, timeLimit(30_000))
}

/** The products of the embedded service, with their DSNs at this origin. */
async function readProducts(origin: string, { service, capabilities }: Backend): Promise<Product[]> {
  if (service === undefined) return []
  const api = apiFor({ send: service.direct, baseUrl: origin, capabilities }, service.token)
  return createResolver({ api, pinned: undefined, signal: timeLimit(30_000) }).products()
}

/**
 * The addresses of this server, with the DSN of the pinned product, else of the first. In front of a deployment it has
 * no ingest, and each caller brings a token.
 */
function publicEndpoints(origin: string, { service, baseUrl }: Backend, product?: Product): Endpoints {
  const mcp = `${origin}/mcp`
  if (service === undefined) return { mcp, rest: baseUrl, ingest: '', dsn: '', product_id: '', token: '' }
  const { productId, token } = service
  const dsn = product?.ingest?.dsn ?? service.dsn(origin)
  return { mcp, rest: origin, ingest: origin, dsn, product_id: product?.id ?? productId, token }
}
