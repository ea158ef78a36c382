import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bareEnvironment, type Served } from '../serve.ts'
import { servePublished } from './published.ts'
import { mainFile, serveHere, temporaryFolder, tracegate, tracegateProcess } from './run.ts'

const folder = temporaryFolder()
const dataDir = join(folder.path, 'data')
let app: Served
beforeAll(async () => {
  app = await serveHere({ dataDir })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const originPort = (url: string) => new URL(url).port

test('serve gives its address to other programs of this user only', () => {
  const { mcp, rest, ingest, dsn, product_id, token } = app.endpoints
  const origin = `http://127.0.0.1:${originPort(mcp)}`
  expect({ mcp, rest, ingest }).toEqual({ mcp: `${origin}/mcp`, rest: origin, ingest: origin })
  expect(dsn).toMatch(new RegExp(`^http://[0-9a-f]{32}@127\\.0\\.0\\.1:${originPort(mcp)}/${product_id}$`))
  expect(token).toMatch(/^tg_\w{40}$/)
  for (const file of ['endpoints.json', 'token', 'secret'])
    expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
})

test('serve prints what to paste into each agent, but never the token', () => {
  const output = app.output()
  expect(output).toContain(
    `claude mcp add --transport http tracegate ${app.endpoints.mcp} --header "Authorization: Bearer $(cat ${join(dataDir, 'token')})"`,
  )
  for (const words of [
    app.endpoints.dsn,
    '[mcp_servers.tracegate]',
    'mcpServers',
    '.vscode/mcp.json',
    '/openapi.json',
  ]) {
    expect(output).toContain(words)
  }
  expect(output).not.toContain(app.endpoints.token)
})

test('the token opens REST, and a wrong one does not', async () => {
  expect(await app.rest('GET', '/v1/auth/me')).toMatchObject({ server: { name: 'tracegate', mode: 'embedded' } })
  const refused = await fetch(`${app.endpoints.rest}/v1/auth/me`, { headers: { authorization: 'Bearer tg_no' } })
  expect(refused.status).toBe(401)
})

test('the port of a running server is refused in one sentence, and its data is left alone', async () => {
  const port = originPort(app.endpoints.rest)
  const { code, stderr } = await tracegate(['serve', '--port', port, '--data', join(folder.path, 'other')])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^tracegate: port \d+ on 127\.0\.0\.1 is in use by another program: .*--port \d+\n$/)
  expect(existsSync(join(folder.path, 'other'))).toBe(false)
})

test('call prints the text as an agent gets it', async () => {
  const args = ['call', 'find_error_issues', '{"period":"1d"}', '--data', dataDir]
  // From the sources, as in a checkout.
  const { code, stdout, stderr } = await tracegateProcess(args, {}, { command: mainFile })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^No unresolved error issues.*\nproduct: My product \(id 1\)\n/)
})

test('call --json prints the structured form', async () => {
  const { code, stdout } = await tracegate(['call', 'get_workspace_context', '--json', '--data', dataDir])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ answer: expect.any(String) as string, data: {} })
})

test('call --url goes to a running server with the token of its data directory', async () => {
  const { code, stdout } = await tracegate(['call', 'find_error_issues', '--url', app.endpoints.mcp, '--data', dataDir])
  expect(code).toBe(0)
  expect(stdout).toContain('error issues')
})

test('call --url without a token says where one comes from', async () => {
  const { code, stderr } = await tracegate([
    'call',
    'x',
    '--url',
    app.endpoints.mcp,
    '--data',
    join(folder.path, 'none'),
  ])
  expect(code).toBe(2)
  expect(stderr).toContain('TRACEGATE_API_TOKEN')
})

test('call exits with 1 when the result is an error, and prints it', async () => {
  const { code, stdout } = await tracegateProcess(['call', 'get_error_issue', '{"issue":"APP-404"}', '--data', dataDir])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^error: .*not_found/)
})

test('call of a tool that does not exist names the tools that do', async () => {
  const { code, stderr } = await tracegate(['call', 'find_bugs', '--data', dataDir])
  expect(code).toBe(1)
  expect(stderr).toMatch(/there is no tool find_bugs; the tools are: .*find_error_issues/)
})

test('call of a tool that is left out says what brings it back', async () => {
  const call = (...flags: string[]) => tracegate(['call', 'create_quality_branch', ...flags, '--data', dataDir])
  expect(await call()).toMatchObject({
    code: 1,
    stderr: 'tracegate: create_quality_branch is in the toolset branches: add --toolsets default,branches\n',
  })
  expect((await call('--toolsets', 'default,branches', '--read-only')).stderr).toBe(
    'tracegate: create_quality_branch writes, so --read-only or TRACEGATE_READ_ONLY leaves it out\n',
  )
  expect((await call('--url', app.endpoints.mcp)).stderr).toBe(
    `tracegate: the server at ${app.endpoints.mcp} leaves out create_quality_branch, which is in the toolset branches\n`,
  )
})

