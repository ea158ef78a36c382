import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { openShop, shown, type Shop } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

let shop: Shop
let agent: Connected
beforeEach(async () => {
  shop = await openShop()
  agent = await connect(shop.api, { options: { toolsets: ['default', 'setup'] } })
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

const create = (args: object) => agent.call('create_product', { name: 'Mobile App', ...args })

async function products() {
  const { workspaces } = await shop.api.listWorkspaces({})
  return (await shop.api.listProducts({ workspace_id: workspaces[0]?.id ?? '' })).products
}

test('create_product creates a product and returns its DSN; again, it returns the same one', async () => {
  const { text, structured } = shown(await create({})) as { text: string; structured: { data: object } }
  const key = /http:\/\/([0-9a-f]{32})@/.exec(text)?.[1] ?? 'no key'
  expect(JSON.parse(JSON.stringify({ text, structured }).replaceAll(key, 'KEY'))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Created Mobile App.",
        "data": {
          "outcome": "created",
          "product": {
            "dsn": "http://KEY@127.0.0.1:4319/2",
            "id": "2",
            "key_prefix": "MA",
            "name": "Mobile App",
            "workspace": "Workspace",
          },
          "undo": "no call deletes a product",
        },
        "next_actions": [
          {
            "args": {
              "product": "2",
            },
            "tool": "verify_setup",
            "why": "what it still needs",
          },
        ],
      },
      "text": "Created Mobile App.
    outcome: created
    product: id=2, name=Mobile App, key_prefix=MA, workspace=Workspace, dsn=http://KEY@127.0.0.1:4319/2
    undo: no call deletes a product
    Next:
    - verify_setup {"product":"2"} (what it still needs)",
    }
  `)
  const again = await create({ name: 'mobile app' })
  expect(again.text).toMatch(/^Mobile App exists already; nothing was changed\./)
  expect(again.text).toContain(key)
  expect(await products()).toHaveLength(2)
})

test('a preview writes nothing and shows no DSN', async () => {
  const { text } = await create({ dry_run: true })
  expect(text).toMatch(/^Preview, nothing written: would create Mobile App\./)
  expect(text).not.toContain('dsn')
  expect(await products()).toHaveLength(1)
})

test('a workspace that is not there, and a server that is pinned to a product, create nothing', async () => {
  expect((await create({ workspace: 'Elsewhere' })).text).toContain('error: workspace not found')
  await using pinned = await connect(shop.api, { options: { toolsets: ['setup'], product: shop.productId } })
  const { text } = await pinned.call('create_product', { name: 'Mobile App' })
  expect(text).toContain('this server is pinned to one product, so it creates no other (feature_disabled')
  expect(await products()).toHaveLength(1)
})

test('a reply that is lost is read again', async () => {
  await using elsewhere = await connectElsewhere(shop, (send) => losing(send, '502'))
  const { text } = await elsewhere.call('create_product', { name: 'Mobile App' })
  expect(text).toMatch(/^Created Mobile App\. The deployment's reply cannot be read; read again, it is done\./)
  expect(await products()).toHaveLength(2)
})
