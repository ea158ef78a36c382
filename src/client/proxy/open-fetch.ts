import { oncePer } from '../../lib/once.ts'
import { openProxyAgent } from './proxy-agent.ts'
import { proxyFor, type ProxySettings } from './proxy-for.ts'

const OPTIONS = { connectTimeout: 5_000 }

/**
 * A `fetch` that goes through the proxy, and to loopback hosts always directly: Node's own one knows no proxy, or with
 * NODE_USE_ENV_PROXY asks it for loopback hosts as well. undici is loaded at the first use.
 */
export function openFetch(
  proxy: ProxySettings | undefined,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const open = oncePer(async (through: string | undefined) => {
    const { default: undici } = await import('undici')
    const direct = through === undefined
    return {
      undici,
      dispatcher: direct ? new undici.Agent(OPTIONS) : openProxyAgent(undici, new URL(through), OPTIONS),
    }
  })
  return async (url, init) => {
    const { undici, dispatcher } = await open(proxyFor(new URL(url), proxy)?.href)
    // Its requests and responses are those of the platform, with types of its own.
    const options = { ...init, dispatcher } as Parameters<typeof undici.fetch>[1]
    return (await undici.fetch(url, options)) as unknown as Response
  }
}
