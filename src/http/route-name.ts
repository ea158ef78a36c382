/** A request that has ended. */
export interface EndedRequest {
  method: string
  /** A class of addresses: few enough to count by. */
  route: string
  /** 0 where the peer left before there was a response. */
  status: number
  seconds: number
}

export type OnRequest = (request: EndedRequest) => void

const routes: Readonly<Record<string, string>> = {
  mcp: '/mcp',
  v1: '/v1',
  api: '/api',
  uploads: '/uploads',
  'openapi.json': '/openapi.json',
  healthz: '/healthz',
  readyz: '/readyz',
  metrics: '/metrics',
}

/** The class of an address: its first segment where something is served, `page` for all pages, else `other`. */
export function routeName(target: string, pages: { has(segment: string): boolean } | undefined): string {
  const area = firstSegment(target)
  if (Object.hasOwn(routes, area)) return routes[area] as string
  return pages?.has(area) === true ? 'page' : 'other'
}

/** `mcp` of `/mcp/readonly?x`. */
export function firstSegment(target: string): string {
  return target.replace(/^\/+/, '').split(/[/?]/, 1)[0] ?? ''
}
