import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createApi } from '../client/client.ts'
import { networkSend } from '../client/transport.ts'
import type { Config } from '../config.ts'
import { failures, ServiceError } from '../errors.ts'
import { counted } from '../lib/counted.ts'
import { createListing } from '../mcp/surface/listing.ts'
import { databaseProblem } from '../service/sql/database-file.ts'
import { surface } from '../surface.ts'
import { version } from '../version.ts'
import { requireBuilt } from './support/backend.ts'
import { checkProduct } from './support/check-product.ts'
import { dataDirProblem, lostDatabase } from './support/data-dir.ts'
import { listeningOrigin, readEndpoints } from './support/endpoints.ts'
import { plain, type Finding } from './support/finding.ts'
import type { Io } from './support/io.ts'
import { checkHealth } from './support/health.ts'
import { PortError, requireFree } from './support/port.ts'

/** `tracegate doctor`: checks what the configuration needs and says how to fix it; resolves to 1 when something is wrong. */
export async function run(config: Config, io: Io): Promise<number> {
  const findings = [checkNode(), checkConfiguration(config)]
  if (config.baseUrl === undefined) findings.push(checkDataDir(config), await checkServer(config, io))
  else findings.push(await checkDeployment(config.baseUrl, config.apiToken ?? ''))
  // When the service cannot be reached, an earlier finding says so.
  const answers = findings.every(({ ok, what }) => ok || what === 'server')
  if (config.product !== undefined && answers) findings.push(await checkProduct(config, config.product))
  for (const { what, ok, found, fix } of findings) {
    io.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${what}: ${plain(found)}\n`)
    if (fix !== undefined) io.stdout.write(`      fix: ${plain(fix)}\n`)
  }
  return findings.every(({ ok }) => ok) ? 0 : 1
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > 22 || (major === 22 && minor >= 19)
  const finding = { what: 'Node', ok, found: `${process.version}, tracegate ${version}` }
  return ok ? finding : { ...finding, fix: 'install Node 24, or any version from 22.19' }
}

/** Invalid values of single settings are refused before; this is about their combination. */
function checkConfiguration(config: Config): Finding {
  const where = config.baseUrl === undefined ? 'the embedded service' : `the deployment at ${config.baseUrl}`
  const { tools } = createListing(surface, { ...config, local: true })
  const chosen = `toolsets ${config.toolsets.join(',')}${config.readOnly ? ', read only' : ''}: ${counted(tools.length, 'tool')}`
  const finding = { what: 'configuration', ok: true, found: `${where}; ${chosen}` }
  try {
    requireBuilt(config)
  } catch (error) {
    return { ...finding, ok: false, fix: error instanceof Error ? error.message : 'unset TRACEGATE_DATABASE_URL' }
  }
  if (tools.length > 0) return finding
  const filled = new Set(surface.tools.map(({ toolset }) => toolset))
  const fix = `TRACEGATE_TOOLSETS: in this version there are tools in: ${[...filled].join(', ')}`
  return { ...finding, ok: false, fix }
}

function checkDataDir({ dataDir }: Config): Finding {
  const what = 'data directory'
  const problem = dataDirProblem(dataDir)
  if (problem !== undefined) {
    const fix = 'choose another with --data or TRACEGATE_DATA_DIR'
    return { what, ok: false, found: `${dataDir} cannot be used (${problem})`, fix }
  }
  if (!existsSync(dataDir)) return { what, ok: true, found: `${dataDir}, created at the first start` }
  const file = join(dataDir, 'tracegate.db')
  const damage = databaseProblem(file)
  if (damage !== undefined) {
    const fix = 'restore a copy of it, or choose another data directory with --data or TRACEGATE_DATA_DIR'
    return { what, ok: false, found: `the database ${file} cannot be used: ${damage}`, fix }
  }
  const lost = lostDatabase(dataDir)
  if (lost !== undefined)
    return {
      what,
      ok: false,
      found: lost,
      fix: 'restore a backup of it; without one, the next start creates an empty database',
    }
  return { what, ok: true, found: `${dataDir}${existsSync(file) ? '' : ', empty'}` }
}

/** Our running server, with its token tried; without one, whether the port is free. */
async function checkServer(config: Config, io: Io): Promise<Finding> {
  const what = 'server'
  const { rest, token } = readEndpoints(config.dataDir) ?? {}
  const origin = rest ?? listeningOrigin(config.host, config.port)
  const running = await checkHealth(origin, token)
  if (running === undefined) return { ...(await checkPort(config, io)), what }
  if (rest === undefined || token === undefined) {
    return { what, ok: true, found: `Tracegate ${running.version} at ${origin}, on another data directory` }
  }
  if (running.proved) return { ...(await checkDeployment(rest, token)), what }
  const found = `what answers at ${origin} cannot prove that it is the server of this data directory; it was sent no token`
  const fix = `start tracegate serve again, or delete ${join(config.dataDir, 'endpoints.json')}, left behind by a server that was killed`
  return { what, ok: false, found, fix }
}

async function checkPort(config: Config, { env }: Io): Promise<Omit<Finding, 'what'>> {
  try {
    await requireFree(config, env)
    const found = `no server is running, and port ${String(config.port)} is free; start one with: tracegate serve`
    return { ok: true, found }
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    return { ok: false, found: error.found, fix: error.fix }
  }
}

/** Calls the service with the token. */
async function checkDeployment(baseUrl: string, token: string): Promise<Finding> {
  const what = 'service'
  const send = networkSend({ timeoutMs: 10_000 })
  try {
    const { user, server } = await createApi({ send, baseUrl, token, retries: 1 }).getMe({})
    const name = server?.name === undefined ? 'a service' : `${server.name} ${server.version ?? ''}`.trim()
    const found = `${name} at ${baseUrl} accepts the token of ${user.email ?? user.id}`
    return { what, ok: true, found }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { what, ok: false, found: error.message, fix: suggestedFix(error, baseUrl) }
  } finally {
    await send.close()
  }
}

function suggestedFix({ code }: ServiceError, baseUrl: string): string {
  if (code === 'unavailable') return `check that ${baseUrl} is right, up and reachable from this machine`
  if (code === 'upstream_shape_unknown' || code === 'not_found' || code === 'unimplemented') {
    return `${baseUrl} does not answer like the service: set TRACEGATE_BASE_URL to its address without /v1`
  }
  return failures[code].hint
}
