import { randomBytes } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Connected } from '../mcp/clients.ts'
import { startBalancer } from '../mcp/http/balancer.ts'
import { connectHttp } from '../mcp/http/http-server.ts'
import { servePublished } from '../cli/published.ts'
import type { Served } from '../serve.ts'
import { createDatabase, type TestDatabase } from './databases.ts'

const secret = randomBytes(32).toString('hex')
let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const start = () =>
  servePublished({ env: { TRACEGATE_DATABASE_URL: database.url, TRACEGATE_SECRET: secret, TRACEGATE_TOOLSETS: 'all' } })

/** The addresses that the client hears to have changed. */
function hear({ client }: Connected): string[] {
  const heard: string[] = []
  if (client instanceof Client) {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
  } else client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
  return heard
}

/** Ends the session of the client, as one that is done with it does. */
async function endSession({ client: { transport } }: Connected): Promise<string> {
  if (!(transport instanceof StreamableHTTPClientTransport || transport instanceof OlderTransport)) {
    throw new Error('the client has no session')
  }
  const id = transport.sessionId ?? ''
  await transport.terminateSession()
  return id
}

test.each(['2025-11-25', 'sdk 1.32'] as const)(
  'a client of %s behind a balancer does not notice that one of two processes is killed',
  async (era) => {
    await using one = await start()
    await using two = await start()
    const processes: Served[] = [one, two]
    const { token, product_id: product } = one.endpoints
    const create = async (title: string) => {
      const path = `/v1/products/${product}/requirements`
      return (await one.rest<{ requirement: { key: string } }>('POST', path, { title })).requirement.key
    }
    let key = await create('Orders are kept')
    await using balancer = await startBalancer(processes.map(({ endpoints }) => new URL(endpoints.mcp).origin))
    const places = (what: string) => balancer.passed.filter((each) => each.what === what).map(({ to }) => to)
    const user = () => ({
      action: 'accept' as const,
      content: { decision: 'confirm', type_to_confirm: key, note: 'x'.repeat(10_000) },
    })
    await using agent = await connectHttp(`${balancer.base}/mcp`, token, era, {}, user)
    const heard = hear(agent)
    await expect.poll(() => places('GET')).toHaveLength(1)

    expect((await agent.list()).map(({ name }) => name)).toContain('delete_requirement')
    expect((await agent.call('list_requirements')).text).toContain('Orders are kept')
    const remove = async () =>
      (await agent.call('delete_requirement', { requirement: key, reason: 'Not wanted.' })).text
    expect(await remove()).toContain(`Deleted ${key}`)
    expect(places('answer')).toEqual(
      places('tools/call')
        .slice(-1)
        .map((to) => 1 - to),
    )

    const address = `tracegate://product/${product}/gate`
    await agent.client.subscribeResource({ uri: address })
    const [listening = 0] = places('GET').slice(-1)
    await processes[listening]?.kill()
    const left = processes[1 - listening]
    await left?.rest('POST', `/v1/products/${product}/quality-gate:compute`, {})
    await expect.poll(() => heard).toEqual([address])

    expect((await agent.call('list_requirements')).isError).toBe(false)
    const path = `/v1/products/${product}/requirements`
    key = (await left?.rest<{ requirement: { key: string } }>('POST', path, { title: 'Again' }))?.requirement.key ?? ''
    expect(await remove()).toContain(`Deleted ${key}`)

    const id = await endSession(agent)
    const headers = { authorization: `Bearer ${token}`, 'mcp-session-id': id, accept: 'text/event-stream' }
    expect((await fetch(left?.endpoints.mcp ?? '', { headers })).status).toBe(404)
  },
)
