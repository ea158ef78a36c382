import type { ServerResponse } from 'node:http'

/** Responds with a JSON-RPC error, by default without a request id. */
export function writeProblem(
  outgoing: ServerResponse,
  status: number,
  message: string,
  { code = -32_000, headers = {}, id = null }: { code?: number; headers?: Record<string, string>; id?: unknown } = {},
): void {
  if (outgoing.headersSent) {
    outgoing.destroy()
    return
  }
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id }))
}
