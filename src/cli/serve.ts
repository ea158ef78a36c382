import type { Server } from 'node:http'
import { ConfigError, type Config } from '../config.ts'
import { createDoor } from '../http/door.ts'
import { type Log } from '../log.ts'
import { stackText } from '../lib/stack.ts'
import { createMcpHttp, type McpHttp } from '../mcp/http/index.ts'
import { version } from '../version.ts'
import { apiOf, openBackend, type Backend } from './backend.ts'
import { makeDataDir } from './data-dir.ts'
import { originOf, readEndpoints, removeEndpoints, writeEndpoints, type Endpoints } from './endpoints.ts'
import { healthOf, proofOf } from './health.ts'
import { openLog, type Io } from './io.ts'
import { listen, PortError, requireFree } from './port.ts'
import { welcome } from './welcome.ts'

/** How long open requests may take to end when the server is told to stop. */
const drainMs = 5000

/** `tracegate serve`: everything on one port until SIGINT or SIGTERM; in front of a deployment only `/mcp` and the probe. */
export async function run(config: Config, io: Io): Promise<number> {
  const log = openLog(config.logLevel, io)
  const say = (line: string) => void io.stderr.write(`${line}\n`)
  const stopped = io.stopRequested()
  await requireFree(config, io.env).catch((error: unknown) => refuse(error, config))
  makeDataDir(config.dataDir)
  const backend = await openBackend(config, { log, onProgress: say })
  let mcp: McpHttp | undefined
  let door: Server | undefined
  let endpoints: Endpoints | undefined
  try {
    // The address is known only once the port is; nobody calls before that.
    let origin = originOf(config.host, config.port)
    const baseUrl = () => (backend.service === undefined ? backend.baseUrl : origin)
    mcp = createMcpHttp({
      apiFor: (token) => apiOf({ send: backend.send, baseUrl: baseUrl() }, token),
      options: {
        toolsets: config.toolsets,
        readOnly: config.readOnly,
        product: config.product,
      },
      version,
      allowedHosts: config.allowedHosts,
      onError: (error) => log({ level: 'error', message: 'MCP request failed', error: stackText(error) }),
      onCall: (record) => log({ level: 'info', message: 'tool call', ...record }),
    })
    door = openDoor(config, backend, mcp, log)
    const port = await listen(door, config, io.env)
    origin = config.origin ?? originOf(config.host, port)
    endpoints = endpointsOf(origin, backend)
    writeEndpoints(config.dataDir, endpoints)
    say(welcome(config, endpoints))
    await stopped
    say('tracegate: stopping')
  } finally {
    if (endpoints !== undefined) removeEndpoints(config.dataDir, endpoints)
    if (door !== undefined) await drain(door, mcp)
    await backend.close()
  }
  return 0
}

/** Whoever starts the server twice wants its address, not another port. */
async function refuse(error: unknown, { dataDir, port, origin }: Config): Promise<never> {
  const { mcp, token } = readEndpoints(dataDir) ?? {}
  if (!(error instanceof PortError) || !error.taken || mcp === undefined) throw error
  const address = new URL(mcp)
  // Behind a proxy the address says nothing about the port.
  const isThatPort = origin !== undefined || address.port === String(port)
  if (!isThatPort || (await healthOf(address.origin, token))?.proved !== true) throw error
  throw new ConfigError(`Tracegate already runs here: ${mcp}`)
}

function openDoor(config: Config, { service }: Backend, mcp: McpHttp, log: Log): Server {
  return createDoor({
    mcp,
    ...(service && { service: service.handle, prove: (nonce, port) => proofOf(service.token, nonce, port) }),
    allowedHosts: config.allowedHosts,
    ...(config.origin === undefined ? {} : { origin: config.origin }),
    version,
    log,
  })
}

/** In front of a deployment there is no ingest here, and its token is each caller's own. */
function endpointsOf(origin: string, { service, baseUrl }: Backend): Endpoints {
  const mcp = `${origin}/mcp`
  if (service === undefined) return { mcp, rest: baseUrl, ingest: '', dsn: '', product_id: '', token: '' }
  const { productId, token } = service
  return { mcp, rest: origin, ingest: origin, dsn: service.dsn(origin), product_id: productId, token }
}

/** Takes no new connection, lets open requests end for a moment, then closes what is left. */
async function drain(door: Server, mcp: McpHttp | undefined): Promise<void> {
  if (!door.listening) return
  const closed = new Promise<void>((resolve) => door.close(() => resolve()))
  door.closeIdleConnections()
  await mcp?.close()
  const late = setTimeout(() => door.closeAllConnections(), drainMs)
  await closed
  clearTimeout(late)
}
