import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { yesTo } from '../mcp/say-yes.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

const options = { toolsets: ['default', 'branches'] }
const args = { branch: 'pricing', reason: 'the change is cancelled' }

let shop: QualityShop
beforeAll(async () => {
  shop = await openQualityShop()
  await draft('pricing')
})
afterAll(() => shop.close())

/** An open branch with a new requirement and a changed one. */
async function draft(name: string): Promise<string> {
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name, description: 'Prices with tax' })
  const on = { branch_id: branch.id }
  await shop.api.createRequirement({ ...on, product_id: shop.productId, title: 'Prices are shown with tax' })
  await shop.api.updateRequirement({ ...on, id: shop.ids['REQ-2'] ?? '', title: 'The cart shows every total' })
  return branch.id
}

const open = async () => (await shop.api.listBranches({ product_id: shop.productId })).branches.map(({ name }) => name)

test('without a yes the branch stays, and a name in another case is not what is typed', async () => {
  await using decliner = await connect(shop.api, { options, user: () => ({ action: 'decline' }) })
  expect((await decliner.call('delete_quality_branch', args)).text).toContain('declined, or never shown')
  await using typist = await connect(shop.api, {
    options,
    user: () => ({ action: 'accept', content: { decision: 'confirm', type_to_confirm: 'Pricing' } }),
  })
  expect((await typist.call('delete_quality_branch', args)).text).toContain('what was typed is not pricing')
  expect(await open()).toEqual(['pricing'])
})

test('what is drafted after the preview has to be shown again', async () => {
  await using agent = await connect(shop.api, { options })
  const { text } = await agent.call('delete_quality_branch', args)
  const [, confirmation = ''] = /^confirmation: (\S+)$/m.exec(text) ?? []
  const [branch] = (await shop.api.listBranches({ product_id: shop.productId })).branches
  await shop.api.createRequirement({ product_id: shop.productId, branch_id: branch?.id, title: 'Tax is rounded' })
  const late = await agent.call('delete_quality_branch', { ...args, confirmation })
  expect(late.text).toContain('(state_changed')
  expect(late.text).toContain('drafts that are lost was 1 created, 1 modified, is 2 created, 1 modified')
})

test('delete_quality_branch shows a person what is lost, and deletes it once they have typed its name', async () => {
  const asked: string[] = []
  await using agent = await connect(shop.api, { options, user: yesTo(asked) })
  expect(shown(await agent.call('delete_quality_branch', args))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Deleted quality branch pricing with its drafts: 2 created, 1 modified.",
        "data": {
          "branch": {
            "id": "00000000-0000-7000-8000-000000000041",
            "name": "pricing",
          },
          "lost": "2 created, 1 modified",
          "outcome": "deleted",
        },
        "next_actions": [
          {
            "args": {
              "include": [
                "branches",
              ],
              "product": "1",
            },
            "tool": "get_workspace_context",
            "why": "lists the open quality branches",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Deleted quality branch pricing with its drafts: 2 created, 1 modified.
    product: My product (id 1)
    outcome: deleted
    branch: id=00000000-0000-7000-8000-000000000041, name=pricing
    lost: 2 created, 1 modified
    Next:
    - get_workspace_context {"product":"1","include":["branches"]} (lists the open quality branches)",
    }
  `)
  expect(asked[0]?.split('\n').slice(0, 9)).toMatchInlineSnapshot(`
    [
      "Delete quality branch pricing",
      "product: My product (id 1)",
      "about: Prices with tax",
      "drafts that are lost: 2 created, 1 modified",
      "among them: REQ-?1 Prices are shown with tax; REQ-2 The cart shows every total; REQ-?2 Tax is rounded",
      "kept: the main tree, as it is",
      "recorded as: Owner (user 00000000-0000-7000-8000-000000000002)",
      "undo: not possible",
      "reason that the agent gives: "the change is cancelled"",
    ]
  `)
  expect(await open()).toEqual([])
  const { requirement } = await shop.api.getRequirement({ id: shop.ids['REQ-2'] ?? '' })
  expect(requirement.title).toBe('The cart shows its total')
  const again = await agent.call('delete_quality_branch', args)
  expect(again.text).toMatch(/^error: quality branch pricing was closed \(failed_precondition: BRANCH_NOT_OPEN/)
})

test('a reply that is lost is looked for by a read', async () => {
  await draft('search')
  await using elsewhere = await connectElsewhere(shop, (send) => losing(send, '502'))
  const gone = { ...args, branch: 'search' }
  const [, confirmation = ''] =
    /^confirmation: (\S+)$/m.exec((await elsewhere.call('delete_quality_branch', gone)).text) ?? []
  const { text } = await elsewhere.call('delete_quality_branch', { ...gone, confirmation })
  expect(text).toMatch(/^Deleted quality branch search with its drafts: .*read again, it is done\./)
})
