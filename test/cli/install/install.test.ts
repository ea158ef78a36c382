import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, test } from 'vitest'
import { SERVER_NAME, type Client as McpClient, type Machine } from '../../../src/cli/clients/client.ts'
import type { Members } from '../../../src/cli/clients/files/values.ts'
import { readMembers, setValue, valueAt } from '../../../src/cli/clients/files/edit.ts'
import { clients } from '../../../src/cli/clients/list.ts'
import { readConfig } from '../../../src/config-read.ts'
import { bareEnvironment } from '../../serve.ts'
import { temporaryFolder, tracegate } from '../run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const url = 'http://127.0.0.1:4319/mcp'
/** Without variables of the machine that move the files of clients, or that lead through its proxy. */
const unset =
  'XDG_CONFIG_HOME CODEX_HOME CLAUDE_CONFIG_DIR HTTPS_PROXY https_proxy NO_PROXY no_proxy NODE_EXTRA_CA_CERTS'
const nowhere = Object.fromEntries(unset.split(' ').map((name) => [name, '']))

/** A user's home of its own, and what `tracegate install` does in it. */
function user(name: string) {
  const home = join(folder.path, name)
  mkdirSync(home, { recursive: true })
  return { home, install: (...args: string[]) => tracegate(['install', ...args], { ...nowhere, HOME: home }) }
}

/** The snippet in what is printed: it stands between two empty lines. */
const printedSnippet = (stdout: string) => stdout.split('\n\n')[1] ?? ''
const usualFile = (client: McpClient, home: string) => {
  const machine: Machine = { home, platform: process.platform, env: {} }
  return client.userFiles(machine)[0] ?? ''
}

/** The words that an entry starts a server with. */
function wordsIn(entry: Members): string[] {
  const { command, cmd, args } = entry as { command?: string | string[]; cmd?: string; args?: string[] }
  return [command ?? cmd ?? [], args ?? []].flat()
}

/** Starts a server as a client does, and resolves to the names of its tools. */
async function listTools([command = '', ...args]: readonly string[]): Promise<string[]> {
  const client = new Client({ name: 'installed', version: '1' })
  const env = Object.entries(bareEnvironment()).filter((entry): entry is [string, string] => entry[1] !== undefined)
  await client.connect(new StdioClientTransport({ command, args, env: Object.fromEntries(env) }))
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}

describe.each(clients.map((client) => [client.id, client] as const))('%s', (id, client) => {
  const path = [...client.servers, SERVER_NAME]

  test('the printed snippet is a file of the client, over stdio and over HTTP', async () => {
    const { install, home } = user(`${id}-prints`)
    const { code, stdout, stderr } = await install(id, '--data', join(home, 'data'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')[0]).toBe(`${client.title}, in ${usualFile(client, home)}:`)
    const entry = valueAt(readMembers(client.format, printedSnippet(stdout)), path) as Members
    expect(wordsIn(entry)).toEqual([
      process.execPath,
      expect.stringContaining('guard.cjs'),
      '--data',
      join(home, 'data'),
    ])
    const http = await install(id, '--url', url)
    const door = valueAt(readMembers(client.format, printedSnippet(http.stdout)), path) as Members
    expect(Object.values(door)).toContain(url)
    expect(existsSync(usualFile(client, home))).toBe(false)
  })

  test('--write adds it once, and a second run changes nothing', async () => {
    const { install, home } = user(`${id}-writes`)
    const file = usualFile(client, home)
    expect((await install(id, '--write')).stdout).toContain(`Added tracegate in ${file}\n`)
    const written = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await install(id, '--write')).stdout).toContain(`${file} has it already\n`)
    expect(readFileSync(file, 'utf8')).toBe(written)
    expect((await install(id, '--write', '--read-only')).stdout).toContain(`Changed tracegate in ${file}\n`)
    expect(wordsIn(valueAt(readMembers(client.format, readFileSync(file, 'utf8')), path) as Members).at(-1)).toBe(
      '--read-only',
    )
  })

  test('no file and no output holds the token of the caller', async () => {
    const { install, home } = user(`${id}-token`)
    const env = { ...nowhere, HOME: home, TRACEGATE_BASE_URL: 'https://q.example', TRACEGATE_API_TOKEN: 'tg_secret' }
    const { stdout } = await tracegate(['install', id, '--write'], env)
    await install(id, '--write', '--url', url)
    expect(stdout + readFileSync(usualFile(client, home), 'utf8')).not.toContain('tg_secret')
    expect(stdout).toMatch(/token/)
  })
})

