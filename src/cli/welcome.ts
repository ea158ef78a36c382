import { join } from 'node:path'
import type { Config } from '../config.ts'
import { version } from '../version.ts'
import type { Product } from '../mcp/resolve/types.ts'
import type { Endpoints } from './support/endpoints.ts'
import { plain } from './support/finding.ts'
import { ownCommand, quoted } from './support/own-command.ts'

/** Products whose DSNs are printed besides the server's own. */
const MOST_DSNS = 9

/** Printed once the server listens: its addresses, where the token is, and what to paste into each agent. */
export function welcome(config: Config, endpoints: Endpoints, products: readonly Product[] = []): string {
  const embedded = config.baseUrl === undefined
  return [
    '',
    `Tracegate ${version} is listening.`,
    '',
    `  MCP     ${endpoints.mcp}`,
    ...(embedded
      ? addresses(config, endpoints, products)
      : [`  in front of ${endpoints.rest}; each caller brings a token of that deployment`]),
    '',
    ...agents(endpoints.mcp, embedded ? `$(cat ${quoted(join(config.dataDir, 'token'))})` : '<your API token>'),
    ...(embedded ? stdio(config) : []),
    '',
    'Stop with Ctrl-C.',
    '',
  ].join('\n')
}

function addresses({ dataDir }: Config, endpoints: Endpoints, products: readonly Product[]): string[] {
  const { rest, dsn, product_id: id } = endpoints
  const others = products.filter((product) => product.id !== id)
  const name = products.find((product) => product.id === id)?.name
  return [
    `  REST    ${rest}/v1  (described in ${rest}/openapi.json)`,
    `  DSN     ${dsn}  (for any Sentry SDK${name === undefined || others.length === 0 ? '' : `; ${plain(name)}`})`,
    ...others
      .slice(0, MOST_DSNS)
      .map((product) => `          ${product.ingest?.dsn ?? ''}  (${plain(product.name ?? product.id)})`),
    `  token   in ${join(dataDir, 'token')}`,
    `  data    in ${dataDir}`,
  ]
}

/** This never puts the token into a file: the shell reads it, or the editor asks for it. */
function agents(mcp: string, token: string): string[] {
  const cursor = { tracegate: { url: mcp, headers: { Authorization: 'Bearer ${env:TRACEGATE_MCP_TOKEN}' } } }
  const code = {
    servers: { tracegate: { type: 'http', url: mcp, headers: { Authorization: 'Bearer ${input:tracegate-token}' } } },
    inputs: [{ id: 'tracegate-token', type: 'promptString', description: 'Tracegate API token', password: true }],
  }
  return [
    'Claude Code:',
    `  claude mcp add --transport http tracegate ${mcp} --header "Authorization: Bearer ${token}"`,
    '',
    'Codex, in ~/.codex/config.toml:',
    '  [mcp_servers.tracegate]',
    `  url = "${mcp}"`,
    '  bearer_token_env_var = "TRACEGATE_MCP_TOKEN"',
    '',
    'Cursor, in .cursor/mcp.json:',
    `  ${JSON.stringify({ mcpServers: cursor })}`,
    '',
    'VS Code, in .vscode/mcp.json:',
    `  ${JSON.stringify(code)}`,
    '',
    'Codex and Cursor read the token from their environment:',
    `  export TRACEGATE_MCP_TOKEN="${token}"`,
  ]
}

/** The same data over stdio, without a running server or a token. */
function stdio({ dataDir }: Config): string[] {
  const command = `${ownCommand()} stdio --data ${quoted(dataDir)}`
  return ['', 'Without this server, over stdio on the same data:', `  claude mcp add tracegate -- ${command}`]
}
