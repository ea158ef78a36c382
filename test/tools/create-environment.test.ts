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

const create = (name: string, args: object = {}) => agent.call('create_environment', { name, ...args })
const environments = async () => (await shop.api.listEnvironments({ product_id: shop.productId })).environments

test('create_environment creates one and says its kind', async () => {
  expect(shown(await create('staging'))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Created environment staging.",
        "data": {
          "environment": {
            "id": "00000000-0000-7000-8000-000000000017",
            "kind": "staging",
            "name": "staging",
          },
          "outcome": "created",
        },
        "next_actions": [
          {
            "args": {
              "environment": "00000000-0000-7000-8000-000000000017",
              "product": "1",
            },
            "tool": "delete_environment",
            "why": "takes it away, only if the user decides so",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Created environment staging.
    product: My product (id 1)
    outcome: created
    environment: id=00000000-0000-7000-8000-000000000017, name=staging, kind=staging
    Next:
    - delete_environment {"product":"1","environment":"00000000-0000-7000-8000-000000000017"} (takes it away, only if the user decides so)",
    }
  `)
  expect((await create('Staging')).text).toMatch(/^There is an environment Staging; nothing was changed\./)
  expect(await environments()).toHaveLength(2)
})

test('one that only events have named is taken over', async () => {
  await shop.crash(5, { environment: 'blue' })
  const preview = await create('blue', { dry_run: true })
  expect(preview.text).toMatch(
    /^Preview, nothing written: would take over environment blue, which only events had named\./,
  )
  const [blue] = (await environments()).filter(({ known }) => known === false)
  expect(blue).toBeDefined()
  expect((await create('blue')).text).toMatch(/^Took over environment blue, which only events had named\./)
  expect((await environments()).every(({ known }) => known === true)).toBe(true)
})

test('a reply that is lost is read again', async () => {
  await using elsewhere = await connectElsewhere(shop, (send) => losing(send, '502'))
  const { text } = await elsewhere.call('create_environment', { name: 'staging' })
  expect(text).toMatch(/^Created environment staging\. The deployment's reply cannot be read; read again, it is done\./)
})
