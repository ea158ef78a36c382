import { join } from 'node:path'
import { credentialsProblem } from '../../config-checks.ts'
import type { Config } from '../../config.ts'
import { counted } from '../../lib/counted.ts'
import { createListing } from '../../mcp/surface/listing.ts'
import { surface } from '../../surface.ts'
import { storedVersion } from '../../service/sql/sqlite/database-file.ts'
import { version } from '../../version.ts'
import { thisMachine } from '../clients/machine.ts'
import { checkProduct } from '../support/check-product.ts'
import { portFor } from '../support/data-port.ts'
import { listeningOrigin, readEndpoints } from '../support/endpoints.ts'
import { plain, unresolvedWords, type Finding } from '../support/finding.ts'
import type { Io } from '../support/io.ts'
import { checkHealth } from '../support/health.ts'
import { PortError, requireFree } from '../support/port.ts'
import { checkClients } from './clients.ts'
import { checkClock } from './clock.ts'
import { checkDataDir } from './data-directory.ts'
import { checkDatabase } from './database.ts'
import { checkDeployment, checkService } from './deployment.ts'
import { roomLines } from './room/index.ts'

/** `tracegate doctor`: checks what the configuration needs and says how to fix it; resolves to 1 when something is wrong. */
export async function run(config: Config, io: Io): Promise<number> {
  const { baseUrl, apiToken: token = '', product, proxy } = config
  const first = [
    checkNode(),
    ...checkSettings(config),
    checkConfiguration(config),
    ...checkClients(thisMachine(io.env), '.'),
  ]
  const isRemote = baseUrl !== undefined
  const { findings: others, lines } =
    credentialsProblem(config) !== undefined
      ? { findings: [], lines: [] }
      : isRemote
        ? await checkDeployment({ baseUrl, token, proxy }, product)
        : await examineEmbedded(config, io, first)
  const findings = [...first, ...others]
  for (const { what, ok, found, fix } of findings) {
    io.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${what}: ${plain(found)}\n`)
    if (fix !== undefined) io.stdout.write(`      fix: ${plain(fix)}\n`)
  }
  for (const line of lines) io.stdout.write(`${line}\n`)
  return findings.every(({ ok }) => ok) ? 0 : 1
}

/** The findings that are about the data itself. */
const DATA: ReadonlySet<string> = new Set(['configuration', 'Node', 'data directory', 'database'])

/** The checks of the embedded service, with what takes room; `earlier` are those that were made before. */
async function examineEmbedded(config: Config, io: Io, earlier: readonly Finding[]) {
  const { databaseUrl, product } = config
  const findings = [checkClock(config.dataDir, Date.now()), checkDataDir(config)]
  const server = databaseUrl === undefined ? undefined : await checkDatabase({ ...config, databaseUrl })
  if (server !== undefined) findings.push(server.finding)
  findings.push(await checkServer(config, io))
  // When the data cannot be read, an earlier finding says so.
  const isReadable = [...earlier, ...findings].every(({ ok, what }) => ok || !DATA.has(what))
  if (product !== undefined && isReadable) {
    const version = server?.version ?? storedVersion(join(config.dataDir, 'tracegate.db'))
    findings.push(await checkProduct(config, product, version))
  }
  const isLocal = databaseUrl === undefined
  return { findings, lines: isReadable && isLocal ? await roomLines(config.dataDir, Date.now()) : [] }
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > 22 || (major === 22 && minor >= 19)
  const finding = { what: 'Node', ok, found: `${process.version}, tracegate ${version}` }
  return ok ? finding : { ...finding, fix: 'install Node 24, or any version from 22.19' }
}

/** What a client passed on without its value, and half of an address and a token. */
function checkSettings(config: Config): Finding[] {
  const what = 'settings'
  const problem = credentialsProblem(config)
  const fix = 'give it a value in the settings of the client, or remove it there'
  return [
    ...(config.unresolved.length === 0 ? [] : [{ what, ok: false, found: unresolvedWords(config.unresolved), fix }]),
    ...(problem === undefined ? [] : [{ what, ok: false, found: problem }]),
  ]
}

/** Invalid values of single settings are refused before; this is about their combination. */
function checkConfiguration(config: Config): Finding {
  const where = config.baseUrl === undefined ? 'the embedded service' : `the deployment at ${config.baseUrl}`
  const { tools } = createListing(surface, { ...config, local: true })
  const chosen = `toolsets ${config.toolsets.join(',')}${config.readOnly ? ', read only' : ''}: ${counted(tools.length, 'tool')}`
  const finding = { what: 'configuration', ok: true, found: `${where}; ${chosen}` }
  if (tools.length > 0) return finding
  const filled = new Set(surface.tools.map(({ toolset }) => toolset))
  const fix = `TRACEGATE_TOOLSETS: in this version there are tools in: ${[...filled].join(', ')}`
  return { ...finding, ok: false, fix }
}

/** Our running server, with its token tried; without one, whether the port is free. */
async function checkServer(config: Config, io: Io): Promise<Finding> {
  const what = 'server'
  const { rest, token } = readEndpoints(config.dataDir) ?? {}
  const origin = rest ?? listeningOrigin(config.host, portFor(config))
  const running = await checkHealth(origin, token)
  if (running === undefined) return { ...(await checkPort(config, io)), what }
  if (rest === undefined || token === undefined) {
    return { what, ok: true, found: `Tracegate ${running.version} at ${origin}, on another data directory` }
  }
  if (running.proved && running.version !== version) {
    const found = `version ${running.version} is running at ${origin}, and this is ${version}`
    return { what, ok: false, found, fix: 'stop the server and start this version: tracegate serve' }
  }
  if (running.proved) return { ...(await checkService({ baseUrl: rest, token })), what }
  const found = `what answers at ${origin} cannot prove that it is the server of this data directory; it was sent no token`
  const fix = `start tracegate serve again, or delete ${join(config.dataDir, 'endpoints.json')}, left behind by a server that was killed`
  return { what, ok: false, found, fix }
}

async function checkPort(config: Config, { env }: Io): Promise<Omit<Finding, 'what'>> {
  const { host } = config
  const port = portFor(config)
  try {
    await requireFree({ host, port }, env)
    const found = `no server is running, and port ${String(port)} is free; start one with: tracegate serve`
    return { ok: true, found }
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    return { ok: false, found: error.found, fix: error.fix }
  }
}
