import type { LookupAddress } from 'node:dns'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { ServiceError } from '../errors.ts'

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>

interface Vetting {
  what: string
  baseUrl: string
  lookup: Lookup
  resolvedByProxy?: boolean
}

/**
 * The addresses that may be connected to for an address that the deployment named (mcp §8.2): https, or http to a
 * loopback host that is the configured one; public addresses only, unless the host is the configured one. Resolved once,
 * so that a name that resolves differently the next time leads nowhere else. `what` names the address in errors. Where a
 * proxy resolves the name, none are returned for one that is unknown on this machine. Throws `upstream_shape_unknown` for
 * anything else.
 */
export async function vettedAddresses(
  url: URL,
  { what, baseUrl, lookup, resolvedByProxy = false }: Vetting,
): Promise<readonly LookupAddress[]> {
  const hostname = withoutBrackets(url.hostname)
  const configured = isConfigured(hostname, withoutBrackets(new URL(baseUrl).hostname))
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && configured && isLoopback(hostname))) {
    throw refused(what, 'it is not https')
  }
  if (url.username !== '' || url.password !== '') throw refused(what, 'it contains a user name or password')
  const family = isIP(hostname)
  const all = family === 0 ? await lookup(hostname).catch(unlessProxied) : [{ address: hostname, family }]
  if (all === undefined) return []
  const allowed = configured ? all : all.filter(({ address }) => isPublic(address))
  if (allowed.length > 0) return allowed
  throw refused(what, 'its host is in a private network')

  function unlessProxied(error: unknown): undefined {
    if (!resolvedByProxy) throw error
  }
}

/** Whether the host is that of the base address; all loopback names are the same host. */
function isConfigured(hostname: string, base: string): boolean {
  return hostname === base || (isLoopback(hostname) && isLoopback(base))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '::1' || (isIPv4(hostname) && hostname.startsWith('127.'))
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** IANA's special-purpose registries. Of IPv6, only global unicast addresses that do not embed an IPv4 address pass. */
const special = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(network, prefix, 'ipv4')
}
// At this public address Azure serves credentials to its virtual machines.
special.addAddress('168.63.129.16', 'ipv4')
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special.addSubnet(network, prefix, 'ipv6')
}
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Whether the address belongs to the public internet. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4')
  // With a zone it is link-local, and a block list does not read it.
  if (isIP(address) !== 6 || address.includes('%')) return false
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

function refused(what: string, why: string): ServiceError {
  return new ServiceError('upstream_shape_unknown', `the ${what} of the deployment is refused: ${why}`)
}
