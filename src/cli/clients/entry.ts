import { delimiter } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { defaultDataDir } from '../../config-variables.ts'
import { ConfigError, type Config } from '../../config.ts'
import type { Client, Machine } from './client.ts'
import { wordsIn } from './installed.ts'
import { isMembers, type Members, type Value } from './files/values.ts'

/** The variable that clients read a caller's token from; a server over stdio has its own. */
export const TOKEN_VARIABLE = 'TRACEGATE_MCP_TOKEN'

/** The variable of the token for a deployment, which a server over stdio reads. */
export const API_TOKEN = 'TRACEGATE_API_TOKEN'

/** The variable that names the deployment. */
const BASE_URL = 'TRACEGATE_BASE_URL'

const DATABASE_URL = 'TRACEGATE_DATABASE_URL'
const DATABASE_LISTEN_URL = 'TRACEGATE_DATABASE_LISTEN_URL'
/** The variables of the embedded service that entries refer to. */
const referred: readonly string[] = [DATABASE_URL, DATABASE_LISTEN_URL]

/** Stands where a client has no other way to give a token than its file. */
export const PLACEHOLDER = '<your API token>'

/** The words that start a server over stdio with the settings of this run that are not the default; no token is among them. */
export function startWords(config: Config, words: readonly string[]): string[] {
  return [...words, ...settingFlags(config)]
}

/**
 * The entry of a client that starts these words. `needed` are variables that it passes on to them, and `network` those that it
 * passes on if it has them.
 */
export function stdioEntry(
  client: Client,
  [command = '', ...args]: readonly string[],
  { needed = [], network = [] }: { needed?: readonly string[]; network?: readonly string[] } = {},
): Members {
  const { reference, rows } = client
  // A client that asks its user for what a reference names asks for the token.
  const secrets = rows === undefined ? needed : needed.filter((name) => name === API_TOKEN)
  const env = reference === undefined ? {} : Object.fromEntries(secrets.map((name) => [name, reference(name)]))
  return client.stdio({ command, args, secrets, env, network })
}

/** The entry of a client that calls a server which runs. */
export function httpEntry({ http, reference = () => PLACEHOLDER }: Client, url: string): Members {
  return http({ url, variable: TOKEN_VARIABLE, headers: { Authorization: `Bearer ${reference(TOKEN_VARIABLE)}` } })
}

/** The settings of this run that are not the default, as flags; never a token or a password. */
export function settingFlags(config: Config): string[] {
  const { baseUrl, product, toolsets, readOnly, confirm, roots, logLevel, settings } = config
  return [
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(product === undefined ? [] : ['--product', product]),
    ...(isDefault(toolsets) ? [] : ['--toolsets', toolsets.join(',')]),
    ...(readOnly ? ['--read-only'] : []),
    ...(confirm === 'ask' ? [] : ['--confirm', confirm]),
    // The default is the folder that a server starts in, which differs for each.
    // An empty flag counts as not given; a delimiter alone is a list of no folders.
    ...(settings['TRACEGATE_ROOTS'] === undefined ? [] : ['--roots', roots.join(delimiter) || delimiter]),
    ...(logLevel === 'info' ? [] : ['--log-level', logLevel]),
    ...(baseUrl === undefined ? embeddedFlags(config) : []),
  ]
}

function embeddedFlags({ dataDir, databaseUrl, databaseListenUrl, newIssuesPerHour, settings }: Config): string[] {
  const addresses = { '--database-url': databaseUrl, '--database-listen-url': databaseListenUrl }
  return [
    ...(dataDir === defaultDataDir() ? [] : ['--data', dataDir]),
    ...(settings['TRACEGATE_NEW_ISSUES_PER_HOUR'] === undefined
      ? []
      : ['--new-issues-per-hour', String(newIssuesPerHour)]),
    ...Object.entries(addresses).flatMap(([flag, url]) => (url === undefined || hasPassword(url) ? [] : [flag, url])),
  ]
}

/** The variables that a server over stdio needs and no file may hold: the token of a deployment, an address with a password. */
export function secretVariables({ baseUrl, databaseUrl, databaseListenUrl }: Config): string[] {
  if (baseUrl !== undefined) return [API_TOKEN]
  const addresses = { [DATABASE_URL]: databaseUrl, [DATABASE_LISTEN_URL]: databaseListenUrl }
  return Object.entries(addresses).flatMap(([name, url]) => (url !== undefined && hasPassword(url) ? [name] : []))
}

/** What reaches a deployment by way of a proxy: also read by Node itself, in either spelling, and not a setting of ours. */
const NETWORK = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS']

/** The variables besides our settings with which this run would reach its deployment. */
export function networkVariables({ baseUrl }: Config, env: Machine['env']): string[] {
  return baseUrl === undefined ? [] : NETWORK.filter((name) => (env[name] ?? '') !== '')
}

/** In the address itself or, as libpq takes it, in its query. One that cannot be read may have one. */
function hasPassword(address: string): boolean {
  const url = URL.parse(address)
  return url === null || url.password !== '' || url.searchParams.has('password')
}

