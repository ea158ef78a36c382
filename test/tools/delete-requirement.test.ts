import { expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { sayYes, yesTo } from '../mcp/say-yes.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'

const options = { toolsets: ['default', 'requirements'] }
const args = { requirement: 'REQ-2', reason: 'the cart has no total any more' }

async function keys({ api, productId }: QualityShop): Promise<string[]> {
  const { requirements } = await api.listRequirements({ product_id: productId })
  return requirements.map(({ key = '' }) => key).toSorted()
}

test('delete_requirement shows a person what goes, and deletes it once they have typed its key', async () => {
  await using shop = await openQualityShop()
  const asked: string[] = []
  await using agent = await connect(shop.api, { options, user: yesTo(asked) })
  expect(shown(await agent.call('delete_requirement', args))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Deleted REQ-2, 1 linked test.",
        "data": {
          "outcome": "deleted",
          "requirement": {
            "id": "REQ-2",
            "state": "verified",
            "title": "The cart shows its total",
          },
          "tests_kept": [
            "TC-2",
          ],
        },
        "next_actions": [
          {
            "args": {
              "product": "1",
            },
            "tool": "find_coverage_gaps",
            "why": "what is not tested now",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Deleted REQ-2, 1 linked test.
    product: My product (id 1)
    outcome: deleted
    requirement: id=REQ-2, title=The cart shows its total, state=verified
    tests_kept: TC-2
    Next:
    - find_coverage_gaps {"product":"1"} (what is not tested now)",
    }
  `)
  expect(asked[0]?.split('\n').slice(0, 8)).toMatchInlineSnapshot(`
    [
      "Delete requirement REQ-2",
      "product: My product (id 1)",
      "requirement: The cart shows its total",
      "status: approved",
      "priority: high",
      "part of: REQ-1",
      "coverage now: verified",
      "links that are removed: TC-2",
    ]
  `)
  expect(await keys(shop)).toEqual(['REQ-1', 'REQ-3', 'REQ-4'])
  const { test: kept } = await shop.api.getTest({ id: shop.ids['TC-2'] ?? '' })
  expect(kept.key).toBe('TC-2')
  const exclusions = await shop.db.read.selectFrom('exclusion').select(['kind', 'reason']).execute()
  expect(exclusions).toContainEqual({ kind: 'requirement_deleted', reason: args.reason })
})

test('without a yes nothing is deleted, and the link of the page is told', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options, user: () => ({ action: 'decline' }) })
  const { text, isError } = await agent.call('delete_requirement', args)
  expect(isError).toBe(true)
  expect(text).toContain('declined, or never shown')
  expect(text).toContain('links that are removed: TC-2')
  await using typist = await connect(shop.api, {
    options,
    user: () => ({ action: 'accept', content: { decision: 'confirm', type_to_confirm: 'REQ-3' } }),
  })
  expect((await typist.call('delete_requirement', args)).text).toContain('what was typed is not REQ-2')
  expect(await keys(shop)).toEqual(['REQ-1', 'REQ-2', 'REQ-3', 'REQ-4'])
})

test('a client without forms gets a preview, and its confirmation deletes what was shown and nothing else', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const previewed = await agent.call('delete_requirement', args)
  const [, confirmation = ''] = /^confirmation: (\S+)$/m.exec(previewed.text) ?? []
  expect(previewed.text).toContain('Delete requirement REQ-2')
  const other = await agent.call('delete_requirement', { ...args, requirement: 'REQ-3', confirmation })
  expect(other.text).toContain('the arguments are not the ones that were shown')
  await shop.api.unlinkTest({ test_id: shop.ids['TC-2'] ?? '', requirement_id: shop.ids['REQ-2'] ?? '' })
  const late = await agent.call('delete_requirement', { ...args, confirmation })
  expect(late.text).toContain('(state_changed')
  expect(late.text).toContain('links that are removed was TC-2, is none')
  const again = await agent.call('delete_requirement', args)
  const [, fresh = ''] = /^confirmation: (\S+)$/m.exec(again.text) ?? []
  expect((await agent.call('delete_requirement', { ...args, confirmation: fresh })).text).toMatch(/^Deleted REQ-2/)
})

test('requirements below it have to go first, and a preview writes nothing', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options, user: sayYes })
  const { text } = await agent.call('delete_requirement', { requirement: 'REQ-1', reason: 'old' })
  expect(text).toContain('REQ-1 has 2 requirements below it, which have to be deleted first')
  expect(text).toContain('REQ-2, REQ-3')
  const refused = await agent.call('delete_requirement', { requirement: 'REQ-1', reason: 'old', dry_run: true })
  expect(refused.text).toContain('outcome: would_be_refused')
  expect(refused.text).toContain('delete_first: REQ-2, REQ-3')
  const preview = await agent.call('delete_requirement', { ...args, dry_run: true })
  expect(preview.text).toMatch(/^Preview, nothing written: would delete REQ-2/)
  expect(await keys(shop)).toHaveLength(4)
})

test('more than ten deletions on a branch need a person, although one does not', async () => {
  await using shop = await openQualityShop()
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name: 'pricing' })
  await using agent = await connect(shop.api, { options })
  const drafts = Array.from({ length: 11 }, async (_, nr) => {
    const draft = { product_id: shop.productId, branch_id: branch.id, title: `Draft ${String(nr)}` }
    return (await shop.api.createRequirement(draft)).requirement.id
  })
  const answers: string[] = []
  for (const requirement of await Promise.all(drafts)) {
    const call = { requirement, branch: 'pricing', reason: 'not wanted' }
    answers.push((await agent.call('delete_requirement', call)).text)
  }
  expect(answers.slice(0, 10).every((text) => text.startsWith('Deleted REQ-?'))).toBe(true)
  expect(answers[10]).toMatch(/^error: changing more than 10 with delete_requirement .*confirmation/)
  expect(answers[10]).toMatch(/^Delete requirement REQ-\?\d+ on quality branch pricing$/m)
})
