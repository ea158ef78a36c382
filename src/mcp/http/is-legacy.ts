import type { IncomingMessage } from 'node:http'
import { classifyInboundRequest } from '@modelcontextprotocol/server'
import { single } from './scope.ts'

/** Whether the request is one of the 2025 revisions, as the SDK classifies it. */
export function isLegacy({ method = 'GET', headers }: IncomingMessage, body: unknown): boolean {
  const facts = {
    httpMethod: method,
    protocolVersionHeader: single(headers['mcp-protocol-version']),
    mcpMethodHeader: single(headers['mcp-method']),
    mcpNameHeader: single(headers['mcp-name']),
  }
  return classifyInboundRequest({ ...facts, body }).kind === 'legacy'
}