test.each([
  ['{"a":1,}', 'not valid JSON at position 7'],
  ['{"a"', 'not valid JSON at position 4'],
  ["{'a':1}", 'not valid JSON at position 1'],
  ['[1]', 'not a JSON object'],
  ['7', 'not a JSON object'],
])('call with the arguments %s says what is wrong with them', async (json, why) => {
  const { code, stderr } = await tracegate(['call', 'find_error_issues', json, '--data', dataDir])
  expect(code).toBe(2)
  expect(stderr).toContain(why)
})

test('call without a tool shows an example', async () => {
  expect(await tracegate(['call'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('tracegate call') as string,
  })
})

test('doctor finds the running server and tries its token', async () => {
  const { code, stdout } = await tracegate(['doctor', '--data', dataDir])
  expect(code).toBe(0)
  expect(stdout).toContain(`tracegate ${(await health()).version} at ${app.endpoints.rest} accepts the token of `)
})

async function health() {
  return (await (await fetch(`${app.endpoints.rest}/healthz`)).json()) as { version: string }
}

test('doctor says when another program has the port', async () => {
  const other = createServer()
  await new Promise<void>((ready) => other.listen(0, '127.0.0.1', ready))
  const port = String((other.address() as AddressInfo).port)
  try {
    const { code, stdout } = await tracegate(['doctor', '--port', port, '--data', join(folder.path, 'none')])
    expect(code).toBe(1)
    expect(stdout).toMatch(/FAIL {2}server: port \d+ on 127\.0\.0\.1 is in use.*\n {6}fix: .*--port/)
  } finally {
    other.close()
  }
}, 40_000)

/** A stranger on a port that a killed server has left, with the file that says otherwise; `heard` is what it was sent. */
async function stranger(answerHealth: (address: string) => Promise<object>) {
  const heard: string[] = []
  const server = createHttpServer((incoming, outgoing) => {
    const { url = '', headers } = incoming
    heard.push(`${url.replace(/nonce=.*/, 'nonce')} ${headers.authorization ?? 'without a token'}`)
    const answer = url.startsWith('/healthz') ? answerHealth(url) : Promise.resolve({ user: { id: 'u' } })
    void answer.then((body) => outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(body)))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const rest = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const left = mkdtempSync(join(folder.path, 'left-'))
  const endpoints = { ...app.endpoints, mcp: `${rest}/mcp`, rest }
  writeFileSync(join(left, 'endpoints.json'), JSON.stringify(endpoints))
  return { heard, dataDir: left, mcp: endpoints.mcp, [Symbol.dispose]: () => void server.close() }
}

test.each([
  ['says nothing', () => Promise.resolve({ status: 'ok', version: '9' })],
  ['makes a proof up', () => Promise.resolve({ status: 'ok', version: '9', proof: 'a'.repeat(64) })],
  ['asks the real server for one', async (url: string) => (await fetch(app.endpoints.rest + url)).json() as object],
])(
  'a stranger on the port of a killed server that %s gets the token from neither doctor nor call',
  async (_, answer) => {
    using other = await stranger(answer as (url: string) => Promise<object>)
    const doctor = await tracegate(['doctor', '--data', other.dataDir])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/FAIL {2}server: .* cannot prove .*\n {6}fix: .*endpoints\.json/)
    const call = await tracegate(['call', 'find_error_issues', '--url', other.mcp, '--data', other.dataDir])
    expect(call.code).toBe(2)
    expect(call.stderr).toMatch(/--url: .* cannot prove .*TRACEGATE_API_TOKEN/)
    expect(other.heard).toEqual(['/healthz?nonce without a token', '/healthz?nonce without a token'])
  },
)

test('call --url sends no token over plain http to another machine', async () => {
  const { code, stderr } = await tracegate(['call', 'x', '--url', 'http://192.0.2.1:4319/mcp'], {
    TRACEGATE_API_TOKEN: 'tg_mine',
  })
  expect(code).toBe(2)
  expect(stderr).toContain('--url: use https://')
})

test('doctor distinguishes a wrong token from a wrong address', async () => {
  const wrongToken = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: 'tg_wrong' }
  const first = await tracegate(['doctor'], wrongToken)
  expect(first).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/401 TOKEN_INVALID\n {6}fix: set TRACEGATE_API_TOKEN/) as string,
  })
  const wrongAddress = { TRACEGATE_BASE_URL: `${app.endpoints.rest}/nowhere`, TRACEGATE_API_TOKEN: app.endpoints.token }
  const second = await tracegate(['doctor'], wrongAddress)
  expect(second).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/fix: .* does not answer like the service/) as string,
  })
})

