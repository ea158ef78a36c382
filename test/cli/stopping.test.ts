import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connectHttp } from '../mcp/http/http-server.ts'
import { bareEnvironment, servedBy, type Endpoints, type Served } from '../serve.ts'
import { publishedCommand, servePublished } from './published.ts'
import { temporaryFolder, tracegate } from './run.ts'

const revision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

function call(id: number) {
  const params = { name: 'find_error_issues', arguments: {}, _meta: meta }
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
}

interface Outcome {
  status?: number | undefined
  headers?: IncomingHttpHeaders
  body?: string
  error?: string | undefined
}

/** One call on a connection of the agent, or on one of its own. */
function post({ mcp, token }: Endpoints, id: number, agent: Agent | false = false): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/call',
      'mcp-name': 'find_error_issues',
    }
    const fail = (error: NodeJS.ErrnoException) => resolve({ error: error.code })
    const sent = request(mcp, { method: 'POST', headers, agent }, (reply) => {
      text(reply).then((body) => resolve({ status: reply.statusCode, headers: reply.headers, body }), fail)
    })
    sent.on('error', fail).end(call(id))
  })
}

/** What a caller can act on: a whole answer, a refusal that says when to come back, or no connection. */
function kind({ status, headers, body = '', error }: Outcome): string {
  if (error !== undefined) return error
  if (status === 503 && headers?.['retry-after'] !== undefined) return 'refused'
  const { result } = status === 200 ? (JSON.parse(body) as { result?: { content?: unknown[] } }) : {}
  return result?.content?.length === 1 ? 'answered' : `${String(status)} ${body}`
}

const clean = ['answered', 'refused', 'ECONNREFUSED']
const stop = ({ pid }: Served) => process.kill(pid, 'SIGTERM')

/** Another token of the owner: the requests of each are limited. */
async function addToken({ dataDir }: Served): Promise<string> {
  const { stdout } = await tracegate(['admin', 'token', 'add', '--user', 'Owner', '--data', dataDir])
  return stdout.trim()
}

/** The stream on which a client of 2026-07-28 hears of changes. */
function listen({ endpoints: { mcp, token, product_id: product } }: Served): Promise<Response> {
  const method = 'subscriptions/listen'
  const notifications = { resourceSubscriptions: [`tracegate://product/${product}/gate`] }
  return fetch(mcp, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { notifications, _meta: meta } }),
  })
}

test('of 200 calls at SIGTERM each ends with a whole answer or a clean refusal, and open streams end', async () => {
  await using served = await servePublished()
  const { mcp, token } = served.endpoints
  await using session = await connectHttp(mcp, token, '2025-11-25')
  await session.call('find_error_issues')
  const stream = listen(served)
  expect((await stream).status).toBe(200)
  // One connection for each, as clients of many processes have them.
  const tokens = await Promise.all(['one', 'two', 'three'].map(() => addToken(served)))
  const calls = Array.from({ length: 200 }, (_, id) => post({ ...served.endpoints, token: tokens[id % 3]! }, id))
  await Promise.race(calls)
  stop(served)
  expect(await served.exited).toEqual([0, null])
  const outcomes = (await Promise.all(calls)).map(kind)
  expect(outcomes.filter((outcome) => !clean.includes(outcome))).toEqual([])
  expect(outcomes).toContain('answered')
  // A whole response: a connection that is cut would reject.
  expect(await (await stream).text()).toContain('notifications/subscriptions/acknowledged')
  expect(served.output()).toContain('tracegate: stopping')
  expect(served.output()).not.toContain('"level":50')
})

test('callers on connections that they keep lose no answer either', async () => {
  await using served = await servePublished()
  const outcomes: string[] = []
  async function callUntilRefused(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let id = 0; ; id += 1) {
      const outcome = kind(await post(served.endpoints, id, agent))
      outcomes.push(outcome)
      if (outcome !== 'answered') return agent.destroy()
    }
  }
  const callers = Array.from({ length: 20 }, callUntilRefused)
  await expect.poll(() => outcomes.length).toBeGreaterThan(60)
  stop(served)
  expect(await served.exited).toEqual([0, null])
  await Promise.all(callers)
  expect(outcomes.filter((outcome) => !clean.includes(outcome))).toEqual([])
})

