import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { healthProof } from '../../../src/cli/support/health.ts'
import { version } from '../../../src/version.ts'
import { compareClock } from '../../../src/cli/doctor/clock.ts'
import { clients } from '../../../src/cli/clients/list.ts'
import { temporaryFolder, tracegate } from '../run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** What doctor says in the home of a user with these files. */
async function examine(name: string, files: Readonly<Record<string, string>>, env: Record<string, string> = {}) {
  const home = join(folder.path, name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const args = ['doctor', '--port', '0', '--data', join(home, 'data')]
  const { code, stdout } = await tracegate(args, { HOME: home, ...env })
  return { code, stdout: stdout.replaceAll(home, '~'), home }
}

const lines = (stdout: string, what: string) => {
  const all = stdout.split('\n')
  return all.filter(
    (line, index) => line.includes(` ${what}: `) || (/^ {6}fix/.test(line) && all[index - 1]?.includes(` ${what}: `)),
  )
}

test('what install wrote is fine, for every client', async () => {
  const home = join(folder.path, 'installed')
  for (const { id } of clients) await tracegate(['install', id, '--write'], { HOME: home })
  const { code, stdout } = await examine('installed', {})
  expect(lines(stdout, 'client')).toEqual(
    clients.map(
      ({ title }) =>
        expect.stringMatching(new RegExp(`^ok {4}client: ${title}: ~/.* starts /.*guard\\.cjs$`)) as string,
    ),
  )
  expect(code).toBe(0)
})

test.each([
  [
    'cannot be read',
    '.cursor/mcp.json',
    '{"mcpServers": {"tracegate": ',
    /FAIL {2}client: Cursor: ~\/\.cursor\/mcp\.json is not valid JSONC: .*\n {6}fix: correct ~\/\.cursor\/mcp\.json: Cursor cannot/,
  ],
  [
    'names a command that is not there',
    '.codex/config.toml',
    '[mcp_servers.tracegate]\ncommand = "/gone/node"\nargs = ["x.js"]\n',
    /FAIL {2}client: Codex: .* starts \/gone\/node, which does not exist or is no program\n {6}fix: .* install codex --write, /,
  ],
  [
    'names a program that no folder of PATH has',
    '.config/opencode/opencode.json',
    '{"mcp": {"tracegate": {"command": ["no-such-program"]}}}',
    /FAIL {2}client: opencode: .* starts no-such-program, which does not exist/,
  ],
  [
    'names a checkout that was moved',
    '.gemini/settings.json',
    JSON.stringify({ mcpServers: { tracegate: { command: process.execPath, args: ['/gone/src/dev/guard.cjs'] } } }),
    /FAIL {2}client: Gemini CLI: .* starts \/gone\/src\/dev\/guard\.cjs, which does not exist/,
  ],
  [
    'waits for its token',
    '.config/zed/settings.json',
    '{"context_servers": {"tracegate": {"url": "http://h/mcp", "headers": {"Authorization": "Bearer <your API token>"}}}}',
    /FAIL {2}client: Zed: .* still has <your API token>\n {6}fix: put the token in its place/,
  ],
  [
    'has an entry for one project alone',
    '.claude.json',
    JSON.stringify({ projects: { '/p': { mcpServers: { tracegate: { command: '/gone/node' } } } } }),
    /FAIL {2}client: Claude Code: .* starts \/gone\/node, which does not exist/,
  ],
])('a file of a client that %s fails, with what mends it', async (name, path, text, report) => {
  const { code, stdout } = await examine(name, { [path]: text })
  expect(stdout).toMatch(report)
  expect(code).toBe(1)
})

test('files that name others only are no business of doctor', async () => {
  const { code, stdout } = await examine('others', {
    '.cursor/mcp.json': '{"mcpServers": {"other": {',
    '.codex/config.toml': 'x = ',
  })
  expect(lines(stdout, 'client')).toEqual([
    expect.stringContaining('ok    client: no file of a known client names tracegate') as string,
  ])
  expect(code).toBe(0)
})

test('settings that are still references, and half of an address and a token, fail', async () => {
  const { code, stdout } = await examine(
    'half',
    {},
    { TRACEGATE_BASE_URL: 'https://q.example', TRACEGATE_API_TOKEN: '${TOKEN}' },
  )
  expect(lines(stdout, 'settings')).toEqual([
    'FAIL  settings: TRACEGATE_API_TOKEN: still a reference such as ${NAME}, which the client did not replace; counts as unset',
    '      fix: give it a value in the settings of the client, or remove it there',
    'FAIL  settings: TRACEGATE_BASE_URL is set but TRACEGATE_API_TOKEN is not: set both to use a deployment, or neither to use the embedded service',
  ])
  expect(code).toBe(1)
})

test('a server of another version on this data directory fails', async () => {
  const token = 'tg_of_the_server'
  const server = createServer(({ url }, response) => {
    const nonce = new URL(url ?? '', 'http://h').searchParams.get('nonce') ?? ''
    response.end(JSON.stringify({ status: 'ok', version: '0.0.9', proof: healthProof(token, nonce, port) }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const rest = `http://127.0.0.1:${String(port)}`
  const endpoints = { mcp: `${rest}/mcp`, rest, ingest: rest, dsn: '', product_id: '1', token }
  const { stdout } = await examine('versions', { 'data/endpoints.json': JSON.stringify(endpoints) })
  server.close()
  expect(lines(stdout, 'server')).toEqual([
    `FAIL  server: version 0.0.9 is running at ${rest}, and this is ${version}`,
    '      fix: stop the server and start this version: tracegate serve',
  ])
})

test('a clock that was set back behind the last change of the database fails', async () => {
  const { home } = await examine('clock', { 'data/tracegate.db': '' })
  const later = new Date(Date.now() + 3 * 24 * 3_600_000)
  utimesSync(join(home, 'data/tracegate.db'), later, later)
  const { stdout } = await examine('clock', {})
  expect(lines(stdout, 'clock')).toEqual([
    'FAIL  clock: 3 days behind the last change of the database in ~/data: it was set back',
    '      fix: set the clock of this machine by a time server (NTP)',
  ])
})

test('the clock of a deployment may differ by a minute', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const theirs = (ms: number) => new Date(now + ms).toUTCString()
  expect(compareClock(theirs(-59_000), now)).toMatchObject({ ok: true })
  expect(compareClock(theirs(300_000), now)).toMatchObject({ ok: false, found: '5 minutes behind that of the service' })
  expect(compareClock(theirs(-10_800_000), now)).toMatchObject({
    ok: false,
    found: '3 hours ahead of that of the service',
  })
  expect([undefined, 'yesterday'].map((date) => compareClock(date, now))).toEqual([undefined, undefined])
})

test('doctor reads a file of a client that has null in it', async () => {
  const servers = { other: null, tracegate: { command: process.execPath, args: [], env: null } }
  const file = JSON.stringify({ lastSession: null, mcpServers: servers })
  const { stdout } = await examine('nulls', { '.claude.json': file })
  expect(lines(stdout, 'client')).toEqual([`ok    client: Claude Code: ~/.claude.json starts ${process.execPath}`])
})

test('doctor shows no token and no password that an owner wrote into the file of a client', async () => {
  const args = [
    '--api-token',
    'hunter2',
    '--secret=hunter2',
    '--metrics-token',
    'hunter2',
    '--database-url',
    'postgres://me:hunter2@h1,h2/db?sslpassword=hunter2&sslmode=require',
    '--base-url=https://u:hunter2@q.example',
    '--product',
    'Shop',
  ]
  const servers = { tracegate: { command: process.execPath, args } }
  const { stdout } = await examine('secrets', { '.claude.json': JSON.stringify({ mcpServers: servers }) })
  expect(lines(stdout, 'client')).toEqual([
    `ok    client: Claude Code: ~/.claude.json starts ${process.execPath} --api-token *** --secret=*** --metrics-token *** ` +
      '--database-url postgres://me:***@h1,h2/db?sslpassword=***&sslmode=require --base-url=https://u:***@q.example --product Shop',
  ])
})

test.each([
  [['run', '-i', '-e', 'TRACEGATE_API_TOKEN=hunter2', 'tracegate'], 'run -i -e TRACEGATE_API_TOKEN=*** tracegate'],
  [
    ['mcp-remote', 'https://q.example/mcp', '--header', 'Authorization: Bearer hunter2'],
    'mcp-remote https://q.example/mcp --header Authorization: Bearer ***',
  ],
  [['--header', 'X-Api-Key: hunter2'], '--header X-Api-Key: ***'],
  [['-c', 'TRACEGATE_SECRET="hunter2" exec tracegate stdio'], '-c TRACEGATE_SECRET=*** exec tracegate stdio'],
  [['--database-url', 'postgres://me:hun@ter2@db.example/x'], '--database-url postgres://me:***@db.example/x'],
  [['--access-token', 'hunter2', '--read-only'], '--access-token *** --read-only'],
  [['--url', 'http://h:4873/@scope/pkg@1', 'a=b'], '--url http://h:4873/@scope/pkg@1 a=b'],
])('doctor shows nothing confidential of %j', async (args, shown) => {
  const servers = { tracegate: { command: process.execPath, args } }
  const { stdout } = await examine('secrets', { '.claude.json': JSON.stringify({ mcpServers: servers }) })
  expect(lines(stdout, 'client')).toEqual([
    `ok    client: Claude Code: ~/.claude.json starts ${process.execPath} ${shown}`,
  ])
})