test('doctor says when the data directory cannot be written', async () => {
  const file = join(folder.path, 'a-file')
  writeFileSync(file, '')
  const { code, stdout } = await tracegate(['doctor', '--port', '0', '--data', join(file, 'data')])
  expect(code).toBe(1)
  expect(stdout).toMatch(/FAIL {2}data directory: .*\n {6}fix: choose another with --data/)
})

test('a damaged secret is reported with its file', async () => {
  const damaged = join(folder.path, 'damaged')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'secret'), 'x')
  const { code, stderr } = await tracegateProcess(['serve', '--port', '0', '--data', damaged])
  expect(code).toBe(2)
  expect(stderr).toContain(`${join(damaged, 'secret')} is damaged`)
})

test('help names every variable that the configuration knows', async () => {
  const { stdout } = await tracegate(['help'])
  const known =
    readFileSync(new URL('../../src/config-variables.ts', import.meta.url), 'utf8').match(/TRACEGATE_[A-Z_]+(?=:)/g) ??
    []
  expect(known.length).toBeGreaterThan(10)
  expect(known.filter((name) => !stdout.includes(name))).toEqual([])
})

test('server.json lists variables that the configuration knows, in the version of the package', async () => {
  const { stdout } = await tracegate(['help'])
  const server = JSON.parse(readFileSync(new URL('../../server.json', import.meta.url), 'utf8')) as {
    version: string
    packages: { version: string; environmentVariables: { name: string }[] }[]
  }
  const version = (await tracegate(['--version'])).stdout.trim()
  expect([server.version, ...server.packages.map((entry) => entry.version)]).toEqual([version, version])
  const names = server.packages.flatMap(({ environmentVariables }) => environmentVariables.map(({ name }) => name))
  expect(names.filter((name) => !stdout.includes(name))).toEqual([])
})

test('stopping ends open work, removes endpoints.json and keeps the data', async () => {
  const dir = join(folder.path, 'stopping')
  const second = await servePublished({ dataDir: dir })
  const { token } = second.endpoints
  await second[Symbol.asyncDispose]()
  expect(second.output()).toContain('tracegate: stopping')
  expect(readdirSync(dir).toSorted()).toEqual(['secret', 'token', 'tracegate.db'])
  await using third = await serveHere({ dataDir: dir })
  expect(third.endpoints.token).toBe(token)
})

test('in front of a deployment serve has MCP and the probe, and each caller brings a token', async () => {
  const dir = join(folder.path, 'front')
  await using front = await serveHere({ dataDir: dir, env: { TRACEGATE_BASE_URL: app.endpoints.rest } })
  expect(front.endpoints).toMatchObject({ rest: app.endpoints.rest, ingest: '', dsn: '', token: '' })
  expect((await fetch(front.endpoints.mcp.replace('/mcp', '/v1/auth/me'))).status).toBe(404)
  const call = ['call', 'get_workspace_context', '--url', front.endpoints.mcp]
  expect(await tracegate(call, { TRACEGATE_API_TOKEN: app.endpoints.token })).toMatchObject({ code: 0, stderr: '' })
  expect(await tracegate(call, { TRACEGATE_API_TOKEN: 'tg_wrong' })).toMatchObject({ code: 1, stdout: '' })
  expect(readdirSync(dir)).toEqual(['endpoints.json'])
})

test('stdout of stdio carries JSON-RPC alone', async () => {
  const { code, stdout } = await tracegateProcess(['stdio', '--data', dataDir])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
})

test('stdio ends on a signal although its client stays connected', async () => {
  const child = spawn(process.execPath, [mainFile, 'stdio', '--data', dataDir], { env: bareEnvironment() })
  const exited = once(child, 'exit')
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})

test('serve says in one line that it cannot write to its data directory, and leaves no draft', async () => {
  const dir = join(folder.path, 'no-endpoints')
  mkdirSync(join(dir, 'endpoints.json'), { recursive: true })
  const { code, stderr } = await tracegate(['serve', '--port', '0', '--data', dir])
  expect(code).toBe(2)
  expect(stderr).toContain(`tracegate: ${join(dir, 'endpoints.json')} cannot be written: it is a folder\n`)
  expect(stderr).not.toMatch(/^ {4}at /m)
  expect(readdirSync(dir).filter((name) => name.startsWith('endpoints.json.'))).toEqual([])
})

test('a file that cannot be used otherwise is said in one line too', async () => {
  const dir = join(folder.path, 'no-token')
  mkdirSync(join(dir, 'token'), { recursive: true })
  const { code, stderr } = await tracegate(['gate', '--data', dir])
  expect(code).toBe(3)
  expect(stderr).toContain(`tracegate: ${join(dir, 'token')} cannot be written: it is a folder\n`)
})
