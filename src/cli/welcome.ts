import { join } from 'node:path'
import type { Config } from '../config.ts'
import { version } from '../version.ts'
import type { Product } from '../mcp/resolve/types.ts'
import type { Client } from './clients/client.ts'
import { httpEntry, TOKEN_VARIABLE } from './clients/entry.ts'
import { clients, findClient } from './clients/list.ts'
import { shortSnippet, snippet } from './clients/snippet.ts'
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
    `  pages   ${new URL('/', endpoints.mcp).href}  (for people: triage, gate, coverage)`,
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

/** The clients whose lines are printed; `tracegate install` has all of them. */
const PRINTED = ['claude-code', 'codex', 'cursor', 'vscode']

/** This never puts the token into a file: the shell reads it, or the editor asks for it. */
function agents(mcp: string, token: string): string[] {
  const printed = clients.filter(({ id }) => PRINTED.includes(id))
  const others = clients.filter(({ id }) => !PRINTED.includes(id)).map(({ id }) => id)
  return [
    ...printed.flatMap((client) => linesFor(client, mcp, token)),
    `Others (${others.join(', ')}):`,
    `  ${ownCommand()} install CLIENT --url ${mcp}`,
    '',
    'Codex, Cursor and others read the token from their environment:',
    `  export ${TOKEN_VARIABLE}="${token}"`,
  ]
}

function linesFor(client: Client, mcp: string, token: string): string[] {
  const { title, format, shell, projectFiles } = client
  if (shell !== undefined) return [`${title}:`, `  ${shell.http(mcp, token)}`, '']
  const entry = httpEntry(client, mcp)
  const isToml = format === 'toml'
  const file = isToml ? '~/.codex/config.toml' : (projectFiles[0] ?? '')
  const text = isToml ? snippet(client, entry) : shortSnippet(client, entry)
  return [`${title}, in ${file}:`, ...text.split('\n').map((line) => `  ${line}`), '']
}

/** The same data over stdio, without a running server or a token. */
function stdio({ dataDir }: Config): string[] {
  const command = `${ownCommand()} stdio --data ${quoted(dataDir)}`
  const shell = findClient('claude-code')?.shell?.stdio(command) ?? command
  return ['', 'Without this server, over stdio on the same data:', `  ${shell}`]
}
