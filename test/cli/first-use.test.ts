import { createServer, type Server } from 'node:http'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { version } from '../../src/version.ts'
import { eventually, type Served } from '../serve.ts'
import { servePublished } from './published.ts'
import { serveHere, temporaryFolder, tracegate, tracegateProcess } from './run.ts'

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

const port = () => new URL(app.endpoints.rest).port

test('a toolset that does not exist is refused with those that do', async () => {
  for (const command of ['stdio', 'doctor', 'serve']) {
    const ran = await tracegate([command, '--data', dataDir], { TRACEGATE_TOOLSETS: 'default,foo' })
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^tracegate: TRACEGATE_TOOLSETS: unknown "foo"; use default, .*, all\n$/),
    })
  }
})

test('doctor says how many tools an agent gets, and fails when it gets none', async () => {
  expect(await tracegate(['doctor', '--data', dataDir])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/toolsets default: [1-9]\d* tools\n/),
  })
  expect(await tracegate(['doctor', '--toolsets', 'ingest_dev', '--read-only', '--data', dataDir])).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/FAIL {2}configuration: .*: 0 tools\n {6}fix: .*there are tools in: default/),
  })
})

/** Folders that not even root can use as the data directory, with the reason that is given. */
const unusable: [string, string][] = [
  ...(process.platform === 'linux' ? [['/proc/nope', 'no folder can be created there'] as [string, string]] : []),
  [join(folder.path, 'a-file'), 'it is a file'],
  [join(folder.path, 'a-file', 'data'), 'a part of its path is a file'],
]

test.each(unusable)('a data directory at %s is reported in one sentence everywhere', async (path, why) => {
  writeFileSync(join(folder.path, 'a-file'), '')
  const sentence = `the data directory ${path} cannot be used (${why}): choose another with --data or TRACEGATE_DATA_DIR`
  const secrets: Record<string, string>[] = [{}, { TRACEGATE_SECRET: 's'.repeat(32) }]
  for (const env of secrets) {
    expect(await tracegate(['serve', '--port', '0', '--data', path], env)).toEqual({
      code: 2,
      stdout: '',
      stderr: `tracegate: ${sentence}\n`,
    })
    const called = await tracegate(['call', 'find_error_issues', '--data', path], env)
    expect(called).toMatchObject({ code: 1, stderr: '' })
    expect(called.stdout).toMatch(/^error: the data directory/)
    expect(called.stdout).toContain(sentence)
    expect(called.stdout).toMatch(/\nnext: tell the user/)
  }
  expect(await tracegate(['doctor', '--port', '0', '--data', path])).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(new RegExp(`FAIL  data directory: .*${why}.*\\n {6}fix: choose another`)),
  })
})

test('doctor leaves nothing in the folder that it tries', async () => {
  mkdirSync(join(folder.path, 'tried'))
  expect(
    await tracegate(['doctor', '--port', '0', '--data', join(folder.path, 'tried', 'deep', 'data')]),
  ).toMatchObject({
    code: 0,
  })
  expect(readdirSync(join(folder.path, 'tried'))).toEqual([])
})

test('a product that does not exist is found by doctor, with a server and without, and reported to the agent', async () => {
  const env = { TRACEGATE_PRODUCT: 'Nope' }
  const idle = join(folder.path, 'idle')
  await tracegate(['call', 'find_error_issues', '--data', idle])
  for (const path of [dataDir, idle]) {
    expect(await tracegate(['doctor', '--port', '0', '--data', path], env)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAIL {2}product: .*\n {6}fix: .*TRACEGATE_PRODUCT to one of: My product \(1\)/),
    })
    expect(await tracegate(['doctor', '--port', '0', '--data', path], { TRACEGATE_PRODUCT: '1' })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ok    product: My product (1)'),
    })
  }
  const called = await tracegate(['call', 'find_error_issues', '--data', dataDir], env)
  expect(called.stdout).toContain('\nnext: ask the user to set TRACEGATE_PRODUCT to one of: My product (1)')
})

test('doctor checks the product of a deployment too', async () => {
  const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
  expect(await tracegate(['doctor'], { ...env, TRACEGATE_PRODUCT: 'Nope' })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/FAIL {2}product: .*\n {6}fix: .*My product \(1\)/),
  })
})

test('doctor makes no data to look for a product in', async () => {
  const path = join(folder.path, 'never')
  expect(await tracegate(['doctor', '--port', '0', '--product', 'x', '--data', path])).toMatchObject({ code: 0 })
  expect(existsSync(path)).toBe(false)
})

