/** The parts of an absolute address, still encoded: `new URL` would resolve dot segments. */
export interface Address {
  /** Scheme, host and port. */
  origin: string
  path: string
  query: string
}

/** Splits a request's address; a relative one belongs to `http://localhost`. */
export function splitAddress(url: string): Address {
  const [, origin, path, query] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? []
  return { origin: origin ?? 'http://localhost', path: path || '/', query: query ?? '' }
}