const owned: Readonly<Record<string, string>> = {
  json: '{\n  "numStartups": 7,\n  "mcpServers": {\n    "other": { "command": "x" }\n  },\n  "z": [1, 2]\n}\n',
  jsonc: '// mine\n{\n    /* kept */ "theme": "dark", // too\n    "mcpServers": { "other": { "command": "x" }, },\n}\n',
  toml: '# mine\nmodel = "m" # kept\n\n[mcp_servers.other]\ncommand = "x"\n\n# about the rest\n[profiles.a]\nb = 1\n',
  yaml: '# mine\nGOOSE_MODEL: m # kept\nextensions:\n  other:\n    cmd: x\n    args:\n    - a # too\n',
}

test.each(clients.map((client) => [client.id, client] as const))(
  'what others wrote into the file of %s stays, comments included',
  async (id, client) => {
    const { install, home } = user(`${id}-owned`)
    const file = usualFile(client, home)
    const before = owned[client.format] ?? ''
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, before, { mode: 0o644 })
    expect((await install(id, '--write')).code).toBe(0)
    const after = readFileSync(file, 'utf8')
    const kept = before.split('\n').filter((line) => !/^\S*[}\]]|mcpServers/.test(line.trim()))
    for (const line of kept) expect(after).toContain(line.replace(/[,}\s]+$/, '').trim())
    expect(statSync(file).mode & 0o777).toBe(0o644)
    const members = readMembers(client.format, after)
    const original = readMembers(client.format, before)
    expect(members).toMatchObject(original)
    expect(Object.keys(members)).toEqual([...new Set([...Object.keys(original), ...client.servers])])
  },
)

test('what the owner added to our entry stays when it is changed', async () => {
  const { install, home } = user('additions')
  const file = join(home, '.cursor/mcp.json')
  mkdirSync(dirname(file))
  const entry = { url: 'http://old', headers: { 'X-Team': 'a' }, envFile: '.env' }
  writeFileSync(file, JSON.stringify({ mcpServers: { tracegate: entry } }))
  await install('cursor', '--write', '--url', url)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    mcpServers: {
      tracegate: {
        url,
        headers: { 'X-Team': 'a', Authorization: 'Bearer ${env:TRACEGATE_MCP_TOKEN}' },
        envFile: '.env',
      },
    },
  })
})

test.each([
  ['codex', '.codex/config.toml', 'mcp_servers', 'env_vars'],
  ['goose', '.config/goose/config.yaml', 'extensions', 'env_keys'],
])(
  'names of variables that the owner lets %s pass on stay, and ours go with what they are for',
  async (id, name, servers, member) => {
    const { install, home } = user(`names-${id}`)
    const file = join(home, name)
    const { format } = clients.find((one) => one.id === id)!
    const path = [servers, SERVER_NAME]
    const names = () => (valueAt(readMembers(format, readFileSync(file, 'utf8')), path) as Members)[member]
    const deployment = ['--base-url', 'https://quality.example']
    await install(id, '--write', ...deployment)
    const text = readFileSync(file, 'utf8')
    const entry = valueAt(readMembers(format, text), path) as Members
    writeFileSync(file, setValue(format, text, path, { ...entry, [member]: ['HTTPS_PROXY', 'TRACEGATE_API_TOKEN'] }))
    await install(id, '--write', '--read-only', ...deployment)
    expect(names()).toEqual(['HTTPS_PROXY', 'TRACEGATE_API_TOKEN'])
    await install(id, '--write', '--database-url', 'postgres://me:hunter2@db.example/quality')
    expect(names()).toEqual(['HTTPS_PROXY', 'TRACEGATE_DATABASE_URL'])
    await install(id, '--write')
    expect(names()).toEqual(['HTTPS_PROXY'])
    expect((await install(id, '--write')).stdout).toContain('has it already')
  },
)

test('a reference to the database of another server goes when the entry is of a deployment', async () => {
  const { install, home } = user('database-reference')
  const variables = () => {
    const { mcpServers } = JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')) as Record<
      string,
      Record<string, Members>
    >
    return mcpServers?.['tracegate']?.['env']
  }
  await install('cursor', '--write', '--database-url', 'postgres://me:hunter2@db.example/quality')
  expect(variables()).toEqual({ TRACEGATE_DATABASE_URL: '${env:TRACEGATE_DATABASE_URL}' })
  await install('cursor', '--write', '--base-url', 'https://quality.example')
  expect(variables()).toEqual({ TRACEGATE_API_TOKEN: '${env:TRACEGATE_API_TOKEN}' })
})