test('naming a product to a pinned server says to which it is pinned', async () => {
  const args = ['call', 'find_error_issues', '{"product":"2"}', '--product', 'My product', '--data', dataDir]
  expect((await tracegate(args)).stdout).toContain('this server is pinned to "My product"')
})

test('a second serve on the same data says that it runs already, and where', async () => {
  expect(await tracegate(['serve', '--port', port(), '--data', dataDir])).toMatchObject({
    code: 2,
    stderr: `tracegate: Tracegate is already running: ${app.endpoints.mcp} serves ${dataDir}; stop that server first, or name another directory with --data\n`,
  })
})

test('a server keeps its data directory for itself without writing anything, for which a full disk has no room', () => {
  const held = readdirSync(dataDir).filter((name) => name.startsWith('serve.lock'))
  expect(held.map((name) => [name, statSync(join(dataDir, name)).size])).toEqual([['serve.lock', 0]])
})

test('a serve on data where another one is about to listen is refused, and does not disturb it', async () => {
  const starting = join(folder.path, 'starting')
  const first = serveHere({ dataDir: starting })
  await expect.poll(() => existsSync(join(starting, 'tracegate.db'))).toBe(true)
  expect(await tracegate(['serve', '--port', '0', '--data', starting])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^tracegate: Tracegate is already (?:running: http|being started on .*starting)/),
  })
  const { mcp } = (await first).endpoints
  expect(readFileSync(join(starting, 'endpoints.json'), 'utf8')).toContain(mcp)
  await (await first)[Symbol.asyncDispose]()
  const next = await serveHere({ dataDir: starting })
  await next[Symbol.asyncDispose]()
})

test('a newer version upgrades no database beneath a server that runs', async () => {
  const older = join(folder.path, 'older')
  await using server = await serveHere({ dataDir: older })
  const connection = new DatabaseSync(join(older, 'tracegate.db'))
  onTestFinished(() => connection.close())
  connection.exec('DELETE FROM schema_version WHERE version = (SELECT max(version) FROM schema_version)')
  const stored = () => connection.prepare('SELECT max(version) AS version FROM schema_version').get()
  const before = stored()
  const { origin } = new URL(server.endpoints.mcp)
  const refusal = `an older Tracegate (version ${version}) is running at ${origin}, and this version would upgrade its database: stop it`
  const called = await tracegate(['call', 'find_error_issues', '{}', '--data', older])
  expect(called.stdout).toContain(`error: ${refusal}`)
  const added = await tracegate(['admin', 'user', 'add', 'Ada', '--data', older])
  expect(added).toMatchObject({ code: 2, stderr: expect.stringContaining(`tracegate: ${refusal}`) as string })
  expect(stored()).toEqual(before)
})

test('a second serve on the same data and another port changes nothing for the first one', async () => {
  const file = join(dataDir, 'endpoints.json')
  const before = readFileSync(file, 'utf8')
  const gone = createServer()
  const { port: free } = new URL(await listening(gone))
  await new Promise((closed) => gone.close(closed))
  expect(await tracegate(['serve', '--port', free, '--data', dataDir])).toMatchObject({
    code: 2,
    stderr: `tracegate: Tracegate is already running: ${app.endpoints.mcp} serves ${dataDir}; stop that server first, or name another directory with --data\n`,
  })
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(existsSync(join(dataDir, 'port'))).toBe(false)
})

test('a port that another program uses is reported once, with a command that works', async () => {
  const busy = `port ${port()} on 127.0.0.1 is in use by another program`
  const other = ['--port', port(), '--data', join(folder.path, 'other')]
  const { code, stderr } = await tracegate(['serve', ...other])
  expect({ code, first: stderr.split(':')[1] }).toEqual({ code: 2, first: ` ${busy}` })
  expect(stderr).not.toContain('doctor')
  expect(stderr).toContain(`--port ${String(Number(port()) + 1)}`)
  const underNpm = await tracegate(['serve', ...other], { npm_lifecycle_event: 'start' })
  expect(underNpm.stderr).toContain(`npm start -- --port ${String(Number(port()) + 1)}`)
})

test('an address without a path, or under another name of this machine, is the running server all the same', async () => {
  for (const url of [app.endpoints.rest, `${app.endpoints.rest}/`, `http://localhost:${port()}`]) {
    const called = await tracegate(['call', 'find_error_issues', '--url', url, '--data', dataDir])
    expect(called).toMatchObject({ code: 0, stderr: '' })
  }
})

const plain = (url: string, env: Record<string, string>) => tracegate(['call', 'find_error_issues', '--url', url], env)