/** The address of a server that runs, with the settings of this run as segments of its path (mcp §1.1). */
export function doorAddress({ product, toolsets, readOnly }: Config, given: string): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError('--url: use the full address of the MCP server, such as http://127.0.0.1:4319/mcp')
  }
  if (url.username + url.password + url.search + url.hash !== '') {
    throw new ConfigError(
      `--url: remove user name, password, query and fragment; the token is read from ${TOKEN_VARIABLE}`,
    )
  }
  const segments = [
    ...(readOnly ? ['readonly'] : []),
    ...(isDefault(toolsets) ? [] : ['x', toolsets.join(',')]),
    ...(product === undefined ? [] : ['p', encodeURIComponent(product)]),
  ]
  const path = url.pathname.replace(/\/+$/, '') || '/mcp'
  return `${url.origin}${[path, ...segments].join('/')}`
}

function isDefault(toolsets: readonly string[]): boolean {
  return isDeepStrictEqual(toolsets, ['default'])
}

/** The members in which the ways to reach a server differ; what else an entry has is its owner's. */
const ours: ReadonlySet<string> = new Set(
  'type command args env url headers serverUrl httpUrl env_vars bearer_token_env_var environment cmd uri envs env_keys'.split(
    ' ',
  ),
)

/** The members with variables for a process that the client starts. */
const variables = ['env', 'environment', 'envs']

/** The members with names of variables that the client passes on. */
const lists = ['env_vars', 'env_keys']

/** The new entry with what the owner of the file added to the one that is there: other members, variables, a token. */
export function mergeEntry(client: Client, existing: Value | undefined, entry: Members): Members {
  if (!isMembers(existing)) return entry
  const there = withoutReferred(client, existing)
  const added = Object.entries(there).filter(([name]) => !ours.has(name))
  const members = Object.entries(entry).map(([name, value]) => [name, mergeValue(there[name], value)])
  const merged = {
    ...Object.fromEntries(members),
    ...Object.fromEntries(addedVariables(there, entry)),
    ...Object.fromEntries(added),
  } as Members
  return wordsIn(entry).length === 0 || namesDeployment(merged) ? merged : withoutToken(merged, entry)
}

/** An entry without our own references to a database: the new one has those that it needs. */
function withoutReferred({ reference }: Client, entry: Members): Members {
  const isOurs = ([variable, value]: [string, Value]) => referred.includes(variable) && value === reference?.(variable)
  const members = Object.entries(entry).map(([name, value]): [string, Value] => {
    if (lists.includes(name) && Array.isArray(value)) return [name, value.filter((one) => !isIn(referred, one))]
    if (!variables.includes(name) || !isMembers(value)) return [name, value]
    return [name, Object.fromEntries(Object.entries(value).filter((one) => !isOurs(one)))]
  })
  return Object.fromEntries(members)
}

/**
 * The variables of an entry that starts a process, and the names that it has the client pass on, where the new entry starts
 * one too.
 */
function addedVariables(existing: Members, entry: Members): [string, Value][] {
  if (wordsIn(existing).length === 0 || wordsIn(entry).length === 0) return []
  const given = variables.flatMap((name): [string, Value][] => {
    const there = existing[name]
    return name in entry || !isMembers(there) || Object.keys(there).length === 0 ? [] : [[name, there]]
  })
  const names = lists.flatMap((name): [string, Value][] => {
    const [there, wanted] = [existing[name] ?? [], entry[name] ?? []]
    if (!Array.isArray(there) || !Array.isArray(wanted) || there.length === 0) return []
    return [[name, [...there, ...wanted.filter((one) => !there.includes(one))]]]
  })
  return [...given, ...names]
}

function isIn(names: readonly string[], value: Value): boolean {
  return typeof value === 'string' && names.includes(value)
}

function namesDeployment(entry: Members): boolean {
  const given = variables.map((name) => entry[name]).filter(isMembers)
  return wordsIn(entry).includes('--base-url') || given.some((members) => BASE_URL in members)
}

/** A token without a deployment is refused by the server, also one that the owner has filled in. */
function withoutToken(merged: Members, entry: Members): Members {
  const members = Object.entries(merged).flatMap(([name, value]): [string, Value][] => {
    if (lists.includes(name) && Array.isArray(value)) {
      const others = value.filter((one) => one !== API_TOKEN)
      return others.length > 0 || name in entry ? [[name, others]] : []
    }
    if (!variables.includes(name) || !isMembers(value)) return [[name, value]]
    const { [API_TOKEN]: _, ...others } = value
    return Object.keys(others).length > 0 || name in entry ? [[name, others]] : []
  })
  return Object.fromEntries(members)
}

function mergeValue(existing: Value | undefined, value: Value): Value {
  if (isMembers(existing) && isMembers(value)) {
    const merged = Object.entries(value).map(([name, inner]) => [name, mergeValue(existing[name], inner)])
    return { ...existing, ...Object.fromEntries(merged) } as Members
  }
  // Where the owner has to fill in a token, they may have done so.
  return typeof value === 'string' && value.includes(PLACEHOLDER) && typeof existing === 'string' ? existing : value
}

/** The rows of the file's other list that the entry needs, with the place of each. */
export function rowsFor(client: Client, entry: Members, members: Members): { path: [string, number]; row: Members }[] {
  const { rows } = client
  if (rows === undefined || !JSON.stringify(entry).includes(rows.row.id)) return []
  const list = members[rows.list]
  const all: readonly Value[] = Array.isArray(list) ? (list as readonly Value[]) : []
  const index = all.findIndex((row) => isMembers(row) && row['id'] === rows.row.id)
  return index === -1 ? [{ path: [rows.list, all.length], row: rows.row }] : []
}
