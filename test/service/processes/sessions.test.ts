import { Client } from '@modelcontextprotocol/client'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gate } from '../../../resources/gate.ts'
import type { ConfirmOptions } from '../../../src/mcp/confirm/options.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'
import { startApp, type App } from '../../app.ts'
import type { Answered, Connected, User } from '../../mcp/clients.ts'
import { startBalancer, type Balancer } from '../../mcp/http/balancer.ts'
import { connectHttp, serveMcp, type McpServed } from '../../mcp/http/http-server.ts'
import { thingSurface, type Thing } from '../../mcp/confirm/things.ts'
import { POLL_MS, pollClock } from '../../mcp/watch/poll-clock.ts'
import { tokenHeaders } from '../people.ts'

const ADDRESS = 'test://state/1'
const yes: Answered = { action: 'accept', content: { decision: 'confirm', type_to_confirm: 'REQ-12' } }
const args = { thing: 'REQ-12', reason: 'The user asked.' }

let state = 0
const thing: Thing = { text: '', written: [] }
const surface: Surface = {
  ...thingSurface(thing),
  templates: [
    {
      ...gate,
      uriTemplate: 'test://state/{id}',
      tool: 'change_things',
      watch: () => Promise.resolve({ value: state }),
    },
  ],
}

let apps: App[]
let doors: McpServed[]
let clock: ReturnType<typeof pollClock>
let balancer: Balancer
let now: number
beforeEach(async () => {
  Object.assign(thing, { text: 'Orders are kept.', written: [] })
  state = 0
  now = Date.now()
  clock = pollClock()
  const app = await startApp()
  apps = [app, await startApp({ dataDir: app.dataDir })]
  doors = await Promise.all(apps.map((each) => openDoor(each)))
  balancer = await startBalancer(doors.map(({ base }) => base))
})
afterEach(async () => {
  await balancer[Symbol.asyncDispose]()
  for (const door of doors) await door[Symbol.asyncDispose]()
  for (const app of apps.toReversed()) await app.close()
})

function openDoor(app: App): Promise<McpServed> {
  const confirm: ConfirmOptions = {
    mode: 'ask',
    secret: () => 'a secret of all processes, long enough',
    used: app.service.used,
  }
  return serveMcp(app, { surface, confirm, clock, sessions: app.service.sessions, now: () => now })
}

const token = () => apps[0]?.token ?? ''
const connectTo = (base: string, era: (typeof eras)[number], user?: User) =>
  connectHttp(`${base}/mcp`, token(), era, {}, user)

/** The addresses that the client hears to have changed. */
function hear({ client }: Connected): string[] {
  const heard: string[] = []
  if (client instanceof Client) {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
  } else client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
  return heard
}

/** Lets time pass until it is so. */
async function passUntil(isSo: () => boolean, ms = POLL_MS): Promise<void> {
  await expect
    .poll(
      () => {
        clock.pass(ms)
        return isSo()
      },
      { timeout: 10_000, interval: 20 },
    )
    .toBe(true)
}

/** Waits until the client listens at a server: it opens its stream after it has connected. */
async function listens(): Promise<number> {
  await expect.poll(() => balancer.passed.some(({ what }) => what === 'GET')).toBe(true)
  return balancer.passed.findLast(({ what }) => what === 'GET')?.to ?? -1
}

const eras = ['2025-11-25', 'sdk 1.32'] as const

