import { BlockList, isIP } from 'node:net'
import { ServiceError } from '../../errors.ts'
import { isLoopback } from '../../lib/network/loopback.ts'

/** The proxy of this machine. Requests to a loopback host never go through it. */
export interface ProxySettings {
  /** The value of HTTPS_PROXY. */
  address: string
  /** The value of NO_PROXY: hosts that are reached directly. */
  except: string
}

/**
 * The proxy that a request to this address goes through; undefined where it goes directly. Only https goes through a proxy:
 * over http nothing but a loopback host is called. Throws `misconfigured` for a proxy that cannot be used; its address may
 * hold a password, so the message leaves it out.
 */
export function proxyFor(url: URL, proxy: ProxySettings | undefined): URL | undefined {
  if (proxy === undefined || url.protocol !== 'https:') return undefined
  const host = bareHost(url.hostname)
  if (isLoopback(host) || host.endsWith('.localhost')) return undefined
  const port = url.port === '' ? 443 : Number(url.port)
  if (exceptions(proxy.except).some((exception) => covers(exception, host, port))) return undefined
  const { address } = proxy
  const parsed = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`)
  if (parsed !== null && /^https?:$/.test(parsed.protocol) && isDecodable(parsed)) return parsed
  const message =
    'HTTPS_PROXY is not the address of an HTTP proxy; write it as http://proxy.example:3128 or ' +
    'http://user:password@proxy.example:3128, with %25 for a % in the password'
  throw new ServiceError('misconfigured', message)
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** The name without the brackets of an IPv6 address, the dot of a full name and upper case. */
function bareHost(name: string): string {
  return name
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(.)\.$/, '$1')
    .toLowerCase()
}

interface Exception {
  /** A host whose subdomains are meant too, an address, `*`, or a network such as `10.0.0.0/8`. */
  host: string
  port: number | undefined
}

/** The entries of NO_PROXY, separated by commas or spaces. */
function exceptions(text: string): Exception[] {
  return text
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, name = entry, port] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? []
      const host = bareHost(name.replace(/^\*?\.(?=.)/, ''))
      return { host, port: port === undefined ? undefined : Number(port) }
    })
}

function covers({ host: excepted, port: onlyPort }: Exception, host: string, port: number): boolean {
  if (onlyPort !== undefined && onlyPort !== port) return false
  return excepted === '*' || host === excepted || host.endsWith(`.${excepted}`) || isInNetwork(host, excepted)
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', prefix = '', ...rest] = network.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const bits = family === 'ipv6' ? 128 : 32
  if (rest.length > 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return false
  if (isIP(address) === 0 || isIP(host) !== isIP(address)) return false
  const list = new BlockList()
  list.addSubnet(address, Number(prefix), family)
  return list.check(host, family)
}
