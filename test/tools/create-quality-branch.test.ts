import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { openShop, shown, type Shop } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

let shop: Shop
let agent: Connected
beforeAll(async () => {
  shop = await openShop()
  agent = await connect(shop.api, { options: { toolsets: ['default', 'requirements', 'branches'] } })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

const names = async () =>
  (await shop.api.listBranches({ product_id: shop.productId })).branches.map(({ name = '' }) => name).toSorted()

test('create_quality_branch makes an empty branch and says how to draft on it', async () => {
  expect(shown(await agent.call('create_quality_branch', { name: 'pricing' }))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Created quality branch pricing.",
        "data": {
          "branch": {
            "id": "00000000-0000-7000-8000-000000000017",
            "name": "pricing",
          },
          "how_to_draft": "To draft from a change request: distill_intent with its name as branch. To draft one requirement: save_requirement with its name as branch. Undo: delete_quality_branch.",
          "outcome": "created",
        },
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Created quality branch pricing.
    product: My product (id 1)
    outcome: created
    branch: id=00000000-0000-7000-8000-000000000017, name=pricing
    how_to_draft: To draft from a change request: distill_intent with its name as branch. To draft one requirement: save_requirement with its name as branch. Undo: delete_quality_branch.",
    }
  `)
  expect(await names()).toEqual(['pricing'])
})

test('an open branch of this name stays as it is', async () => {
  const { text } = await agent.call('create_quality_branch', { name: 'Pricing' })
  expect(text).toMatch(/^There is an open quality branch pricing; nothing was changed\./)
  expect(await names()).toEqual(['pricing'])
})

test('a reply that is lost is looked for in the list', async () => {
  await using elsewhere = await connectElsewhere(shop, (send) => losing(send, '502'))
  const { text } = await elsewhere.call('create_quality_branch', { name: 'search' })
  expect(text).toMatch(
    /^Created quality branch search\. The deployment's reply cannot be read; read again, it is done\./,
  )
  expect(await names()).toEqual(['pricing', 'search'])
})
