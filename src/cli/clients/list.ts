import { posix, win32 } from 'node:path'
import { SERVER_NAME, type Client, type Machine, type Scope } from './client.ts'
import type { Members } from './files/values.ts'

/** What VS Code asks for, once, and keeps. */
const codeInput = { id: 'tracegate-token', type: 'promptString', description: 'Tracegate API token', password: true }

const gooseExtension = {
  enabled: true,
  name: SERVER_NAME,
  description: 'Error issues, missing tests and the release gate',
}

/** The clients that `tracegate install`, the README, the welcome of `serve` and doctor know. */
export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    servers: ['mcpServers'],
    userFiles: (machine) => [at(machine, folderIn(machine, 'CLAUDE_CONFIG_DIR') ?? machine.home, '.claude.json')],
    projectFiles: ['.mcp.json'],
    // Without a default, an unset variable makes the whole file unreadable.
    reference: (variable) => `\${${variable}:-}`,
    stdio: ({ command, args, env }) => ({ type: 'stdio', command, args, ...unlessEmpty({ env }) }),
    http: ({ url, headers }) => ({ type: 'http', url, headers }),
    shell: {
      stdio: (command, { scope } = {}) => `claude mcp add ${scopeFlag(scope)}${SERVER_NAME} -- ${command}`,
      http: (url, token, { scope } = {}) =>
        `claude mcp add --transport http ${scopeFlag(scope)}${SERVER_NAME} ${url} --header "Authorization: Bearer ${token}"`,
    },
  },
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    servers: ['mcp_servers'],
    userFiles: (machine) => [
      at(machine, folderIn(machine, 'CODEX_HOME') ?? at(machine, machine.home, '.codex'), 'config.toml'),
    ],
    projectFiles: ['.codex/config.toml'],
    // Nothing of its own environment gets to a server but what is named here; what it does not have does no harm.
    stdio: ({ command, args, secrets, network }) => ({
      command,
      args,
      ...(secrets.length + network.length > 0 && { env_vars: [...secrets, ...network] }),
    }),
    http: ({ url, variable }) => ({ url, bearer_token_env_var: variable }),
    notes: { project: 'Codex reads this file once you have trusted the project.' },
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'jsonc',
    servers: ['mcpServers'],
    userFiles: (machine) => [at(machine, machine.home, '.cursor', 'mcp.json')],
    projectFiles: ['.cursor/mcp.json'],
    reference: (variable) => `\${env:${variable}}`,
    stdio: ({ command, args, env }) => ({ command, args, ...unlessEmpty({ env }) }),
    http: ({ url, headers }) => ({ url, headers }),
    link: (entry) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${SERVER_NAME}&config=${encodeURIComponent(base64(entry))}`,
    webLink: (link) =>
      link.replace('cursor://anysphere.cursor-deeplink/mcp/install', 'https://cursor.com/en/install-mcp'),
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'jsonc',
    servers: ['servers'],
    userFiles: (machine) => [at(machine, applicationData(machine), 'Code', 'User', 'mcp.json')],
    projectFiles: ['.vscode/mcp.json'],
    reference: () => `\${input:${codeInput.id}}`,
    stdio: ({ command, args, env }) => ({ type: 'stdio', command, args, ...unlessEmpty({ env }) }),
    http: ({ url, headers }) => ({ type: 'http', url, headers }),
    rows: { list: 'inputs', row: codeInput },
    link(entry) {
      const inputs = JSON.stringify(entry).includes(codeInput.id) ? { inputs: [codeInput] } : {}
      return `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: SERVER_NAME, ...entry, ...inputs }))}`
    },
    webLink: (link) => `https://vscode.dev/redirect?url=${encodeURIComponent(link)}`,
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    servers: ['mcpServers'],
    userFiles: (machine) => [at(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json')],
    projectFiles: [],
    reference: (variable) => `\${env:${variable}}`,
    stdio: ({ command, args, env }) => ({ command, args, ...unlessEmpty({ env }) }),
    http: ({ url, headers }) => ({ serverUrl: url, headers }),
  },
  {
    id: 'zed',
    title: 'Zed',
    format: 'jsonc',
    servers: ['context_servers'],
    userFiles: (machine) => [
      machine.platform === 'win32'
        ? at(machine, applicationData(machine), 'Zed', 'settings.json')
        : at(machine, configHome(machine), 'zed', 'settings.json'),
    ],
    projectFiles: ['.zed/settings.json'],
    stdio: ({ command, args }) => ({ command, args, env: {} }),
    http: ({ url, headers }) => ({ url, headers }),
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    format: 'jsonc',
    servers: ['mcpServers'],
    userFiles: (machine) => [at(machine, machine.home, '.gemini', 'settings.json')],
    projectFiles: ['.gemini/settings.json'],
    reference: (variable) => `\${${variable}}`,
    stdio: ({ command, args, env }) => ({ command, args, ...unlessEmpty({ env }) }),
    http: ({ url, headers }) => ({ httpUrl: url, headers }),
  },
  {
    id: 'opencode',
    title: 'opencode',
    format: 'jsonc',
    servers: ['mcp'],
    userFiles: (machine) =>
      ['opencode.json', 'opencode.jsonc'].map((file) => at(machine, configHome(machine), 'opencode', file)),
    projectFiles: ['opencode.json', 'opencode.jsonc'],
    reference: (variable) => `{env:${variable}}`,
    stdio: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      ...unlessEmpty({ environment: env }),
      enabled: true,
    }),
    // The header is all that is needed; without this opencode looks for an OAuth server first.
    http: ({ url, headers }) => ({ type: 'remote', url, headers, oauth: false, enabled: true }),
  },
  {
    id: 'copilot',
    title: 'Copilot CLI',
    format: 'json',
    servers: ['mcpServers'],
    userFiles: (machine) => [at(machine, machine.home, '.copilot', 'mcp-config.json')],
    projectFiles: ['.mcp.json'],
    reference: (variable) => `\${${variable}}`,
    stdio: ({ command, args, env }) => ({ type: 'local', command, args, tools: ['*'], ...unlessEmpty({ env }) }),
    http: ({ url, headers }) => ({ type: 'http', url, headers, tools: ['*'] }),
    notes: { token: 'Copilot CLI replaces variables from version 1.0.10 on.' },
  },
  {
    id: 'goose',
    title: 'Goose',
    format: 'yaml',
    servers: ['extensions'],
    userFiles: (machine) => [
      machine.platform === 'win32'
        ? at(machine, applicationData(machine), 'Block', 'goose', 'config', 'config.yaml')
        : at(machine, configHome(machine), 'goose', 'config.yaml'),
    ],
    projectFiles: [],
    reference: (variable) => `\${${variable}}`,
    stdio: ({ command, args, secrets }) => ({
      ...gooseExtension,
      type: 'stdio',
      cmd: command,
      args,
      envs: {},
      env_keys: secrets,
      timeout: 300,
    }),
    http: ({ url, headers, variable }) => ({
      ...gooseExtension,
      type: 'streamable_http',
      uri: url,
      envs: {},
      env_keys: [variable],
      headers,
      timeout: 300,
    }),
    link: gooseLink,
  },
]

