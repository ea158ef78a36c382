import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/service/sql/open/index.ts'
import { servePublished } from '../cli/published.ts'
import { temporaryFolder } from '../cli/run.ts'
import type { Connected } from '../mcp/clients.ts'
import { connectHttp } from '../mcp/http/http-server.ts'
import type { Served } from '../serve.ts'
import { runElsewhere } from '../service/agents/run-elsewhere.ts'
import { freePort, startBalancer, type Balancer } from './balancer.ts'
import { createDatabase } from './databases.ts'
import { findProgram } from './machine.ts'

const program = findProgram('haproxy', 'the tests behind a balancer')
/** How often an agent makes a call that breaks off: for two seconds, in which the balancer notices. */
const MOST_TRIES = 20

interface Deployment {
  url: string
  balancer: Balancer
  one: Served
  /** Kills the process that is called `one`, and starts it again. */
  kill(): Promise<void>
  restart(): Promise<void>
  /** A request to the balancer as the owner. */
  ask(path: string, init?: RequestInit): Promise<Response>
}

let deployment: Deployment
beforeAll(async () => {
  if (program === undefined) return
  const stack = new AsyncDisposableStack()
  const folder = temporaryFolder()
  stack.use(folder)
  const { url, drop } = await createDatabase('template0')
  stack.defer(drop)
  const ports = [await freePort(), await freePort()] as const
  const env = {
    TRACEGATE_DATABASE_URL: url,
    TRACEGATE_SECRET: 'a secret that both processes have',
    TRACEGATE_LOG_LEVEL: 'error',
    TRACEGATE_TOOLSETS: 'all',
  }
  const start = async (index: 0 | 1) =>
    stack.use(
      await servePublished({
        dataDir: join(folder.path, `data-${String(index)}`),
        args: ['--port', String(ports[index])],
        env,
      }),
    )
  // At once, on an empty database.
  const [one] = await Promise.all([start(0), start(1)])
  let running = one
  const balancer = stack.use(
    await startBalancer(program, [`127.0.0.1:${String(ports[0])}`, `127.0.0.1:${String(ports[1])}`]),
  )
  deployment = {
    url,
    balancer,
    one,
    kill: () => running.kill(),
    async restart() {
      running = await start(0)
    },
    ask: (path, init = {}) =>
      fetch(balancer.origin + path, {
        ...init,
        headers: { authorization: `Bearer ${one.endpoints.token}`, ...(init.headers as Record<string, string>) },
      }),
  }
  return () => stack.disposeAsync()
})