test.each([
  ['cursor', '.cursor/mcp.json', 'mcpServers', 'env'],
  ['opencode', '.config/opencode/opencode.json', 'mcp', 'environment'],
])(
  'variables that the owner gave %s stay, and our token goes with its deployment',
  async (client, name, servers, member) => {
    const { install, home } = user(`variables-${client}`)
    const file = join(home, name)
    const read = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, Record<string, unknown>>>
    const variables = () => read()[servers]?.['tracegate']?.[member]
    await install(client, '--write', '--base-url', 'https://quality.example')
    expect(variables()).toHaveProperty('TRACEGATE_API_TOKEN')
    const members = read()
    members[servers]!['tracegate']![member] = { ...(variables() as object), TRACEGATE_PRODUCT: 'Shop' }
    writeFileSync(file, JSON.stringify(members))
    await install(client, '--write')
    expect(variables()).toEqual({ TRACEGATE_PRODUCT: 'Shop' })
    expect((await install(client, '--write')).stdout).toContain('has it already')
  },
)

test.each([
  ['a table of its own', '\n[mcp_servers.tracegate.env]\nHTTP_PROXY = "http://proxy"\n'],
  ['one line', 'env = { HTTP_PROXY = "http://proxy" }\n'],
])('variables that the owner gave Codex in %s stay, with the tables of others', async (_, env) => {
  const { install, home } = user(`codex-variables-${String(env.length)}`)
  const file = join(home, '.codex/config.toml')
  mkdirSync(dirname(file))
  const others = '# other servers\n[mcp_servers.other.env]\nA = "b" # c\n'
  writeFileSync(file, `[mcp_servers.tracegate]\ncommand = "old"\n${env}\n${others}`)
  expect(await install('codex', '--write')).toMatchObject({ code: 0, stderr: '' })
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('\n[mcp_servers.tracegate.env]\nHTTP_PROXY = "http://proxy"\n')
  expect(text.endsWith(`\n\n${others}`)).toBe(true)
  expect((await install('codex', '--write')).stdout).toContain('has it already')
})

test.each([
  ['cursor', '.cursor/mcp.json', 'mcpServers'],
  ['zed', '.config/zed/settings.json', 'context_servers'],
])('a token that the owner wrote into the entry of %s goes with its deployment', async (client, name, servers) => {
  const { install, home } = user(`token-${client}`)
  const file = join(home, name)
  const deployment = ['--base-url', 'https://quality.example']
  const variables = () => {
    const members = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, { env?: unknown }>>
    return members[servers]?.['tracegate']?.env
  }
  const give = (env: Record<string, string>) => {
    const members = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, object>>
    members[servers]!['tracegate'] = { ...members[servers]!['tracegate'], env }
    writeFileSync(file, JSON.stringify(members))
  }
  await install(client, '--write', ...deployment)
  give({ TRACEGATE_API_TOKEN: 'tg_mine', TRACEGATE_PRODUCT: 'Shop' })
  await install(client, '--write')
  // The server refuses a token without the address of its deployment.
  expect(variables()).toEqual({ TRACEGATE_PRODUCT: 'Shop' })
  const own = { TRACEGATE_API_TOKEN: 'tg_mine', TRACEGATE_BASE_URL: 'https://quality.example' }
  give(own)
  await install(client, '--write', '--read-only')
  expect(variables()).toEqual(own)
})

test('null in the file of a client counts as nothing', async () => {
  const { install, home } = user('nulls')
  const file = join(home, '.cursor/mcp.json')
  mkdirSync(dirname(file))
  for (const members of [{ mcpServers: null }, { mcpServers: { tracegate: null, other: null } }]) {
    writeFileSync(file, JSON.stringify({ theme: null, ...members }))
    expect(await install('cursor', '--write')).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ theme: null, mcpServers: { tracegate: {} } })
  }
})

test('a token that the owner filled in, where the client has no other way, is kept', async () => {
  const { install, home } = user('filled-in')
  const file = join(home, '.config/zed/settings.json')
  expect((await install('zed', '--write', '--url', url)).stdout).toContain('Replace <your API token> in the file')
  writeFileSync(file, readFileSync(file, 'utf8').replace('<your API token>', 'tg_mine'))
  expect((await install('zed', '--write', '--url', url)).stdout).toContain('has it already')
  expect(readFileSync(file, 'utf8')).toContain('Bearer tg_mine')
})

