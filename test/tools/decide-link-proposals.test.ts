import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { yesTo } from '../mcp/say-yes.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

const options = { toolsets: ['default', 'branches'] }
let shop: QualityShop
let agent: Connected
let branchId: string
/** Ids of the proposals by the key of their requirement: TC-2 proves REQ-3 and REQ-4. */
const proposals: Record<string, string> = {}
beforeAll(async () => {
  shop = await openQualityShop()
  agent = await connect(shop.api, { options })
  branchId = (await shop.api.createBranch({ product_id: shop.productId, name: 'pricing' })).branch.id
  for (const key of ['REQ-3', 'REQ-4']) proposals[key] = await propose('TC-2', shop.ids[key] ?? '')
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

async function propose(test: string, requirement_id: string): Promise<string> {
  const request = { test_id: shop.ids[test] ?? '', requirement_id, branch_id: branchId }
  return (await shop.api.linkTest(request)).proposal?.id ?? ''
}

const decide = (args: object, on = agent) => on.call('decide_link_proposals', { branch: 'pricing', ...args })

async function states() {
  const { link_proposals: rows } = await shop.api.listLinkProposals({
    branch_id: branchId,
    state: ['LINK_PROPOSAL_STATE_PENDING', 'LINK_PROPOSAL_STATE_APPROVED', 'LINK_PROPOSAL_STATE_REJECTED'],
  })
  return Object.fromEntries(
    rows.map(({ requirement, state = '' }) => [requirement?.key, state.replace('LINK_PROPOSAL_STATE_', '')]),
  )
}

test('decide_link_proposals decides each, says what failed, and names the call that undoes it', async () => {
  const called = await decide({ accept: [proposals['REQ-3'], 'no-such-proposal'], reject: [proposals['REQ-4']] })
  expect(shown(called)).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "1 proposal accepted, 1 proposal rejected, 1 proposal failed. On quality branch pricing.",
        "data": {
          "branch": {
            "id": "00000000-0000-7000-8000-000000000041",
            "name": "pricing",
          },
          "rows": [
            {
              "id": "00000000-0000-7000-8000-000000000046",
              "link": "TC-2 proves REQ-3",
              "outcome": "accepted",
            },
            {
              "error": "not_found: no such proposal on this branch",
              "id": "no-such-proposal",
              "outcome": "failed",
            },
            {
              "id": "00000000-0000-7000-8000-000000000051",
              "link": "TC-2 proves REQ-4",
              "outcome": "rejected",
            },
          ],
          "still_open": 0,
        },
        "next_actions": [
          {
            "args": {
              "branch": "pricing",
              "product": "1",
            },
            "tool": "review_branch",
            "why": "what the merge changes now",
          },
          {
            "args": {
              "accept": [
                "00000000-0000-7000-8000-000000000051",
              ],
              "branch": "pricing",
              "product": "1",
              "reject": [
                "00000000-0000-7000-8000-000000000046",
              ],
            },
            "tool": "decide_link_proposals",
            "why": "decides them the other way, if the user wants that",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "1 proposal accepted, 1 proposal rejected, 1 proposal failed. On quality branch pricing.
    product: My product (id 1)
    branch: id=00000000-0000-7000-8000-000000000041, name=pricing
    rows (id | link | outcome | error):
    00000000-0000-7000-8000-000000000046 | TC-2 proves REQ-3 | accepted | -
    no-such-proposal | - | failed | not_found: no such proposal on this branch
    00000000-0000-7000-8000-000000000051 | TC-2 proves REQ-4 | rejected | -
    still_open: 0
    Next:
    - review_branch {"product":"1","branch":"pricing"} (what the merge changes now)
    - decide_link_proposals {"product":"1","branch":"pricing","accept":["00000000-0000-7000-8000-000000000051"],"reject":["00000000-0000-7000-8000-000000000046"]} (decides them the other way, if the user wants that)",
    }
  `)
  expect(await states()).toEqual({ 'REQ-3': 'APPROVED', 'REQ-4': 'REJECTED' })
})

test('what is decided so already is not sent again, and a preview writes nothing', async () => {
  const again = await decide({ accept: [proposals['REQ-3']] })
  expect(again.text).toMatch(/^1 proposal decided so already\. On quality branch pricing\./)
  const preview = await decide({ accept: [proposals['REQ-4']], dry_run: true })
  expect(preview.text).toMatch(/^Preview, nothing written: 1 proposal would be accepted\./)
  expect(await states()).toEqual({ 'REQ-3': 'APPROVED', 'REQ-4': 'REJECTED' })
})

test('a call without a list, and one with an id in both lists, are refused', async () => {
  expect((await decide({})).text).toContain('you sent: neither accept nor reject')
  const both = [proposals['REQ-3']]
  expect((await decide({ accept: both, reject: both })).text).toContain('the same id in accept and in reject')
})

test('more than ten need a person, who sees each link', async () => {
  const asked: string[] = []
  await using asking = await connect(shop.api, { options, user: yesTo(asked) })
  const titles = Array.from({ length: 11 }, (_, at) => `Rule ${String(at)}`)
  const ids = await Promise.all(
    titles.map(async (title) => {
      const { requirement } = await shop.api.createRequirement({ product_id: shop.productId, title })
      return propose('TC-3', requirement.id)
    }),
  )
  expect((await decide({ accept: ids })).text).toContain('(confirmation_required')
  const { text } = await decide({ accept: ids }, asking)
  expect(text).toMatch(/^11 proposals accepted\./)
  expect(asked[0]).toContain('Decide 11 link proposals of quality branch pricing')
  expect(asked[0]).toContain('TC-3 proves REQ-5')
})

test('a reply that is lost is looked for among the proposals', async () => {
  await using elsewhere = await connectElsewhere(shop, (send) => losing(send, '502'))
  const { text } = await decide({ accept: [proposals['REQ-4']] }, elsewhere)
  expect(text).toMatch(/^1 proposal accepted\. The deployment's reply cannot be read; read again, it is done\./)
})
