import type { Agent, Dispatcher, Pool, ProxyAgent } from 'undici'

interface Undici {
  Pool: typeof Pool
  ProxyAgent: typeof ProxyAgent
}

/**
 * An agent that reaches every host through the proxy, with the same limits as a direct one. A failure before the tunnel
 * stands has a code of its own, `PROXY_ECONNREFUSED` or `PROXY_STATUS_407`: nothing was sent to the host, and what to mend
 * is the proxy.
 */
export function openProxyAgent(
  undici: Undici,
  proxy: URL,
  options: Agent.Options & { connectTimeout: number },
): ProxyAgent {
  const clientFactory = (origin: URL, given: object) => {
    // Without these limits, a proxy that does not answer would be waited for until undici's own end, five minutes.
    const limits = { headersTimeout: options.connectTimeout, bodyTimeout: options.connectTimeout }
    return namingFailures(new undici.Pool(origin, { ...given, ...limits }))
  }
  return new undici.ProxyAgent({ ...options, uri: proxy.href, clientFactory })
}

function namingFailures(pool: Pool): Pool {
  const connect = pool.connect.bind(pool) as (...call: unknown[]) => Promise<Dispatcher.ConnectData>
  const named = async (...call: unknown[]) => {
    const opened = await connect(...call).catch((cause: unknown) => {
      throw proxyFailure(codeIn(cause), cause)
    })
    if (opened.statusCode === 200) return opened
    opened.socket.on('error', () => {}).destroy()
    throw proxyFailure(`STATUS_${String(opened.statusCode)}`)
  }
  return Object.assign(pool, { connect: named })
}

function codeIn(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,50}$/.test(code) ? code : 'ERROR'
}

function proxyFailure(code: string, cause?: unknown): Error {
  return Object.assign(new Error('the proxy opened no connection', { cause }), { code: `PROXY_${code}` })
}