describe.skipIf(program === undefined)('two processes behind the balancer of compose.yaml', () => {
  test('requests are spread over both', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await deployment.ask('/v1/auth/me')).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(new Set(deployment.balancer.answered())).toEqual(new Set(['one', 'other']))
  })

  test('what a stream says is passed on before the stream ends', async () => {
    await using db = await closing(deployment.url)
    const run = await runElsewhere({ db: db.db, productId: '1' })
    const log = async () => {
      await run.log(1)
      db.db.messages?.send(`changed:${run.id}`)
    }
    await log()
    const reply = await deployment.ask(`/v1/agent-runs/${run.id}/events:stream`, {
      headers: { accept: 'text/event-stream' },
    })
    expect(reply.headers.get('content-type')).toContain('text/event-stream')
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const until = async (words: string) => {
      while (!text.includes(words)) text += (await reader.read()).value ?? 'the stream has ended'
    }
    await until('línea 1 ')
    await log()
    await until('línea 2 ')
    await run.succeed()
    await until('AGENT_RUN_EVENT_TYPE_COMPLETED')
  })

  test('each session of MCP stays with the process that has opened it', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, openSession))
    const statuses = await Promise.all([...sessions, ...sessions].map(async (id) => (await listTools(id)).status))
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 200))
  })

  test('people who sign in to the pages stay signed in', async () => {
    const pages = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const read = await signIn()
        return Promise.all(['triage', 'gate', 'coverage', 'gate'].map(read))
      }),
    )
    expect(new Set(pages.flat())).toEqual(new Set(['Triage', 'Gate', 'Coverage']))
  })

  test('when a process is killed, all reads are answered by the other one, and by both when it is back', async () => {
    let asked = 0
    const killed = Promise.withResolvers<void>()
    const reader = async () => {
      const statuses = []
      for (let count = 0; count < 10; count += 1) {
        if ((asked += 1) === 30) void deployment.kill().then(killed.resolve)
        statuses.push((await deployment.ask('/v1/products/1/issues')).status)
      }
      return statuses
    }
    const statuses = await Promise.all(Array.from({ length: 8 }, reader))
    await killed.promise
    expect(new Set(statuses.flat())).toEqual(new Set([200]))
    await deployment.restart()
    const before = deployment.balancer.answered().length
    // The balancer looks once a second whether it is ready.
    while (!deployment.balancer.answered().slice(before).includes('one')) await deployment.ask('/v1/auth/me')
  })

  test('agents whose calls break off with a killed process repeat them, and what was answered is stored once', async () => {
    const { balancer, one } = deployment
    // So many that some are always on their way to the process that is killed.
    const eras = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? '2026-07-28' : '2025-11-25'))
    let [calls, broken] = [0, 0]
    let killed: Promise<void> | undefined
    await using stack = new AsyncDisposableStack()
    // All of them before the kill.
    const agents = await Promise.all(eras.map((era) => connectHttp(`${balancer.origin}/mcp`, one.endpoints.token, era)))
    for (const each of agents) stack.use(each)
    const work = async (connected: Connected, name: number): Promise<string[]> => {
      const call = async (tool: string, args: object = {}) => {
        if ((calls += 1) === 20) killed = deployment.kill()
        return (await connected.call(tool, { ...args })).text
      }
      const titles = Array.from({ length: 5 }, (_, number) => `Agent ${String(name)} keeps order ${String(number)}`)
      for (const title of titles) {
        let isKnown = true
        for (let tries = 1; ; tries += 1) {
          try {
            // Whether a call that broke off was done is not known.
            if (isKnown || !(await call('list_requirements', { match: title })).includes(title))
              await call('save_requirement', { title })
            break
          } catch (error) {
            if (tries === MOST_TRIES) throw error
            broken += 1
            isKnown = false
            // Until it has noticed, the balancer may lead to the killed process again.
            await sleep(100)
          }
        }
      }
      return titles
    }
    const titles = (await Promise.all(agents.map(work))).flat()
    await killed
    expect(broken).toBeGreaterThan(0)
    const page = await deployment.ask('/v1/products/1/requirements?page_size=200')
    const { requirements } = (await page.json()) as { requirements: { title: string }[] }
    const stored = requirements.map(({ title }) => title).filter((title) => title.startsWith('Agent '))
    expect(stored.toSorted()).toEqual(titles.toSorted())
  })
})

async function closing(url: string) {
  const db = await openDatabase(url)
  return { db, [Symbol.asyncDispose]: () => db.close() }
}

function post(message: object, headers: Record<string, string> = {}): Promise<Response> {
  return deployment.ask('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })
}

/** Types the owner's token, and returns what reads the name of the current area of a page; undefined if it asks to sign in. */
async function signIn(): Promise<(area: string) => Promise<string | undefined>> {
  const { balancer, one } = deployment
  const body = new URLSearchParams({ api_token_once: one.endpoints.token })
  const headers = { origin: balancer.origin }
  const reply = await fetch(`${balancer.origin}/gate`, { method: 'POST', redirect: 'manual', headers, body })
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? ''
  return async (area) => {
    const page = await (await fetch(`${balancer.origin}/${area}`, { headers: { cookie } })).text()
    return /aria-current="page">(?<name>\w+)</.exec(page)?.groups?.['name']
  }
}

async function openSession(): Promise<string> {
  const clientInfo = { name: 'test', version: '0' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const reply = await post({ id: 1, method: 'initialize', params })
  const id = reply.headers.get('mcp-session-id') ?? ''
  await reply.text()
  await (await post({ method: 'notifications/initialized' }, { 'mcp-session-id': id })).text()
  return id
}

async function listTools(session: string): Promise<Response> {
  const reply = await post({ id: 2, method: 'tools/list' }, { 'mcp-session-id': session })
  await reply.text()
  return reply
}
