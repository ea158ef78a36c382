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

const cart = { name: 'Cart', globs: ['src/cart/**'], owners: ['Team Cart', 'ada@example.org'] }
const components = async () => (await shop.api.listComponents({ product_id: shop.productId })).components

test('create_component creates a component with its globs and owners, and names the issues in its files', async () => {
  expect(shown(await agent.call('create_component', cart))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Created component Cart.",
        "data": {
          "component": {
            "criticality": "medium",
            "globs": [
              "src/cart/**",
            ],
            "id": "00000000-0000-7000-8000-000000000017",
            "name": "Cart",
            "owners": [
              "Team Cart",
              "ada@example.org",
            ],
          },
          "outcome": "created",
          "undo": "no call deletes a component",
        },
        "next_actions": [
          {
            "args": {
              "component": "00000000-0000-7000-8000-000000000017",
              "product": "1",
            },
            "tool": "find_error_issues",
            "why": "the issues in its files",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Created component Cart.
    product: My product (id 1)
    outcome: created
    component: id=00000000-0000-7000-8000-000000000017, name=Cart, criticality=medium, globs=["src/cart/**"], owners=["Team Cart","ada@example.org"]
    undo: no call deletes a component
    Next:
    - find_error_issues {"product":"1","component":"00000000-0000-7000-8000-000000000017"} (the issues in its files)",
    }
  `)
  const made = (await components()).find(({ name }) => name === 'Cart')
  expect(made?.owners?.map(({ kind }) => kind)).toEqual(['OWNER_KIND_TEAM', 'OWNER_KIND_EMAIL'])
})

test('a component of that name stays as it is, and says when its globs are others', async () => {
  const same = await agent.call('create_component', { name: 'checkout', globs: ['src/checkout/**'] })
  expect(same.text).toMatch(/^There is a component checkout; nothing was changed\./)
  const other = await agent.call('create_component', { name: 'Checkout', globs: ['src/pay/**'] })
  expect(other.text).toMatch(/^There is a component Checkout with other globs, which no call changes\./)
  expect(await components()).toHaveLength(1)
})

test('a preview writes nothing and names globs of others that match the same files', async () => {
  const { text } = await agent.call('create_component', { name: 'Pay', globs: ['src/checkout/pay/**'], dry_run: true })
  expect(text).toMatch(/^Preview, nothing written: would create component Pay; 1 glob of others match the same files\./)
  expect(text).toContain('checkout')
  expect(await components()).toHaveLength(1)
})

test('a reply that is lost is read again', async () => {
  await using elsewhere = await connectElsewhere(shop, (send) => losing(send, '502'))
  const { text } = await elsewhere.call('create_component', cart)
  expect(text).toMatch(/^Created component Cart\. The deployment's reply cannot be read; read again, it is done\./)
  expect(elsewhere.writes()).toHaveLength(1)
})
