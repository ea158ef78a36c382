import { expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { createSendEvent, type SendEvent } from '../../src/client/send-event.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { ServiceError } from '../../src/errors.ts'
import { origin } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { yesTo } from '../mcp/say-yes.ts'
import { openShop, shown, type Shop } from './shop.ts'

const options = { toolsets: ['default', 'ingest_dev'] }
const message = 'hello'

function senderTo({ service }: Shop): SendEvent {
  return createSendEvent({ baseUrl: origin, send: service.direct })
}

async function issues({ api, productId: product_id }: Shop) {
  return (await api.listIssues({ product_id })).issues
}

test('send_test_event sends one marked event through the DSN and names the issue that has it', async () => {
  await using shop = await openShop()
  await using agent = await connect(shop.api, { options, sendEvent: senderTo(shop) })
  expect(shown(await agent.call('send_test_event', { message, release: 'shop@1.5.0' }))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Sent a test event. Error tracking works: it is stored.",
        "data": {
          "issue": {
            "id": "00000000-0000-7000-8000-000000000018",
            "short_id": "APP-1",
          },
          "outcome": "found",
        },
        "next_actions": [
          {
            "args": {
              "issue": "00000000-0000-7000-8000-000000000018",
              "product": "1",
            },
            "tool": "get_error_issue",
            "why": "shows the event",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Sent a test event. Error tracking works: it is stored.
    product: My product (id 1)
    outcome: found
    issue: id=00000000-0000-7000-8000-000000000018, short_id=APP-1
    Next:
    - get_error_issue {"product":"1","issue":"00000000-0000-7000-8000-000000000018"} (shows the event)",
    }
  `)
  const { text } = await agent.call('get_error_issue', { issue: 'APP-1' })
  for (const said of ['Test of Tracegate: hello', 'tracegate.test', 'development', 'shop@1.5.0'])
    expect(text).toContain(said)
})

test.each(['http://169.254.169.254', 'https://10.0.0.1', 'http://ingest.example', 'https://user:pass@10.1.2.3'])(
  'a DSN of %s is refused, and nothing is sent',
  async (host) => {
    await using shop = await openShop()
    const dsn = `${host.replace('://', host.includes('@') ? '://' : '://abc123@')}/1`
    const hostile: Send = async (request) => {
      const reply = await shop.service.direct(request)
      const body = typeof reply.body === 'string' ? reply.body.replace(/"dsn":"[^"]*"/g, `"dsn":"${dsn}"`) : reply.body
      return { ...reply, body }
    }
    const api = createApi({ send: hostile, baseUrl: origin, token: shop.token })
    await using agent = await connect(api, { options, sendEvent: createSendEvent({ baseUrl: origin }) })
    const { text, isError } = await agent.call('send_test_event', { message })
    expect(isError).toBe(true)
    expect(text).toContain('the DSN of the deployment is refused')
    expect(text).not.toContain('abc123')
    expect(await issues(shop)).toEqual([])
  },
)

test('where the answer is lost, the event is looked for and never sent again', async () => {
  await using shop = await openShop()
  let sent = 0
  const lost = (arrives: boolean): SendEvent =>
    createSendEvent({
      baseUrl: origin,
      async send(request) {
        sent += 1
        if (arrives) await shop.service.direct(request)
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
      },
    })
  await using agent = await connect(shop.api, { options, sendEvent: lost(false) })
  const unknown = await agent.call('send_test_event', { message })
  expect(unknown.text).toMatch(/outcome_unknown/)
  expect(unknown.text).toMatch(/find_error_issues/)
  await using lucky = await connect(shop.api, { options, sendEvent: lost(true) })
  const found = await lucky.call('send_test_event', { message })
  expect(found.text).toMatch(/read again, it is done/)
  expect(found.text).toMatch(/get_error_issue/)
  expect(sent).toBe(2)
})

test('an event that is refused, redirected or never sent is an error, and its outcome is known', async () => {
  await using shop = await openShop()
  const answers: SendEvent[] = [
    createSendEvent({ baseUrl: origin, send: () => Promise.resolve({ status: 403, headers: {}, body: '' }) }),
    createSendEvent({ baseUrl: origin, send: () => Promise.resolve({ status: 302, headers: {}, body: '' }) }),
    createSendEvent({
      baseUrl: origin,
      send: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    }),
    () => Promise.reject(new ServiceError('resource_exhausted', 'too many events')),
  ]
  for (const sendEvent of answers) {
    await using agent = await connect(shop.api, { options, sendEvent })
    const { text, isError } = await agent.call('send_test_event', { message })
    expect(isError).toBe(true)
    expect(text).not.toContain('outcome_unknown')
  }
})

test.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['PROXY_STATUS_407', 'HTTPS_PROXY asks for a user name and password'],
])('an event that %s keeps from the ingest is not to be sent again, and says what to change', async (code, words) => {
  await using shop = await openShop()
  const send: Send = () => Promise.reject(Object.assign(new Error('no'), { code }))
  await using agent = await connect(shop.api, { options, sendEvent: createSendEvent({ baseUrl: origin, send }) })
  const { text } = await agent.call('send_test_event', { message })
  expect(text).toContain('(misconfigured, not retryable)')
  expect(text).toContain(words)
})

test('an event of production needs a person, and one of another production environment is refused', async () => {
  await using shop = await openShop()
  const asked: string[] = []
  const sendEvent = senderTo(shop)
  await using agent = await connect(shop.api, { options, sendEvent, user: yesTo(asked) })
  await shop.api.createEnvironment({
    product_id: shop.productId,
    name: 'main-site',
    kind: 'ENVIRONMENT_KIND_PRODUCTION',
  })
  const refused = await agent.call('send_test_event', { message, environment: 'Main-Site' })
  expect(refused.text).toContain('that environment is a production environment')
  expect(await issues(shop)).toEqual([])
  expect((await agent.call('send_test_event', { message, environment: 'production' })).text).toMatch(/^Sent/)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('Send a test event to environment production')
  await using alone = await connect(shop.api, { options, sendEvent })
  expect((await alone.call('send_test_event', { message, environment: 'prod-eu' })).text).toContain('confirmation')
})
