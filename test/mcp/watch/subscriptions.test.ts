import { Client } from '@modelcontextprotocol/client'
import type { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createApi } from '../../../src/client/client.ts'
import { gate } from '../../../resources/gate.ts'
import { surface } from '../../../src/surface.ts'
import { origin, startApp, type App } from '../../app.ts'
import { openShop, type Shop } from '../../service/gate/shop.ts'
import { tokenHeaders } from '../../service/people.ts'
import { connect, eras, type Connected, type Era } from '../clients.ts'
import { connectHttp, serveMcp, type McpServed } from '../http/http-server.ts'
import { rawClient } from '../tasks/raw-client.ts'
import { POLL_MS, pollClock } from './poll-clock.ts'
import { listened, subscribe, type Heard } from './subscribe.ts'

/** The addresses of these that a client may subscribe to at once. */
async function accepted({ client }: Connected, uris: string[]): Promise<string[] | undefined> {
  if (client instanceof Client && client.getNegotiatedProtocolVersion() === '2026-07-28') {
    return (await listened(client, ...uris)).honoredFilter.resourceSubscriptions
  }
  const outcomes = await Promise.allSettled(uris.map((uri) => client.subscribeResource({ uri })))
  return uris.filter((_, index) => outcomes[index]?.status === 'fulfilled')
}

const memberRole = 'WORKSPACE_ROLE_MEMBER'

let app: App
let shop: Shop
let address: string
let clock: ReturnType<typeof pollClock>
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  shop = await openShop(app)
  address = `tracegate://product/${shop.path.split('/').at(-1) ?? ''}/gate`
  clock = pollClock()
})

/** A client of the era over the transport; the owner's unless there is another token. */
async function connectOver(transport: 'stdio' | 'http', era: Era, token = app.token) {
  if (transport === 'stdio') {
    return connect(createApi({ send: app.service.direct, baseUrl: origin, token }), { era, clock })
  }
  served ??= await serveMcp(app, { clock })
  return connectHttp(`${served.base}/mcp`, token, era)
}
let served: McpServed | undefined
afterEach(async () => {
  await served?.[Symbol.asyncDispose]()
  served = undefined
})

/** Lets polls pass until so many updates have come. */
async function hears({ updates }: Heard, count: number): Promise<void> {
  await expect
    .poll(() => {
      clock.pass(POLL_MS)
      return updates.length
    })
    .toBe(count)
}

const doors = (['stdio', 'http'] as const).flatMap((transport) => eras.map((era) => [transport, era] as const))

describe.each(doors)('over %s a client of %s', (transport, era) => {
  test('hears of each change of the gate once, until it unsubscribes', async () => {
    await using agent = await connectOver(transport, era)
    const heard = await subscribe(agent, address)
    expect(clock.polls()).toBe(1)
    await shop.requirement()
    await shop.compute()
    await hears(heard, 1)
    await shop.requirement()
    await hears(heard, 2)
    await shop.compute()
    await hears(heard, 3)
    expect(new Set(heard.updates)).toEqual(new Set([address]))
    await heard.stop()
    await expect.poll(() => clock.polls()).toBe(0)
  })

  test('whose connection ends is not polled for any more', async () => {
    const agent = await connectOver(transport, era)
    await subscribe(agent, address)
    await agent[Symbol.asyncDispose]()
    // A session of the 2025 revisions waits for its client to come back: its time passes without a read.
    const due = transport === 'http' && era !== '2026-07-28' ? 1 : 0
    await expect
      .poll(() => {
        if (due === 1) clock.pass(POLL_MS)
        return clock.polls()
      })
      .toBe(due)
    await served?.[Symbol.asyncDispose]()
    expect(clock.polls()).toBe(0)
  })

  test('cannot subscribe to what it may not read, nor to what does not change', async () => {
    const { authorization } = await tokenHeaders(app, { stranger: true })
    await using agent = await connectOver(transport, era, authorization.replace('Bearer ', ''))
    await expect(subscribe(agent, address)).rejects.toThrow(/not honoured|product not found/)
    await expect(subscribe(agent, 'tracegate://docs/ids')).rejects.toThrow(/not honoured|cannot be subscribed to/)
    expect(clock.polls()).toBe(0)
  })

  test('that loses the product hears so once, and then is not polled for', async () => {
    const { authorization } = await tokenHeaders(app, { member: 'Ben' })
    await using agent = await connectOver(transport, era, authorization.replace('Bearer ', ''))
    const heard = await subscribe(agent, address)
    await app.db.write((rows) => rows.deleteFrom('workspace_member').where('role', '=', memberRole).execute())
    await hears(heard, 1)
    expect(clock.polls()).toBe(0)
  })
})