test('a server that does not run, a wrong token and an address that is not MCP get different messages', async () => {
  const gone = createServer()
  const address = await listening(gone)
  await new Promise((closed) => gone.close(closed))
  const env = { TRACEGATE_API_TOKEN: 'tg_wrong' }
  expect(await plain(address, env)).toEqual({
    code: 1,
    stdout: '',
    stderr: `tracegate: nothing answers at ${address}/mcp: start it with tracegate serve, or correct --url\n`,
  })
  expect(await plain(app.endpoints.mcp, env)).toEqual({
    code: 1,
    stdout: '',
    stderr: `tracegate: the server at ${app.endpoints.mcp} does not accept the token: set TRACEGATE_API_TOKEN to a token of that server\n`,
  })
  const page = createServer((_, outgoing) => outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  const notMcp = await listening(page)
  try {
    expect(await plain(`${notMcp}/here`, env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `tracegate: what answers at ${notMcp}/here is not an MCP server: correct --url, which usually ends in /mcp\n`,
    })
  } finally {
    page.closeAllConnections()
    page.close()
  }
})

async function listening(server: Server): Promise<string> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

test('a GET on the ingest is refused without an error in the log', async () => {
  const { status } = await fetch(`${app.endpoints.ingest}/api/1/envelope/`)
  expect(status).toBe(501)
  // The log is written at once, so what stands there after a later request is all.
  await app.rest('GET', '/v1/auth/me')
  expect(app.output()).not.toContain('unexpected error')
})

test('serve prints a line for agents that start the server themselves, and it works', async () => {
  const line = await eventually('the line', () =>
    Promise.resolve(/^ {2}claude mcp add tracegate -- node (\S+) stdio --data (\S+)$/m.exec(app.output()) ?? undefined),
  )
  expect(line[2]).toBe(dataDir)
  expect(existsSync(line[1] ?? '')).toBe(true)
  expect(
    await tracegateProcess(['stdio', '--data', line[2] ?? ''], {}, line[1] === undefined ? {} : { command: line[1] }),
  ).toMatchObject({ code: 0, stdout: '' })
})

test('an agent that finds nothing learns that nothing has ever arrived, and what the user can do', async () => {
  const way = /No event has ever arrived.*DSN.*npm start/
  const { stdout } = await tracegate(['call', 'find_error_issues', '--data', dataDir])
  expect(stdout).toMatch(/No event has ever arrived.*npm start.*The prompt set_up_product/)
  expect(stdout).toContain('get_workspace_context {"product":"1","include":["setup"]} (has the DSN of the product)')
  const environment = await tracegate(['call', 'find_error_issues', '{"environment":"production"}', '--data', dataDir])
  expect(environment).toMatchObject({ code: 1, stdout: expect.stringMatching(way) })
})

test('a person who names a release or an environment before there is one learns what adds it', async () => {
  const path = join(folder.path, 'none-yet')
  await tracegate(['call', 'find_error_issues', '--data', path])
  expect((await tracegate(['gate', '--release', 'nope', '--data', path])).stderr).toBe(
    'tracegate: release not found: "nope"; there is no release yet: the first event or test report that names one adds it\n',
  )
  expect((await tracegate(['admin', 'settings', 'single_user_approval', 'qa', '--data', path])).stderr).toBe(
    'tracegate: there is no environment qa; the product has none yet: use all or none\n',
  )
})

test('a tool call before the first npm start does not keep the sample away, and a later start loads nothing again', async () => {
  const path = join(folder.path, 'called-first')
  await tracegate(['call', 'find_error_issues', '--data', path])
  await using shop = await servePublished({ dataDir: path, args: ['--sample'] })
  expect(shop.output()).toMatch(/the sample shop is loaded: (\d+) events/)
  expect(shop.output()).toMatch(/loading the sample shop … 250 of (\d+)\n/)
  const [, total] = /250 of (\d+)/.exec(shop.output()) ?? []
  expect(shop.output()).toContain(`is loaded: ${String(total)} events`)
  const { stdout } = await tracegate(['call', 'find_error_issues', '--data', path])
  expect(stdout).toContain('Tracegate Sample Shop (id 1)')
  await shop.kill()
  await using again = await serveHere({ dataDir: path, args: ['--sample'] })
  expect(again.output()).not.toMatch(/sample was not loaded|loading the sample/)
}, 60_000)

test('serve says that the sample is not loaded where there is data', async () => {
  const path = join(folder.path, 'in-use')
  {
    await using first = await serveHere({ dataDir: path })
    await first.rest('POST', '/v1/products/1/environments', { name: 'ours' })
  }
  await using second = await serveHere({ dataDir: path, args: ['--sample'] })
  expect(second.output()).toContain(
    `${path} has data already, so the sample was not loaded; for another directory: --data DIR`,
  )
})