test.each([
  ['cursor', '.cursor/mcp.json', '{"mcpServers": ', 'is not valid JSONC'],
  ['codex', '.codex/config.toml', 'mcp_servers = { other = { command = "x" } }\n', 'cannot be edited safely'],
  ['goose', '.config/goose/config.yaml', '- a\n', 'is not valid YAML: the file holds no map'],
])('a file of %s that cannot be edited is left alone, and the snippet printed', async (id, path, text, reason) => {
  const { install, home } = user(`${id}-unreadable`)
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  const { code, stdout, stderr } = await install(id, '--write')
  expect(code).toBe(1)
  expect(stderr).toContain(reason)
  expect(stdout).toContain('Nothing was changed. To add it by hand:\n\n')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a file that is a link to another place stays a link', async () => {
  const { install, home } = user('linked')
  mkdirSync(join(home, '.cursor'))
  writeFileSync(join(home, 'dotfile.json'), '{}')
  symlinkSync(join(home, 'dotfile.json'), join(home, '.cursor/mcp.json'))
  await install('cursor', '--write')
  expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(home, 'dotfile.json'), 'utf8')).toContain('tracegate')
})

test('--scope project writes the file of the project, and refuses clients that have none', async () => {
  const { install, home } = user('project')
  expect((await install('vscode', home, '--scope', 'project', '--write', '--url', url)).stdout).toContain(
    'VS Code asks for the token once and keeps it.',
  )
  expect(JSON.parse(readFileSync(join(home, '.vscode/mcp.json'), 'utf8'))).toMatchObject({
    servers: { tracegate: { headers: { Authorization: 'Bearer ${input:tracegate-token}' } } },
    inputs: [{ id: 'tracegate-token', password: true }],
  })
  const refused = await install('windsurf', '--scope', 'project')
  expect(refused).toMatchObject({
    code: 2,
    stderr: 'tracegate: --scope: Windsurf has no file for a project; use user\n',
  })
})

test('links hold the entry that the file would', async () => {
  const { install } = user('links')
  const link = async (id: string, ...args: string[]) =>
    /^ {2}(\w+:\S+)$/m.exec((await install(id, ...args)).stdout)?.[1] ?? ''
  const cursor = new URL(await link('cursor', '--url', url))
  expect(cursor.searchParams.get('name')).toBe('tracegate')
  expect(JSON.parse(Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString())).toMatchObject({ url })
  const code = await link('vscode', '--url', url)
  expect(code).toMatch(/^vscode:mcp\/install\?/)
  expect(JSON.parse(decodeURIComponent(code.slice(code.indexOf('?') + 1)))).toMatchObject({
    name: 'tracegate',
    type: 'http',
    url,
    inputs: [{ id: 'tracegate-token' }],
  })
})

test('every setting of the run that is not the default is carried over, also to the command that writes it', async () => {
  const { install } = user('all-settings')
  const given =
    '--confirm page --roots /srv/reports --log-level warn --data /srv/data --new-issues-per-hour 5 --database-url postgres://me@db.example/quality'
  const flags = given.split(' ')
  const { stdout } = await install('cursor', ...flags)
  const { args } = valueAt(readMembers('jsonc', printedSnippet(stdout)), ['mcpServers', SERVER_NAME]) as Members
  expect(args).toEqual([expect.anything(), ...flags])
  expect(stdout).toContain(` install cursor ${given} --write\n`)
})

test('folders that are none stay none', async () => {
  const { install } = user('no-roots')
  const { stdout } = await install('cursor', '--roots', delimiter)
  const { args } = valueAt(readMembers('jsonc', printedSnippet(stdout)), ['mcpServers', SERVER_NAME]) as Members
  expect(args).toEqual([expect.anything(), '--roots', delimiter])
  expect(readConfig((args as string[]).slice(1), {}).roots).toEqual([])
})

test('Codex, which passes on only what is named, passes on what the way to a deployment needs', async () => {
  const { home } = user('proxy')
  const proxy = 'http://me:hunter2@proxy.example:3128'
  const env = { ...nowhere, HOME: home, HTTPS_PROXY: proxy, no_proxy: 'a.example', NODE_EXTRA_CA_CERTS: '/ca.pem' }
  const install = (...args: string[]) => tracegate(['install', 'codex', '--write', ...args], env)
  const names = () => {
    const members = readMembers('toml', readFileSync(join(home, '.codex/config.toml'), 'utf8'))
    return (valueAt(members, ['mcp_servers', SERVER_NAME]) as Members)['env_vars']
  }
  await install()
  expect(names()).toBeUndefined()
  const { stdout } = await install('--base-url', 'https://quality.example')
  expect(names()).toEqual(['TRACEGATE_API_TOKEN', 'HTTPS_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS'])
  expect(stdout).not.toContain('hunter2')
})

