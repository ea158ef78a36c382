import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject } from '../../../src/lib/objects.ts'
import { startApp, type App } from '../../app.ts'
import { eras, type Connected } from '../clients.ts'
import { POLL_MS, pollClock } from '../watch/poll-clock.ts'
import { subscribe, type Heard } from '../watch/subscribe.ts'
import { connectHttp, serveMcp, type McpServed } from './http-server.ts'
import { addPrincipal, type Principal } from './principals.ts'

const clock = pollClock()
let app: App
let server: McpServed
let people: [Principal, Principal]
beforeAll(async () => {
  app = await startApp()
  people = [await addPrincipal(app, 'alderwood', 'ALDER'), await addPrincipal(app, 'birchbark', 'BIRCH')]
  server = await serveMcp(app, { clock })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await app.close()
})

const gate = ({ product }: Principal) => `tracegate://product/${product}/gate`

/** The only product whose name begins so: for each of the two their own. */
const sharedAddress = 'tracegate://product/Product/gate'

/** The gate of the person's product gets another verdict. */
async function changeGate({ product, mark, token }: Principal, round: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const must = async (path: string, body: object) =>
    expect(await app.request('POST', `/v1/products/${product}/${path}`, body, headers)).toMatchObject({ status: 200 })
  await must('requirements', { title: `Round ${String(round)} of ${mark}`, status: 'APPROVED', priority: 'CRITICAL' })
  await must('quality-gate:compute', {})
}

/** Everything that the server sends to a client from now on by itself; a refusal repeats what was asked for. */
function everythingSent({ client }: Connected): unknown[] {
  const sent: unknown[] = []
  // The two clients differ in types alone.
  const transport = client.transport as { onmessage?: (message: unknown, extra?: unknown) => void }
  const receive = transport.onmessage
  transport.onmessage = (message, extra) => {
    if (isObject(message) && 'method' in message) sent.push(message)
    receive?.(message, extra)
  }
  return sent
}

interface Open {
  me: Principal
  other: Principal
  sent: unknown[]
  heard: Heard
}

test('an open stream of one person brings their own changes, and nothing while the things of the other change', async () => {
  await using clients = new AsyncDisposableStack()
  const streams: Open[] = []
  for (const [index, me] of people.entries()) {
    const other = people[1 - index]!
    for (const era of eras) {
      const agent = clients.use(await connectHttp(`${server.base}/mcp`, me.token, era))
      const sent = everythingSent(agent)
      // The second person names what is watched already, by somebody who may see it.
      const refused = index === 1 ? [await subscribe(agent, gate(other)).catch(String)] : []
      expect(refused).toEqual(refused.map(() => expect.stringMatching(/not honoured|not found/)))
      streams.push({ me, other, sent, heard: await subscribe(agent, sharedAddress) })
    }
  }
  const changes = people.map(() => 0)
  for (const who of [0, 0, 1, 0, 1, 1]) {
    changes[who]! += 1
    await changeGate(people[who]!, changes[who]!)
    await expect
      .poll(() => {
        clock.pass(POLL_MS)
        return streams.filter(({ me }) => me === people[who]).map(({ heard }) => heard.updates.length)
      })
      .toEqual(eras.map(() => changes[who]))
  }
  for (const { other, sent, heard } of streams) {
    expect(heard.updates).toEqual([sharedAddress, sharedAddress, sharedAddress])
    const text = JSON.stringify(sent)
    expect(text).toContain(sharedAddress)
    expect([other.mark, gate(other)].filter((word) => text.includes(word))).toEqual([])
  }
  expect(server.errors).toEqual([])
})