describe.each(eras)('a client of %s whose requests go to two processes in turn', (era) => {
  test('calls tools and lists them at both', async () => {
    await using agent = await connectTo(balancer.base, era)
    for (let round = 0; round < 3; round += 1) {
      expect((await agent.list()).map(({ name }) => name)).toContain('change_things')
      expect((await agent.call('change_things', { ...args, dry_run: true })).text).toContain('Would clear it.')
    }
    const used = balancer.passed.filter(({ what }) => what === 'tools/call').map(({ to }) => to)
    const listed = balancer.passed.filter(({ what }) => what === 'tools/list').map(({ to }) => to)
    expect(new Set([...used, ...listed])).toEqual(new Set([0, 1]))
    expect(doors.flatMap(({ errors }) => errors)).toEqual([])
  })

  test('answers a form at another process than the one whose call waits', async () => {
    const long = { ...yes, content: { ...yes.content, note: 'x'.repeat(20_000) } }
    await using agent = await connectTo(balancer.base, era, () => long)
    await listens()
    for (let round = 0; round < 2; round += 1) {
      thing.written = []
      let text = ''
      void agent.call('delete_thing', args).then((called) => (text = called.text))
      await passUntil(() => text !== '', 500)
      expect(text).toContain('Cleared.')
      expect(thing.written).toMatchObject([{ confirmed: { way: 'form' } }])
    }
    const places = (what: string) => balancer.passed.filter((each) => each.what === what).map(({ to }) => to)
    expect(places('answer')).toEqual(places('tools/call').map((to) => 1 - to))
    expect(doors.flatMap(({ errors }) => errors)).toEqual([])
  })

  test('hears at one process of what it subscribed to at another one, until it unsubscribes', async () => {
    await using agent = await connectTo(balancer.base, era)
    const heard = hear(agent)
    const listening = await listens()
    // The next request goes to the other one.
    if (balancer.passed.at(-1)?.to !== listening) await agent.list()
    await agent.client.subscribeResource({ uri: ADDRESS })
    expect(balancer.passed.at(-1)).toEqual({ to: 1 - listening, what: 'resources/subscribe' })
    state += 1
    await passUntil(() => heard.length > 0)
    await agent.client.unsubscribeResource({ uri: ADDRESS })
    await passUntil(() => clock.polls() === 0, 500)
    state += 1
    clock.pass(POLL_MS)
    await agent.list()
    expect(heard).toEqual([ADDRESS])
  })

  test('goes on at the other process when one dies, and hears what changed meanwhile', async () => {
    await using agent = await connectTo(balancer.base, era, () => yes)
    const heard = hear(agent)
    const listening = await listens()
    await agent.client.subscribeResource({ uri: ADDRESS })
    await doors[listening]?.[Symbol.asyncDispose]()
    state += 1
    await passUntil(() => heard.length > 0, 500)
    expect(balancer.passed.findLast(({ what }) => what === 'GET')?.to).toBe(1 - listening)
    expect((await agent.call('delete_thing', args)).text).toContain('Cleared.')
    expect((await agent.list()).length).toBeGreaterThan(0)
    expect(heard).toEqual([ADDRESS])
  })
})

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const listTools = { method: 'tools/list', params: {} }