test('the address of a database with a password goes into no file: clients pass the variable on', async () => {
  const { install } = user('password')
  const address = 'postgres://me:hunter2@db.example/quality'
  for (const { id, title } of clients) {
    const { stdout } = await install(id, '--database-url', address)
    expect(stdout).not.toContain('hunter2')
    expect(stdout).toContain(
      `The database's address has a password: TRACEGATE_DATABASE_URL has to be set where ${title} is started.`,
    )
    expect(stdout).not.toContain('tracegate-token')
  }
  expect((await install('codex', '--database-url', address)).stdout).toContain('env_vars = ["TRACEGATE_DATABASE_URL"]')
  expect((await install('cursor', '--database-url', address)).stdout).toContain('${env:TRACEGATE_DATABASE_URL}')
})

test('settings of the run become flags of the server, or segments of its address', async () => {
  const { install } = user('settings')
  const flags = ['--product', 'My shop', '--toolsets', 'default,setup', '--read-only']
  expect((await install('codex', ...flags)).stdout).toContain(
    '"--product", "My shop", "--toolsets", "default,setup", "--read-only"]',
  )
  expect((await install('codex', ...flags, '--url', 'http://127.0.0.1:4319')).stdout).toContain(
    'url = "http://127.0.0.1:4319/mcp/readonly/x/default,setup/p/My%20shop"\n',
  )
})

test.each([
  [['install'], 'install needs a client: claude-code, codex, cursor'],
  [['install', 'emacs'], 'install: unknown client "emacs"; use claude-code'],
  [['install', 'zed', '--url', 'localhost'], '--url: use the full address of the MCP server'],
  [['install', 'zed', '--url', 'https://u:p@q.example/mcp'], '--url: remove user name, password, query and fragment'],
  [['install', 'zed', '--url', 'https://q.example/mcp?key=a'], '--url: remove user name, password, query and fragment'],
  [['call', 'list_products', '--url', 'https://:p@q.example'], '--url: remove user name and password'],
  [['install', 'zed', 'here'], 'install: a folder is for --scope project'],
  [['install', 'zed', '--scope', 'machine'], '--scope: use user or project'],
])('%j is refused with the fix', async (args, sentence) => {
  const { code, stderr } = await tracegate(args)
  expect(code).toBe(2)
  expect(stderr).toContain(sentence)
})

test.each([
  ['a command and its words', 'cursor'],
  ['one list of words', 'opencode'],
  ['TOML', 'codex'],
  ['YAML', 'goose'],
])('the written command starts a server that lists its tools (%s)', async (_, id) => {
  const { install, home } = user(`${id}-starts`)
  const client = clients.find((each) => each.id === id)
  if (client === undefined) throw new Error(id)
  await install(id, '--write', '--read-only', '--data', join(home, 'data'))
  const members = readMembers(client.format, readFileSync(usualFile(client, home), 'utf8'))
  const tools = await listTools(wordsIn(valueAt(members, [...client.servers, SERVER_NAME]) as Members))
  expect(tools).toContain('find_error_issues')
  expect(tools).not.toContain('set_error_issue_status')
})

test('a file that cannot be written gives one line and the entry, and leaves nothing beside it', async () => {
  const { home, install } = user('unwritable')
  const file = join(home, '.cursor/mcp.json')
  mkdirSync(file, { recursive: true })
  const { code, stdout, stderr } = await install('cursor', '--write')
  expect({ code, stderr }).toEqual({ code: 1, stderr: `tracegate: ${file} cannot be read: it is a folder\n` })
  expect(stdout).toContain('Nothing was changed. To add it by hand:')
  const project = join(home, 'project')
  mkdirSync(project)
  writeFileSync(join(project, '.cursor'), '')
  const below = await install('cursor', project, '--scope', 'project', '--write')
  expect(below).toMatchObject({
    code: 1,
    stderr: `tracegate: ${join(project, '.cursor/mcp.json')} cannot be written: a file is in its place\n`,
  })
})

test('a project folder that does not exist is refused, and not made', async () => {
  const { home, install } = user('mistyped')
  const missing = join(home, 'nope')
  for (const flags of [[], ['--write']]) {
    expect(await install('cursor', missing, '--scope', 'project', ...flags)).toEqual({
      code: 2,
      stdout: '',
      stderr: `tracegate: install: there is no folder ${missing}\n`,
    })
  }
  expect(existsSync(missing)).toBe(false)
})
