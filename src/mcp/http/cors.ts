import type { IncomingMessage, ServerResponse } from 'node:http'
import { originValidation } from '@modelcontextprotocol/node'
import { writeProblem } from './problem.ts'
import { single } from './scope.ts'

/** What a client of MCP sends beyond what every page may send. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Last-Event-ID',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Mcp-Method',
  'Mcp-Name',
  'traceparent',
  'tracestate',
  'X-MCP-Toolsets',
  'X-MCP-Readonly',
  'X-MCP-Confirm',
]
/** Arguments as headers (SEP-2243): their names are those of parameters, so they cannot be listed. */
const parameterHeader = /^mcp-param-[\w-]{1,64}$/i
const MOST_PARAMETER_HEADERS = 32
const RESPONSE_HEADERS = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'
/** Chromium asks again after two hours at the latest. */
const PREFLIGHT_SECONDS = '7200'

/** Answers requests of pages from other hosts, and of what is no page: by its host alone a browser's extension might pass. */
export function webOriginValidation(hosts: string[]): ReturnType<typeof originValidation> {
  const isHostAllowed = originValidation(hosts)
  return (incoming, outgoing) => {
    if (/^https?:/i.test(incoming.headers.origin ?? 'http:')) return isHostAllowed(incoming, outgoing)
    writeProblem(outgoing, 403, 'the Origin is no web page')
    return false
  }
}

/**
 * Lets the page of an allowed origin read the response, whatever becomes of the request. The origin is named, and nothing
 * allows credentials of the browser: a page has only the token that it was given (decision 115).
 */
export function letPageRead({ headers }: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.setHeader('vary', 'Origin')
  if (headers.origin === undefined) return
  outgoing.setHeader('access-control-allow-origin', headers.origin)
  outgoing.setHeader('access-control-expose-headers', RESPONSE_HEADERS)
}

/** Whether a browser asks what the page of an allowed origin may send. It asks without a token. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

/** Answers a preflight after `letPageRead`. */
export function answerPreflight({ headers }: IncomingMessage, outgoing: ServerResponse): void {
  const asked = single(headers['access-control-request-headers']) ?? ''
  const names = asked.split(',', 100).map((name) => name.trim())
  const parameters = names.filter((name) => parameterHeader.test(name)).slice(0, MOST_PARAMETER_HEADERS)
  outgoing.writeHead(204, {
    vary: 'Origin, Access-Control-Request-Headers',
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': [...REQUEST_HEADERS, ...parameters].join(', '),
    'access-control-max-age': PREFLIGHT_SECONDS,
  })
  outgoing.end()
}