/** One request to a process as it is, in a session or to open one. */
async function ask(
  door: number,
  {
    session,
    message,
    headers = {},
    ...more
  }: { session?: string; message?: object; method?: string; headers?: object },
) {
  const answer = await fetch(`${doors[door]?.base ?? ''}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token()}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...headers,
    },
    ...(message && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) }),
    ...more,
  })
  let text = ''
  const ended = (async () => {
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece
  })().catch(() => undefined)
  return { status: answer.status, received: () => text, ended, id: answer.headers.get('mcp-session-id') ?? '' }
}

async function openSession(door: number): Promise<string> {
  const { id, ended } = await ask(door, { message: initialize })
  await ended
  return id
}

const statuses = (session: string) =>
  Promise.all([0, 1].map(async (door) => (await ask(door, { session, message: listTools })).status))

test('DELETE at one process ends a session in all, with the stream that it has at another one', async () => {
  const session = await openSession(0)
  const stream = await ask(0, { session, method: 'GET' })
  expect((await ask(1, { session, method: 'DELETE' })).status).toBe(200)
  expect(await statuses(session)).toEqual([404, 404])
  // It ends with the next look at the latest.
  let isEnded = false
  void stream.ended.then(() => (isEnded = true))
  await passUntil(() => isEnded, 2_000)
})

test('no process answers another token, or another address, in a session', async () => {
  const session = await openSession(0)
  const other = await tokenHeaders(apps[0]!)
  expect((await ask(1, { session, message: listTools, headers: other })).status).toBe(404)
  expect((await ask(1, { session, message: listTools, headers: { 'x-mcp-readonly': 'true' } })).status).toBe(404)
  expect(await statuses(session)).toEqual([200, 200])
})

test('a token has 50 sessions in all processes: the least recently used one ends first', async () => {
  const [first, second] = [await openSession(0), await openSession(1)]
  now += 60_000
  expect(await statuses(first)).toEqual([200, 200])
  for (let count = 0; count < 49; count += 1) await openSession(count % 2)
  expect([await statuses(first), await statuses(second)]).toEqual([
    [200, 200],
    [404, 404],
  ])
})

test('a session ends half an hour after its last use at any process, which is noted once a minute', async () => {
  const session = await openSession(0)
  const notedAt = async () =>
    (await apps[0]!.db.read.selectFrom('mcp_session').select('used_at').executeTakeFirstOrThrow()).used_at
  const opened = await notedAt()
  now += 59_000
  expect([await statuses(session), await notedAt()]).toEqual([[200, 200], opened])
  now += 29 * 60_000
  expect([await statuses(session), await notedAt()]).toEqual([[200, 200], now])
  now += 31 * 60_000
  expect(await statuses(session)).toEqual([404, 404])
})

test('sessions from a time when the clock was a day ahead displace no new ones, and one that is used goes on', async () => {
  const day = 24 * 60 * 60_000
  now += day
  const used = await openSession(0)
  for (let count = 0; count < 49; count += 1) await openSession(0)
  now -= day
  expect(await statuses(used)).toEqual([200, 200])
  const later = await openSession(0)
  expect([await statuses(later), await statuses(used)]).toEqual([
    [200, 200],
    [200, 200],
  ])
})

test('a process whose clock is behind ends no session of the others when one is opened at it', async () => {
  const session = await openSession(0)
  now -= 2 * 60 * 60_000
  const behind = await openSession(1)
  expect(await statuses(behind)).toEqual([200, 200])
  now += 2 * 60 * 60_000
  expect(await statuses(session)).toEqual([200, 200])
})

test('a session goes on after all processes were started again', async () => {
  const session = await openSession(0)
  for (const door of doors) await door[Symbol.asyncDispose]()
  doors = await Promise.all(apps.map((app) => openDoor(app)))
  expect(await statuses(session)).toEqual([200, 200])
})

test('a call that is cancelled at another process ends where it runs', async () => {
  const params = { ...initialize.params, capabilities: { elicitation: {} } }
  const { id: session } = await ask(0, { message: { ...initialize, params } })
  const call = { id: 'call', method: 'tools/call', params: { name: 'delete_thing', arguments: args } }
  const { received, ended } = await ask(0, { session, message: call })
  await expect.poll(received).toContain('elicitation/create')
  const cancel = { method: 'notifications/cancelled', id: undefined, params: { requestId: 'call', reason: 'late' } }
  expect((await ask(1, { session, message: cancel })).status).toBe(202)
  await passUntil(() => received().includes('notifications/cancelled'), 500)
  await ended
  expect(received()).not.toContain('result')
  expect(await statuses(session)).toEqual([200, 200])
})

test('what waits for a process that is gone is bounded, and forgotten after two minutes', async () => {
  const session = await openSession(0)
  const message = { id: 'gone.0', result: { action: 'accept', content: { text: 'x'.repeat(2 ** 20) } } }
  const post = async () => (await ask(1, { session, message })).status
  const codes: number[] = []
  for (let count = 0; count < 6; count += 1) codes.push(await post())
  expect(codes).toEqual([202, 202, 202, 202, 429, 429])
  now += 2 * 60_000 + 1
  expect(await post()).toBe(202)
})
