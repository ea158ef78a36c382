import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { version } from '../version.ts'
import type { Endpoints } from './support/endpoints.ts'

/** Printed once the server listens: its addresses, where the token is, and what to paste into each agent. */
export function welcome(config: Config, endpoints: Endpoints): string {
  const embedded = config.baseUrl === undefined
  return [
    '',
    `Tracegate ${version} is listening.`,
    '',
    `  MCP     ${endpoints.mcp}`,
    ...(embedded
      ? addresses(config, endpoints)
      : [`  in front of ${endpoints.rest}; each caller brings a token of that deployment`]),
    '',
    ...agents(endpoints.mcp, embedded ? `$(cat ${quoted(join(config.dataDir, 'token'))})` : '<your API token>'),
    ...(embedded ? stdio(config) : []),
    '',
    'Stop with Ctrl-C.',
    '',
  ].join('\n')
}

function addresses({ dataDir }: Config, { rest, dsn }: Endpoints): string[] {
  return [
    `  REST    ${rest}/v1  (described in ${rest}/openapi.json)`,
    `  DSN     ${dsn}  (for any Sentry SDK)`,
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
  const guard = resolve(import.meta.dirname, '../dev/guard.cjs')
  // In the package the command is next to this file.
  const command = existsSync(guard) ? guard : resolve(import.meta.dirname, 'tracegate.js')
  const args = [quoted(command), 'stdio', '--data', quoted(dataDir)].join(' ')
  return ['', 'Without this server, over stdio on the same data:', `  claude mcp add tracegate -- node ${args}`]
}

/** A path as one word of a shell command. */
function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
