import type { WireRequest } from '../../contract/base/wire.ts'

/**
 * Whether a form comes from a page of our own origin. Browsers say so in `Sec-Fetch-Site`, over plain http to another
 * machine only in `Origin`; one that says neither is refused. A proxy may have ended TLS, so hosts are compared, with
 * their ports, and not schemes.
 */
export function isSameOrigin({ headers }: WireRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const origin = headers['origin']
  if (origin === undefined) return site === 'same-origin'
  return headers['host'] !== undefined && URL.parse(origin)?.host === withoutDefaultPort(origin, headers['host'])
}

/** The host as a URL of the same scheme writes it: without the port that the scheme implies. */
function withoutDefaultPort(origin: string, host: string): string | undefined {
  return URL.parse(`${URL.parse(origin)?.protocol ?? 'http:'}//${host}`)?.host
}
