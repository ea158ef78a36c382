import { LRUCache } from 'lru-cache'

/** What the address of a request names. */
export interface Address {
  /** As written in the address; '' for the root. */
  productId: string
  /** The root is `/api/0`. */
  endpoint: 'root' | 'envelope' | 'store' | 'security'
  query: URLSearchParams
}

/** Undefined for an address that is not on the ingest surface. */
export type ReadAddress = (url: string) => Address | undefined

/** An application sends all its events to one address, with the version of its SDK in it. */
const REMEMBERED = 1_000
const LONGEST = 500

/** Reads addresses, and remembers those that came last. */
export function createAddresses(): ReadAddress {
  const known = new LRUCache<string, Address>({ max: REMEMBERED })
  return (url) => {
    const before = known.get(url)
    if (before !== undefined) return before
    const address = readAddress(url)
    if (address !== undefined && url.length <= LONGEST) known.set(url, address)
    return address
  }
}

function readAddress(url: string): Address | undefined {
  const { pathname, searchParams: query } = URL.parse(url, 'http://localhost') ?? {}
  if (pathname === undefined || query === undefined) return undefined
  if (/^\/+api\/+0\/*$/.test(pathname)) return { productId: '', endpoint: 'root', query }
  const [, productId, endpoint] = /^\/+api\/+([^/]+)\/+(envelope|store|security)\/*$/.exec(pathname) ?? []
  if (productId === undefined || endpoint === undefined) return undefined
  // The pattern names the three.
  return { productId, endpoint: endpoint as Address['endpoint'], query }
}