/** The client with this id; undefined when there is none. */
export function findClient(id: string): Client | undefined {
  return clients.find((client) => client.id === id)
}

function unlessEmpty(member: Members): Members {
  return Object.fromEntries(
    Object.entries(member).filter(([, value]) => value !== null && Object.keys(value).length > 0),
  )
}

function at({ platform }: Machine, ...parts: string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts)
}

/** The folder that a variable names; an empty one names none. */
function folderIn({ env }: Machine, variable: string): string | undefined {
  return env[variable] === '' ? undefined : env[variable]
}

function configHome(machine: Machine): string {
  return folderIn(machine, 'XDG_CONFIG_HOME') ?? at(machine, machine.home, '.config')
}

/** Where desktop applications keep the files of a user. */
function applicationData(machine: Machine): string {
  if (machine.platform === 'win32')
    return folderIn(machine, 'APPDATA') ?? at(machine, machine.home, 'AppData', 'Roaming')
  if (machine.platform === 'darwin') return at(machine, machine.home, 'Library', 'Application Support')
  return configHome(machine)
}

/** Goose starts only programs that it knows from a link, and takes no header with a token from one. */
function gooseLink({ cmd, args }: Members): string | undefined {
  if (cmd !== 'npx') return undefined
  const { name, description } = gooseExtension
  const words = (args as readonly string[]).map((word) => ['arg', word])
  const query = new URLSearchParams([
    ['cmd', cmd],
    ...words,
    ['id', name],
    ['name', name],
    ['description', description],
  ])
  return `goose://extension?${query.toString().replaceAll('+', '%20')}`
}

function scopeFlag(scope: Scope | undefined): string {
  return scope === undefined ? '' : `--scope ${scope} `
}

function base64(value: Members): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
