import { expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { sayYes, yesTo } from '../mcp/say-yes.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'

const options = { toolsets: ['default', 'requirements'] }

async function statuses({ api, productId }: QualityShop) {
  const { requirements } = await api.listRequirements({ product_id: productId })
  return Object.fromEntries(requirements.map(({ key = '', status }) => [key, status]))
}

test('approve_requirements asks a person with the titles, and then the gate counts them', async () => {
  await using shop = await openQualityShop()
  const asked: string[] = []
  await using agent = await connect(shop.api, { options, user: yesTo(asked) })
  const counted = async () => (await agent.call('compute_quality_gate')).text.match(/the scope has .*?,/)?.[0]
  expect(await counted()).toBe('the scope has 2 approved requirements,')
  expect(shown(await agent.call('approve_requirements', { requirements: ['REQ-4', 'REQ-2'] }))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "1 approved, 1 already.",
        "data": {
          "rows": [
            {
              "from": "draft",
              "id": "REQ-4",
              "outcome": "approved",
              "state": "no_test",
              "title": "A coupon lowers the total",
            },
            {
              "from": "approved",
              "id": "REQ-2",
              "outcome": "already",
              "state": "verified",
              "title": "The cart shows its total",
            },
          ],
        },
        "next_actions": [
          {
            "args": {
              "product": "1",
            },
            "tool": "compute_quality_gate",
            "why": "the verdict with them",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "1 approved, 1 already.
    product: My product (id 1)
    rows (id | title | outcome | from | state):
    REQ-4 | A coupon lowers the total | approved | draft | no_test
    REQ-2 | The cart shows its total | already | approved | verified
    Next:
    - compute_quality_gate {"product":"1"} (the verdict with them)",
    }
  `)
  expect(asked[0]?.split('\n').slice(0, 5)).toMatchInlineSnapshot(`
    [
      "Approve 1 requirement",
      "product: My product (id 1)",
      "REQ-4: A coupon lowers the total",
      "afterwards: the quality gate counts them",
      "recorded as: Owner (user 00000000-0000-7000-8000-000000000002)",
    ]
  `)
  expect(await statuses(shop)).toMatchObject({ 'REQ-4': 'REQUIREMENT_STATUS_APPROVED' })
  expect(await counted()).toBe('the scope has 3 approved requirements,')
})

test('without a yes nothing is approved', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options, user: () => ({ action: 'decline' }) })
  const { isError, text } = await agent.call('approve_requirements', { requirements: ['REQ-4'] })
  expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining('declined') as string })
  expect(await statuses(shop)).toMatchObject({ 'REQ-4': 'REQUIREMENT_STATUS_DRAFT' })
})

test('a client without forms gets a preview, whose confirmation approves what was shown and nothing else', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const args = { requirements: ['REQ-4'] }
  const [, confirmation = ''] =
    /^confirmation: (\S+)$/m.exec((await agent.call('approve_requirements', args)).text) ?? []
  await shop.api.updateRequirement({ id: shop.ids['REQ-4'] ?? '', title: 'A coupon doubles the total' })
  const late = await agent.call('approve_requirements', { ...args, confirmation })
  expect(late.text).toContain('REQ-4 was A coupon lowers the total, is A coupon doubles the total')
  const [, fresh = ''] = /^confirmation: (\S+)$/m.exec((await agent.call('approve_requirements', args)).text) ?? []
  expect((await agent.call('approve_requirements', { ...args, confirmation: fresh })).text).toMatch(/^1 approved\./)
})

test('nobody is asked where nothing waits, and a preview writes nothing', async () => {
  await using shop = await openQualityShop()
  await shop.api.updateRequirement({ id: shop.ids['REQ-3'] ?? '', status: 'REQUIREMENT_STATUS_DEPRECATED' })
  const asked: string[] = []
  await using agent = await connect(shop.api, { options, user: yesTo(asked) })
  const { text } = await agent.call('approve_requirements', { requirements: ['REQ-2', 'REQ-3'] })
  expect(text).toMatch(/^1 already, 1 refused\./)
  expect(text).toContain('it is deprecated; a person reinstates it in the web interface')
  const preview = await agent.call('approve_requirements', { requirements: ['REQ-4'], dry_run: true })
  expect(preview.text).toMatch(/^Preview, nothing written: 1 would approve\./)
  expect(asked).toEqual([])
  expect(await statuses(shop)).toMatchObject({ 'REQ-4': 'REQUIREMENT_STATUS_DRAFT' })
})

test('a requirement that was changed since it was read stays as it is', async () => {
  await using shop = await openQualityShop()
  let isChanged = false
  const api = {
    ...shop.api,
    updateRequirement: async (...[request, given]: Parameters<QualityShop['api']['updateRequirement']>) => {
      if (!isChanged) await shop.api.updateRequirement({ id: request.id, title: 'Another wording' })
      isChanged = true
      return shop.api.updateRequirement(request, given)
    },
  }
  await using agent = await connect(api, { options, user: sayYes })
  const { isError, text } = await agent.call('approve_requirements', { requirements: ['REQ-4'] })
  expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining('changed') as string })
  expect(await statuses(shop)).toMatchObject({ 'REQ-4': 'REQUIREMENT_STATUS_DRAFT' })
})