test.each(['SIGTERM', 'the end of stdin'])(
  'over stdio, calls that were sent before %s are answered or the process ends with 0',
  async (how) => {
    using folder = temporaryFolder()
    const child = spawn(process.execPath, [await publishedCommand(), 'stdio', '--data', folder.path], {
      env: bareEnvironment(),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const exited = once(child, 'exit')
    const lines = createInterface({ input: child.stdout })
    const answers: unknown[] = []
    const first = Promise.withResolvers<void>()
    lines.on('line', (line) => {
      answers.push(JSON.parse(line))
      first.resolve()
    })
    for (let id = 1; id <= 50; id += 1) child.stdin.write(`${call(id)}\n`)
    await first.promise
    if (how === 'SIGTERM') child.kill('SIGTERM')
    else child.stdin.end()
    expect(await exited).toEqual([0, null])
    // Every line that was begun is whole, or it would not have been JSON.
    for (const answer of answers) expect(answer).toMatchObject({ jsonrpc: '2.0', result: { resultType: 'complete' } })
  },
)

test('a server whose output nobody reads any more stops as any other', async () => {
  using folder = temporaryFolder()
  const child = spawn(process.execPath, [await publishedCommand(), 'serve', '--port', '0', '--data', folder.path], {
    env: bareEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  await servedBy(folder.path, { ended: () => child.exitCode ?? undefined, output: () => '' })
  const closed = once(child.stderr, 'close')
  child.stderr.destroy()
  await closed
  child.kill('SIGINT')
  expect(await exited).toEqual([0, null])
  const left = readdirSync(folder.path)
  expect(left.filter((name) => /^endpoints|-wal$/.test(name))).toEqual([])
})

test.each([
  ['is closed', ['SIGHUP', 'SIGHUP']],
  ['is closed by the end of the session', ['SIGHUP', 'SIGTERM']],
] as const)('a server whose terminal %s stops as any other', async (_, signals) => {
  using folder = temporaryFolder()
  const child = spawn(process.execPath, [await publishedCommand(), 'serve', '--port', '0', '--data', folder.path], {
    env: bareEnvironment(),
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await servedBy(folder.path, { ended: () => child.exitCode ?? undefined, output: () => '' })
  for (const signal of signals) child.kill(signal)
  expect(await exited).toEqual([0, null])
  expect(readdirSync(folder.path).filter((name) => /^endpoints|-wal$/.test(name))).toEqual([])
})

test.runIf(existsSync('/dev/full'))('a server whose log finds no room goes on and stops as any other', async () => {
  using folder = temporaryFolder()
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [await publishedCommand(), 'serve', '--port', '0', '--data', folder.path], {
    env: bareEnvironment(),
    stdio: ['ignore', 'ignore', full],
  })
  closeSync(full)
  const exited = once(child, 'exit')
  const { endpoints } = await servedBy(folder.path, { ended: () => child.exitCode ?? undefined, output: () => '' })
  expect(kind(await post(endpoints, 1))).toBe('answered')
  expect(kind(await post(endpoints, 2))).toBe('answered')
  child.kill('SIGINT')
  expect(await exited).toEqual([0, null])
})

test('over stdio, the process ends with 0 when nobody reads its answers any more', async () => {
  using folder = temporaryFolder()
  const child = spawn(process.execPath, [await publishedCommand(), 'stdio', '--data', folder.path], {
    env: bareEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  child.stdin.write(`${call(1)}\n`)
  await once(child.stdout, 'data')
  const closed = once(child.stdout, 'close')
  child.stdout.destroy()
  await closed
  child.stdin.write(`${call(2)}\n`)
  expect(await exited).toEqual([0, null])
  expect(readdirSync(folder.path)).not.toContain('tracegate.db-wal')
})

test('over stdio, answers that nobody has read yet are not lost when the input ends', async () => {
  using folder = temporaryFolder()
  const child = spawn(
    process.execPath,
    [await publishedCommand(), 'stdio', '--data', folder.path, '--toolsets', 'all'],
    {
      env: bareEnvironment(),
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  const exited = once(child, 'exit')
  const ids = Array.from({ length: 40 }, (_, id) => id)
  const list = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: meta } })
  child.stdin.end(ids.map((id) => `${list(id)}\n`).join(''))
  await once(child.stdout, 'readable')
  // More than a pipe holds, so it cannot end: longer than it waits for anything else.
  await Promise.race([exited, setTimeout(3_000)])
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(ids)
  expect(await exited).toEqual([0, null])
})