describe.each(eras)('over http, clients of %s', (era) => {
  test('with the same token share the reads of an address, and each hears of the change', async () => {
    await using one = await connectOver('http', era)
    await using other = await connectOver('http', era)
    const heard = [await subscribe(one, address), await subscribe(other, address)]
    expect(clock.polls()).toBe(1)
    await shop.compute()
    await Promise.all(heard.map((each) => hears(each, 1)))
    await heard[0]?.stop()
    await expect.poll(() => clock.polls()).toBe(1)
    await shop.requirement()
    await hears(heard[1]!, 2)
  })

  test('hear only of what their own token may read', async () => {
    const { authorization } = await tokenHeaders(app, { member: 'Ben' })
    await using owner = await connectOver('http', era)
    await using ben = await connectOver('http', era, authorization.replace('Bearer ', ''))
    const heard = { owner: await subscribe(owner, address), ben: await subscribe(ben, address) }
    expect(clock.polls()).toBe(2)
    await app.db.write((rows) => rows.updateTable('token').set({ revoked_at: 1 }).where('name', '=', 'test').execute())
    await hears(heard.ben, 1)
    await expect.poll(() => clock.polls()).toBe(1)
    await shop.compute()
    await hears(heard.owner, 1)
    expect(heard.ben.updates).toHaveLength(1)
  })

  test('can subscribe to 50 addresses at once', async () => {
    const thing = { ...gate, uriTemplate: 'tracegate://thing/{id}', watch: () => Promise.resolve({ value: 'as ever' }) }
    served = await serveMcp(app, { clock, surface: { ...surface, templates: [thing] } })
    await using agent = await connectOver('http', era)
    const uris = Array.from({ length: 51 }, (_, index) => `tracegate://thing/${String(index)}`)
    expect(await accepted(agent, uris)).toEqual(uris.slice(0, 50))
    expect(clock.polls()).toBe(50)
  })
})

test('a request to listen that is refused watches nothing', async () => {
  await using modern = await rawClient(app.api, { clock })
  const notifications = { toolsListChanged: 'yes', resourceSubscriptions: [address] }
  const { error } = await modern.request('subscriptions/listen', { notifications })
  expect(error).toMatchObject({ code: -32_602 })
  expect(clock.polls()).toBe(0)
  // The 2025 revisions do not have the method.
  await using older = await connect(app.api, { era: 'sdk 1.32', clock })
  const listen = { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [address] } } }
  await expect((older.client as OlderClient).request(listen, z.object({}))).rejects.toMatchObject({ code: -32_601 })
  expect(clock.polls()).toBe(0)
})

test.each(['stdio', 'http'] as const)(
  'over %s, who listens to more than 50 addresses hears of the first 50',
  async (transport) => {
    await using agent = await connectOver(transport, '2026-07-28')
    const elsewhere = Array.from({ length: 60 }, (_, index) => `tracegate://nothing/${String(index)}`)
    expect(
      await accepted(agent, [...elsewhere.slice(0, 49), ...elsewhere.slice(0, 49), address, ...elsewhere]),
    ).toEqual([address])
    expect((await accepted(agent, [...elsewhere, address])) ?? []).toEqual([])
  },
)
