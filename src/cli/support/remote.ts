import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { ConfigError, type Config } from '../../config.ts'
import { isLoopback } from '../../lib/network/loopback.ts'
import { ServiceError } from '../../errors.ts'
import { readEndpoints } from './endpoints.ts'
import { misconfiguredAddress } from '../../client/network-failure.ts'
import { openFetch } from '../../client/proxy/open-fetch.ts'
import { proxyFor } from '../../client/proxy/proxy-for.ts'
import { checkHealth } from './health.ts'

/**
 * A transport to the MCP address of `--url`, with the token from the environment or, for the server on this data
 * directory, its token. Rejects with `ConfigError` for what cannot be called and `ServiceError` when nothing answers.
 */
export async function remoteTransport(address: string, config: Config): Promise<StreamableHTTPClientTransport> {
  const url = mcpAddress(address)
  const { apiToken, proxy } = config
  const target = apiToken === undefined ? await ownServer(url, config) : { url, token: apiToken }
  const requestInit = { headers: { authorization: `Bearer ${target.token}` } }
  return new StreamableHTTPClientTransport(target.url, { requestInit, fetch: openFetch(proxy) })
}

/** The address of `--url`, with the path `/mcp` unless it has one. Throws `ConfigError` when no token may be sent there. */
function mcpAddress(address: string): URL {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ConfigError('--url: use a full address such as http://127.0.0.1:4319/mcp')
  if (url.username + url.password !== '')
    throw new ConfigError('--url: remove user name and password; set TRACEGATE_API_TOKEN to the token of that server')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new ConfigError(
      '--url: use https://: over http:// anyone on the network could read the token (http is allowed for loopback only)',
    )
  }
  if (url.pathname === '/') url.pathname = '/mcp'
  return url
}

/** The server on this data directory and its token, if the address is that server's and it has proved its identity. */
async function ownServer(url: URL, { dataDir, proxy }: Config): Promise<{ url: URL; token: string }> {
  const { mcp, token = '' } = readEndpoints(dataDir) ?? {}
  const own = mcp === undefined || token === '' ? undefined : new URL(mcp)
  if (own === undefined || !isSameServer(own, url)) {
    // What answers through a proxy is far away, and a token is needed in any case.
    const isDirect = proxyFor(url, proxy) === undefined
    if (isDirect && (await checkHealth(url.origin)) === undefined)
      throw new ServiceError('unavailable', nothingAnswers(url))
    throw new ConfigError('--url: set TRACEGATE_API_TOKEN to the token of that server')
  }
  const running = await checkHealth(own.origin, token)
  if (running === undefined) throw new ServiceError('unavailable', nothingAnswers(url))
  if (!running.proved) {
    throw new ConfigError(
      `--url: what answers at ${url.href} cannot prove that it is the server of this data directory and is sent no token; start tracegate serve again, or set TRACEGATE_API_TOKEN`,
    )
  }
  // The proof holds for that address only: under another name of this machine another program may answer.
  own.pathname = url.pathname
  return { url: own, token }
}

function isSameServer(one: URL, other: URL): boolean {
  if (one.protocol !== other.protocol || one.port !== other.port) return false
  return one.hostname === other.hostname || (isLoopback(one.hostname) && isLoopback(other.hostname))
}

/** Why connecting failed and what to do, in one sentence. */
export function connectionFailure(error: unknown, address: string): string {
  const url = mcpAddress(address)
  const facts = [...causes(error)]
  const misconfigured = facts.map((fact) => misconfiguration(fact, url)).find((message) => message !== undefined)
  if (misconfigured !== undefined) return misconfigured
  if (facts.some(({ code }) => typeof code === 'string' && code.startsWith('PROXY_'))) {
    return `the proxy in HTTPS_PROXY does not lead to ${url.href}: check its address, or name the host in NO_PROXY`
  }
  if (facts.some(({ code }) => typeof code === 'string' && unreachable.test(code))) return nothingAnswers(url)
  const status = facts.find((fact) => typeof fact.status === 'number')?.status
  if (status === 401) {
    return `the server at ${url.href} does not accept the token: set TRACEGATE_API_TOKEN to a token of that server`
  }
  if (status === 403)
    return `the server at ${url.href} refuses the request: the token may read nothing there, or the name of the server is not in its TRACEGATE_ALLOWED_HOSTS`
  if (typeof status === 'number' && status >= 500) {
    return `the server at ${url.href} answers with ${String(status)}: its log says why`
  }
  return `what answers at ${url.href} is not an MCP server: correct --url, which usually ends in /mcp`
}

/** What makes the connection impossible until a setting is changed, such as a proxy that cannot be used or a certificate. */
function misconfiguration(fact: unknown, { href }: URL): string | undefined {
  if (fact instanceof ServiceError && fact.code === 'misconfigured') return fact.message
  return misconfiguredAddress(`server at ${href}`, fact)?.message
}

const unreachable = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

function nothingAnswers(url: URL): string {
  return `nothing answers at ${url.href}: start it with tracegate serve, or correct --url`
}

interface Cause {
  code?: unknown
  status?: unknown
  cause?: unknown
}

/** The error and its chain of causes. */
function* causes(error: unknown): Generator<Cause> {
  let at = error
  for (let depth = 0; depth < 10 && typeof at === 'object' && at !== null; depth += 1) {
    // Reading any member of an object is safe; each is unknown until it is checked.
    const cause = at as Cause
    yield cause
    at = cause.cause
  }
}
