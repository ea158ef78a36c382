import type { Session } from '../session/session.ts'

/** What a handler needs to know of a request. */
export interface ShopRequest {
  params: Record<string, string>
  query: URLSearchParams
  body: unknown
  session?: Session
}

export interface Route {
  method: 'GET' | 'POST'
  /** Path with `:name` segments. */
  path: string
  handle(request: ShopRequest): unknown
}

export interface Match {
  route: Route
  params: Record<string, string>
}

/** The route of a path, with the values of its `:name` segments. */
export function findRoute(routes: readonly Route[], method: string, path: string): Match | undefined {
  const segments = path.split('/').map(decodeURIComponent)
  for (const route of routes) {
    const params = route.method === method ? matchSegments(route.path.split('/'), segments) : undefined
    if (params) return { route, params }
  }
  return undefined
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [position, part] of pattern.entries()) {
    const segment = segments[position] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = segment
    else if (part !== segment) return undefined
  }
  return params
}
