import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'

const options = { toolsets: ['default', 'branches'] }

let shop: QualityShop
let agent: Connected
let branch: string
beforeAll(async () => {
  shop = await openQualityShop()
  agent = await connect(shop.api, { options })
  const { distillation } = await shop.api.distillIntent({
    product_id: shop.productId,
    documents: [
      {
        name: 'notes.md',
        content: [
          '- A customer must be able to order gift wrap for an article.',
          '- The cart shall not show the sum of its prices.',
          '- We no longer need REQ-4: nobody types coupons.',
        ].join('\n'),
      },
    ],
    branch_name: 'Gift wrap',
  })
  branch = distillation.branch?.id ?? ''
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

const dataOf = (structured: unknown) => (structured as { data: Record<string, unknown> }).data
const rowsOf = (structured: unknown, name: string) => (dataOf(structured)[name] ?? []) as Record<string, unknown>[]

test('review_branch shows what a merge would do, and what only a person decides', async () => {
  expect(shown(await agent.call('review_branch', { branch: 'Gift wrap' }))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Quality branch Gift wrap needs decisions on 1 thing before it can be merged: 1 thing created, 2 things changed. Coverage: verified 1 -> 0, not_run 1 -> 2, suspect 0 -> 1. Gate: FAIL -> FAIL. A person merges it, with merge_quality_branch.",
        "data": {
          "branch": {
            "created_by": "Owner",
            "id": "00000000-0000-7000-8000-000000000041",
            "name": "Gift wrap",
            "state": "open",
          },
          "changes": [
            {
              "changes": "statement",
              "decide": true,
              "id": "REQ-2",
              "operation": "modify",
              "title": "The cart shows its total",
            },
            {
              "changes": "status: deprecated",
              "id": "REQ-4",
              "operation": "modify",
              "title": "A coupon lowers the total",
            },
            {
              "from": "notes.md:1",
              "id": "REQ-?1",
              "operation": "create",
              "statement": "A customer must be able to order gift wrap for an article.",
            },
          ],
          "conflicts": [
            {
              "branch": "The cart shall not show the sum of its prices.",
              "id": "REQ-2/statement",
              "main": "The cart shall show the sum of its prices. * in the currency of the shop * rounded to cents",
              "suggested": "branch",
              "type": "decision",
            },
          ],
        },
        "next_actions": [
          {
            "args": {
              "branch": "Gift wrap",
              "product": "1",
              "reason": "as the user decided",
            },
            "tool": "merge_quality_branch",
            "why": "lists what the user has to decide first",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Quality branch Gift wrap needs decisions on 1 thing before it can be merged: 1 thing created, 2 things changed. Coverage: verified 1 -> 0, not_run 1 -> 2, suspect 0 -> 1. Gate: FAIL -> FAIL. A person merges it, with merge_quality_branch.
    product: My product (id 1)
    branch: id=00000000-0000-7000-8000-000000000041, name=Gift wrap, state=open, created_by=Owner
    conflicts (id | type | main | branch | suggested):
    REQ-2/statement | decision | The cart shall show the sum of its prices. * in the currency of the shop * rounded to cents | The cart shall not show the sum of its prices. | branch
    changes (id | operation | title | changes | decide | statement | from):
    REQ-2 | modify | The cart shows its total | statement | true | - | -
    REQ-4 | modify | A coupon lowers the total | status: deprecated | - | - | -
    REQ-?1 | create | - | - | - | A customer must be able to order gift wrap for an article. | notes.md:1
    Next:
    - merge_quality_branch {"product":"1","branch":"Gift wrap","reason":"as the user decided"} (lists what the user has to decide first)",
    }
  `)
})

test('with detail=full each draft has the quote that it was made from', async () => {
  const { structured } = await agent.call('review_branch', { branch, detail: 'full' })
  const created = rowsOf(structured, 'changes').filter(({ operation }) => operation === 'create')
  expect(created.map(({ from, quote }) => [from, quote])).toEqual([
    ['notes.md:1', 'A customer must be able to order gift wrap for an article.'],
  ])
})

test('open link proposals are listed, and next to their titles no call that writes is proposed', async () => {
  const { tests } = await shop.api.listTests({ product_id: shop.productId, key: ['TC-2'] })
  const proposed = await shop.api.linkTest({
    test_id: tests[0]?.id ?? '',
    requirement_key: 'REQ-4',
    branch_id: branch,
    rationale: 'Both add up prices.',
  })
  const { text, structured } = await agent.call('review_branch', { branch })
  expect(text).toContain('The user decides the link proposals, with decide_link_proposals.')
  expect(structured).not.toHaveProperty('next_actions')
  expect(rowsOf(structured, 'proposals')).toEqual([
    expect.objectContaining({
      id: proposed.proposal?.id,
      test: 'TC-2',
      requirement: 'REQ-4',
      why: 'Both add up prices.',
    }),
  ])
})

test('a proposal shows its role and its criteria, and once it is accepted the states that it changes are counted', async () => {
  const { branch: links } = await shop.api.createBranch({ product_id: shop.productId, name: 'Links' })
  const { requirement } = await shop.api.getRequirement({ id: shop.ids['REQ-2'] ?? '' })
  const { proposal } = await shop.api.linkTest({
    test_id: shop.ids['TC-3'] ?? '',
    requirement_id: requirement.id,
    role: 'LINK_ROLE_PARTIALLY_VERIFIES',
    criterion_ids: requirement.acceptance_criteria?.slice(1).map(({ id }) => id) ?? [],
    branch_id: links.id,
  })
  const open = await agent.call('review_branch', { branch: 'Links' })
  expect(rowsOf(open.structured, 'proposals')).toMatchObject([
    { test: 'TC-3', role: 'partially_verifies', requirement: 'REQ-2', criteria: 'REQ-2.2' },
  ])
  expect(open.text).toContain('Coverage without the open link proposals: verified 1 -> 1.')

  const decided = await agent.call('decide_link_proposals', { branch: 'Links', accept: [proposal?.id] })
  expect(decided.text).toContain(' | TC-3 proves part of REQ-2 | accepted')
  const { next_actions: steps } = decided.structured as { next_actions: { tool: string }[] }
  expect(steps.map(({ tool }) => tool)).toEqual(['review_branch', 'decide_link_proposals'])
  const accepted = await agent.call('review_branch', { branch: 'Links' })
  expect(accepted.text).toContain('Coverage: verified 1 -> 0, not_run 1 -> 2.')
})

test('another open branch that changes the same requirement is named', async () => {
  const { branch: other } = await shop.api.createBranch({ product_id: shop.productId, name: 'Coupons' })
  await shop.api.updateRequirement({
    id: shop.ids['REQ-4'] ?? '',
    title: 'Coupons stay',
    status: 'REQUIREMENT_STATUS_APPROVED',
    branch_id: other.id,
  })
  const { structured } = await agent.call('review_branch', { branch })
  expect(rowsOf(structured, 'also_changed_in')).toEqual([
    expect.objectContaining({ id: 'REQ-4', branch: 'Coupons', by: expect.any(String) as string }),
  ])
})

test('a git branch is not a quality branch', async () => {
  const { text } = await agent.call('review_branch', { branch: 'main' })
  expect(text).toContain('Gift wrap')
  expect(text).toContain('a git branch is something else')
})
