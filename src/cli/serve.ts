import type { Server } from 'node:http'
import { ConfigError, type Config } from '../config.ts'
import { createDoor } from '../http/door.ts'
import type { Log } from '../log.ts'
import { stackText } from '../lib/stack.ts'
import { createMcpHttp, type McpHttp } from '../mcp/http/index.ts'
import { version } from '../version.ts'
import { apiFor, openBackend, type Backend } from './support/backend.ts'
import { makeDataDir } from './support/data-dir.ts'
import { listeningOrigin, readEndpoints, removeEndpoints, writeEndpoints, type Endpoints } from './support/endpoints.ts'
import { checkHealth, healthProof } from './support/health.ts'
import { openLog, type Io } from './support/io.ts'
import { listen, PortError, requireFree } from './support/port.ts'
import { welcome } from './welcome.ts'

/** How long open requests may take to end when the server is asked to stop. */
const drainMs = 5000

/** `tracegate serve`: everything on one port until SIGINT or SIGTERM; in front of a deployment only `/mcp` and `/healthz`. */
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
    // The address is known only once the port is; there are no requests before that.
    let origin = listeningOrigin(config.host, config.port)
    const baseUrl = () => (backend.service === undefined ? backend.baseUrl : origin)
    mcp = createMcpHttp({
      apiFor: (token) => apiFor({ send: backend.send, baseUrl: baseUrl() }, token),
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
    origin = config.origin ?? listeningOrigin(config.host, port)
    endpoints = publicEndpoints(origin, backend)
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

/** A user who starts the server twice needs its address, not another port. */
async function refuse(error: unknown, { dataDir, port, origin }: Config): Promise<never> {
  const { mcp, token } = readEndpoints(dataDir) ?? {}
  if (!(error instanceof PortError) || !error.taken || mcp === undefined) throw error
  const address = new URL(mcp)
  // Behind a proxy the address does not show the port.
  const isThatPort = origin !== undefined || address.port === String(port)
  if (!isThatPort || (await checkHealth(address.origin, token))?.proved !== true) throw error
  throw new ConfigError(`Tracegate is already running: ${mcp}`)
}

function openDoor(config: Config, { service }: Backend, mcp: McpHttp, log: Log): Server {
  return createDoor({
    mcp,
    ...(service && { service: service.handle, prove: (nonce, port) => healthProof(service.token, nonce, port) }),
    allowedHosts: config.allowedHosts,
    ...(config.origin === undefined ? {} : { origin: config.origin }),
    version,
    log,
  })
}

/** The addresses of this server. In front of a deployment it has no ingest, and each caller brings a token. */
function publicEndpoints(origin: string, { service, baseUrl }: Backend): Endpoints {
  const mcp = `${origin}/mcp`
  if (service === undefined) return { mcp, rest: baseUrl, ingest: '', dsn: '', product_id: '', token: '' }
  const { productId, token } = service
  return { mcp, rest: origin, ingest: origin, dsn: service.dsn(origin), product_id: productId, token }
}

/** Stops accepting connections, gives open requests some time to end, then closes the rest. */
async function drain(door: Server, mcp: McpHttp | undefined): Promise<void> {
  if (!door.listening) return
  const closed = new Promise<void>((resolve) => door.close(() => resolve()))
  door.closeIdleConnections()
  await mcp?.close()
  const late = setTimeout(() => door.closeAllConnections(), drainMs)
  await closed
  clearTimeout(late)
}
