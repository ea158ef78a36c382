import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createApi } from '../client/client.ts'
import { networkSend } from '../client/transport.ts'
import type { Config } from '../config.ts'
import { failures, ServiceError } from '../errors.ts'
import { version } from '../version.ts'
import { requireBuilt } from './backend.ts'
import { originOf, readEndpoints } from './endpoints.ts'
import { requireFree } from './port.ts'

interface Finding {
  what: string
  ok: boolean
  found: string
  /** How to mend it. */
  mend?: string
}

/** `tracegate doctor`: checks what the configuration needs and says how to mend it; resolves to 1 when something is wrong. */
export async function run(config: Config): Promise<number> {
  const findings = [checkNode(), checkConfiguration(config)]
  if (config.baseUrl === undefined) findings.push(checkDataDir(config), await checkServer(config))
  else findings.push(await checkDeployment(config.baseUrl, config.apiToken ?? ''))
  for (const { what, ok, found, mend } of findings) {
    process.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${what}: ${found}\n`)
    if (mend !== undefined) process.stdout.write(`      mend: ${mend}\n`)
  }
  return findings.every(({ ok }) => ok) ? 0 : 1
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > 22 || (major === 22 && minor >= 19)
  const finding = { what: 'Node', ok, found: `${process.version}, tracegate ${version}` }
  return ok ? finding : { ...finding, mend: 'install Node 24, or any from 22.19 on' }
}

/** Whatever can be wrong in a single setting has been refused before; here is what they mean together. */
function checkConfiguration(config: Config): Finding {
  const where = config.baseUrl === undefined ? 'the embedded service' : `the deployment at ${config.baseUrl}`
  const product = config.product === undefined ? '' : `, product ${config.product}`
  const tools = `toolsets ${config.toolsets.join(',')}${config.readOnly ? ', read only' : ''}`
  const finding = { what: 'configuration', ok: true, found: `${where}${product}; ${tools}` }
  try {
    requireBuilt(config)
    return finding
  } catch (error) {
    return { ...finding, ok: false, mend: error instanceof Error ? error.message : 'unset TRACEGATE_DATABASE_URL' }
  }
}

function checkDataDir({ dataDir }: Config): Finding {
  const what = 'data directory'
  let existing = dataDir
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
  } catch {
    const mend = `make ${existing} writable for this user, or choose another with --data or TRACEGATE_DATA_DIR`
    return { what, ok: false, found: `${dataDir} cannot be written`, mend }
  }
  if (existing !== dataDir) return { what, ok: true, found: `${dataDir}, made at the first start` }
  const used = existsSync(join(dataDir, 'tracegate.db'))
  return { what, ok: true, found: `${dataDir}${used ? '' : ', empty'}` }
}

/** A server of ours that runs, with its token tried; else whether its port could be had. */
async function checkServer(config: Config): Promise<Finding> {
  const what = 'server'
  const origin = readEndpoints(config.dataDir)?.rest ?? originOf(config.host, config.port)
  const running = await healthOf(origin)
  if (running !== undefined) {
    const { token, rest } = readEndpoints(config.dataDir) ?? {}
    if (token === undefined || rest === undefined) {
      return { what, ok: true, found: `Tracegate ${running} at ${origin}, on another data directory` }
    }
    return { ...(await checkDeployment(rest, token)), what }
  }
  try {
    await requireFree(config)
    return {
      what,
      ok: true,
      found: `none is running, and port ${String(config.port)} is free; start one with: tracegate serve`,
    }
  } catch (error) {
    const mend = 'stop the program that has it, or choose another port with --port'
    return { what, ok: false, found: error instanceof Error ? error.message : 'the port cannot be had', mend }
  }
}

async function healthOf(origin: string): Promise<string | undefined> {
  try {
    const reply = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(3000), redirect: 'error' })
    const health = (await reply.json()) as { status?: unknown; version?: unknown }
    return health.status === 'ok' && typeof health.version === 'string' ? health.version : undefined
  } catch {
    return undefined
  }
}

/** Reaches the service and lets it judge the token. */
async function checkDeployment(baseUrl: string, token: string): Promise<Finding> {
  const what = 'service'
  const send = networkSend({ timeoutMs: 10_000 })
  try {
    const { user, server } = await createApi({ send, baseUrl, token, retries: 1 }).getMe({})
    const name = server?.name === undefined ? 'a service' : `${server.name} ${server.version ?? ''}`.trim()
    const found = `${name} at ${baseUrl} knows the token as ${user.email ?? user.id}`
    // The deployment wrote these names; a terminal must not obey them.
    // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
    return { what, ok: true, found: found.replace(/[\u0000-\u001f\u007f-\u009f]/g, '') }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { what, ok: false, found: error.message, mend: mendOf(error, baseUrl) }
  } finally {
    await send.close()
  }
}

function mendOf({ code }: ServiceError, baseUrl: string): string {
  if (code === 'unavailable') return `check that ${baseUrl} is right, up and reachable from this machine`
  if (code === 'upstream_shape_unknown' || code === 'not_found') {
    return `${baseUrl} does not answer as the service does: set TRACEGATE_BASE_URL to its address without /v1`
  }
  return failures[code].hint
}
