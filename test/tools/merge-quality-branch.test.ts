import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { confirmHere } from '../../src/mcp/confirm/options.ts'
import { connect, type Connected } from '../mcp/clients.ts'
import { sayYes, yesTo } from '../mcp/say-yes.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

const options = { toolsets: ['default', 'branches'] }
const reason = 'the user agreed to the new prices'
const args = { branch: 'pricing', reason }

let shop: QualityShop
beforeAll(async () => {
  shop = await openQualityShop()
})
afterAll(() => shop.close())

/** An open branch with a new requirement, and REQ-2 with another title. */
async function draft(name: string, title: string): Promise<string> {
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name })
  const on = { branch_id: branch.id }
  await shop.api.createRequirement({ ...on, product_id: shop.productId, title: `${name}: tax is shown` })
  await rename(title, branch.id)
  return branch.id
}

const rename = (title: string, branch_id?: string) =>
  shop.api.updateRequirement({ id: shop.ids['REQ-2'] ?? '', title, ...(branch_id !== undefined && { branch_id }) })

const titles = async () =>
  (await shop.api.listRequirements({ product_id: shop.productId })).requirements.map(({ title }) => title)

test('a branch that changes nothing has nothing to merge', async () => {
  await shop.api.createBranch({ product_id: shop.productId, name: 'empty' })
  await using agent = await connect(shop.api, { options, user: sayYes })
  const { text } = await agent.call('merge_quality_branch', { branch: 'empty', reason })
  expect(text).toMatch(/^error: quality branch empty changes nothing \(failed_precondition: NOTHING_TO_MERGE/)
})

test('a conflict without a decision is listed with the call that decides it, and no person is asked', async () => {
  await draft('pricing', 'The cart shows its total with tax')
  await rename('The cart shows its total at once')
  const asked: string[] = []
  await using agent = await connect(shop.api, { options, user: yesTo(asked) })
  expect(shown(await agent.call('merge_quality_branch', args))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Not merged: 1 conflict of quality branch pricing needs a decision. Ask the user about each, in their words.",
        "data": {
          "branch": {
            "id": "00000000-0000-7000-8000-000000000050",
            "name": "pricing",
          },
          "conflicts": [
            {
              "branch": "The cart shows its total with tax",
              "id": "REQ-2/title",
              "main": "The cart shows its total at once",
              "message": "Main and the branch changed title of REQ-2 in different ways.",
              "suggested": "branch",
              "type": "field",
            },
          ],
          "outcome": "not_merged",
        },
        "next_actions": [
          {
            "args": {
              "branch": "pricing",
              "product": "1",
              "reason": "as the user decided",
              "resolutions": [
                {
                  "conflict": "REQ-2/title",
                  "use": "branch",
                },
              ],
            },
            "tool": "merge_quality_branch",
            "why": "decides them as suggested: change use to main, branch or value as the user decides",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Not merged: 1 conflict of quality branch pricing needs a decision. Ask the user about each, in their words.
    product: My product (id 1)
    outcome: not_merged
    branch: id=00000000-0000-7000-8000-000000000050, name=pricing
    conflicts (id | type | main | branch | suggested | message):
    REQ-2/title | field | The cart shows its total at once | The cart shows its total with tax | branch | Main and the branch changed title of REQ-2 in different ways.
    Next:
    - merge_quality_branch {"product":"1","branch":"pricing","resolutions":[{"conflict":"REQ-2/title","use":"branch"}],"reason":"as the user decided"} (decides them as suggested: change use to main, branch or value as the user decides)",
    }
  `)
  expect(asked).toEqual([])
  expect(await titles()).toContain('The cart shows its total at once')
})

/** Main and an open branch with different words in the same line of a statement. */
async function stateTwice(name: string): Promise<AsyncDisposable> {
  const id = shop.ids['REQ-2'] ?? ''
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name })
  await shop.api.updateRequirement({ id, statement: `It shows the sum.\nAlways in ${name}.`, branch_id: branch.id })
  await shop.api.updateRequirement({ id, statement: `It shows the sum.\nNever in ${name}.` })
  return { [Symbol.asyncDispose]: async () => void (await shop.api.deleteBranch({ id: branch.id })) }
}

test('of a text that both sides changed one side is suggested, which the merge takes', async () => {
  await stateTwice('words')
  await using agent = await connect(shop.api, { options, user: sayYes })
  const words = { branch: 'words', reason }
  const { structured } = await agent.call('merge_quality_branch', words)
  const { data, next_actions: next } = structured as unknown as {
    data: { conflicts: { suggested: string }[] }
    next_actions: { tool: string; args: Record<string, unknown> }[]
  }
  expect(data.conflicts[0]?.suggested).toMatch(/^value, to be written from .*‹‹‹‹‹‹‹ main/)
  expect(next[0]?.args).toMatchObject({ resolutions: [{ conflict: 'REQ-2/statement', use: 'branch' }] })
  const { text } = await agent.call('merge_quality_branch', next[0]?.args)
  expect(text).toMatch(/^Merged quality branch words/)
})

test('a value that still has both texts between markers is no decision, in a preview neither', async () => {
  await using _ = await stateTwice('more words')
  const asked: string[] = []
  await using agent = await connect(shop.api, { options, user: yesTo(asked) })
  const value = 'It shows the sum.\n<<<<<<< main\nNever.\n=======\nAlways.\n>>>>>>> branch'
  const resolutions = [{ conflict: 'REQ-2/statement', use: 'value', value }]
  for (const more of [{}, { dry_run: true }]) {
    const { text, structured } = await agent.call('merge_quality_branch', {
      branch: 'more words',
      reason,
      resolutions,
      ...more,
    })
    expect(text).toMatch(/^Not merged: 1 conflict /)
    expect(text).toContain('The value for REQ-2/statement still has both texts between markers')
    const { next_actions: next } = structured as unknown as { next_actions: { args: Record<string, unknown> }[] }
    expect(next[0]?.args).toMatchObject({ resolutions: [{ conflict: 'REQ-2/statement', use: 'branch' }] })
  }
  expect(asked).toEqual([])
})

test('a call too long for the address of a page is confirmed in another way', async () => {
  await using _ = await stateTwice('long words')
  const page = 'http://127.0.0.1:4319/confirm?t='
  const confirm = { ...confirmHere(), pageLink: (token: string) => Promise.resolve(page + token) }
  await using agent = await connect(shop.api, { options, confirm })
  const decide = async (value: string) => {
    const resolutions = [{ conflict: 'REQ-2/statement', use: 'value', value }]
    return (await agent.call('merge_quality_branch', { branch: 'long words', reason, resolutions })).text
  }
  expect(await decide('It shows the sum.')).toContain(`page: ${page}`)
  // A token is compressed.
  const long = await decide(
    Array.from({ length: 180 }, (_word, index) => hash('sha512', String(index), 'base64')).join(' '),
  )
  expect(long).toContain('page: none, because the arguments are too long for an address')
  expect(long).toMatch(/^confirmation: [\w.-]{8000,}$/m)
  expect(long).not.toContain(page)
  expect(await decide('x'.repeat(20_001))).toMatch(/^error: .*value/)
})

test('a preview says what the merge would do, and writes nothing', async () => {
  await using agent = await connect(shop.api, { options })
  const resolutions = [{ conflict: 'REQ-2/title', use: 'branch' }]
  const { text } = await agent.call('merge_quality_branch', { ...args, resolutions, dry_run: true })
  expect(text).toMatch(/^Preview, nothing written: would merge quality branch pricing, once the user confirms\./)
  expect(await titles()).not.toContain('pricing: tax is shown')
})

test('a preview tells the effect of the decisions, and what is decided as in main is no change', async () => {
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name: 'coupons' })
  const id = shop.ids['REQ-4'] ?? ''
  const deprecated = { status: 'REQUIREMENT_STATUS_DEPRECATED', title: 'Coupons', branch_id: branch.id } as const
  await shop.api.updateRequirement({ id, ...deprecated })
  await shop.api.createRequirement({ product_id: shop.productId, title: 'Vouchers', branch_id: branch.id })
  await shop.api.updateRequirement({ id, status: 'REQUIREMENT_STATUS_APPROVED' })
  const preview = async (at: Connected, use: 'main' | 'branch') => {
    const resolutions = [{ conflict: 'REQ-4/status', use }]
    const { structured } = await at.call('merge_quality_branch', {
      branch: 'coupons',
      reason,
      resolutions,
      dry_run: true,
    })
    return (structured as { data: { facts: string[] } }).data.facts
  }
  await using agent = await connect(shop.api, { options })
  expect(await preview(agent, 'branch')).toMatchInlineSnapshot(`
    [
      "creates: 1: REQ-?1 Vouchers",
      "changes: 1: REQ-4 Coupons (status, title)",
      "decided: REQ-4/status: as on the branch: REQUIREMENT_STATUS_DEPRECATED",
      "coverage: verified 0 -> 0",
      "gate: FAIL -> FAIL",
      "afterwards: the merged requirements are approved: your confirmation is the approval",
    ]
  `)
  expect(await preview(agent, 'main')).toMatchInlineSnapshot(`
    [
      "creates: 1: REQ-?1 Vouchers",
      "changes: 1: REQ-4 Coupons (title)",
      "decided: REQ-4/status: as in main: REQUIREMENT_STATUS_APPROVED",
      "coverage: verified 0 -> 0, no_test 1 -> 2",
      "gate: FAIL -> FAIL",
      "afterwards: the merged requirements are approved: your confirmation is the approval",
    ]
  `)
  await using elsewhere = await connectElsewhere(shop, (send) => reshaped(send, 'noRoute:getMe'))
  expect(await preview(elsewhere, 'main')).toMatchInlineSnapshot(`
    [
      "creates: 1: REQ-?1 Vouchers",
      "changes: 1: REQ-4 Coupons (title)",
      "decided: REQ-4/status: as in main: REQUIREMENT_STATUS_APPROVED",
      "coverage, with the side of the branch in each decision: verified 0 -> 0",
      "gate: FAIL -> FAIL",
      "afterwards: the merged requirements are approved: your confirmation is the approval",
    ]
  `)
  expect(elsewhere.writes()).toEqual([])
})

test('what is decided as in main is neither created, with what is below it, nor deleted', async () => {
  await using own = await openQualityShop()
  const { api, ids } = own
  const product_id = own.productId
  const { branch } = await api.createBranch({ product_id, name: 'late' })
  const on = { product_id, branch_id: branch.id }
  const id = ids['REQ-3'] ?? ''
  await api.deleteRequirement({ id, branch_id: branch.id })
  const { requirement: child } = await api.createRequirement({ ...on, parent_id: ids['REQ-4'] ?? '', title: 'Below' })
  await api.createRequirement({ ...on, parent_id: child.id, title: 'Further below' })
  await api.createRequirement({ ...on, title: 'Alone' })
  await api.updateRequirement({ id, title: 'Kept' })
  await api.deleteRequirement({ id: ids['REQ-4'] ?? '' })
  await using agent = await connect(api, { options, user: sayYes })
  const resolutions = [
    { conflict: 'REQ-3', use: 'main' },
    { conflict: 'REQ-?1/parent_id', use: 'main' },
  ]
  const call = { branch: 'late', reason, resolutions }
  const { text } = await agent.call('merge_quality_branch', { ...call, dry_run: true })
  expect(text).toContain('creates: 1: REQ-?3 Alone\n')
  expect(text).not.toMatch(/^ *(?:changes|deletes): /m)
  expect((await agent.call('merge_quality_branch', call)).text).toMatch(/^Merged quality branch late: 1 created\./)
})

test('a merge in which every decision is for main says that nothing changed', async () => {
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name: 'nothing' })
  await rename('Total', branch.id)
  await rename('The cart shows its total at last')
  await using agent = await connect(shop.api, { options, user: sayYes })
  const resolutions = [{ conflict: 'REQ-2', use: 'main' }]
  const { text } = await agent.call('merge_quality_branch', { branch: 'nothing', reason, resolutions })
  expect(text).toMatch(/^Merged quality branch nothing: nothing changed in main\./)
})

test('the gate of a preview is that of the approved requirements', async () => {
  await using app = await startApp()
  const on = { product_id: app.productId }
  const { branch } = await app.api.createBranch({ ...on, name: 'payment' })
  await app.api.createRequirement({ ...on, branch_id: branch.id, title: 'Pay', priority: 'PRIORITY_CRITICAL' })
  await using agent = await connect(app.api, { options, user: sayYes })
  const call = { branch: 'payment', reason }
  expect((await agent.call('merge_quality_branch', { ...call, dry_run: true })).text).toContain(
    'gate: INCONCLUSIVE -> FAIL',
  )
  await agent.call('merge_quality_branch', call)
  expect((await app.api.computeGate(on)).verdict.status).toBe('VERDICT_STATUS_FAIL')
})

test('what changes in main after the preview has to be shown again', async () => {
  await using agent = await connect(shop.api, { options })
  const decided = { ...args, resolutions: [{ conflict: 'REQ-2/title', use: 'branch' }] }
  const { text } = await agent.call('merge_quality_branch', decided)
  const [, confirmation = ''] = /^confirmation: (\S+)$/m.exec(text) ?? []
  await shop.api.createRequirement({ product_id: shop.productId, title: 'Stock is shown' })
  const late = await agent.call('merge_quality_branch', { ...decided, confirmation })
  expect(late.text).toContain('(state_changed')
  expect(await titles()).not.toContain('pricing: tax is shown')
})

test('merge_quality_branch shows a person what changes, and merges once they have typed the name', async () => {
  const asked: string[] = []
  await using agent = await connect(shop.api, { options, user: yesTo(asked) })
  const resolutions = [
    { conflict: 'REQ-2/title', use: 'value', value: 'The cart shows its total with tax at once' },
    { conflict: 'REQ-9/title', use: 'main' },
  ]
  expect(shown(await agent.call('merge_quality_branch', { ...args, resolutions }))).toMatchInlineSnapshot(`
    {
      "structured": {
        "adjusted": [
          "resolutions: 1 of no conflict left out",
        ],
        "answer": "Merged quality branch pricing: 1 created, 1 modified.",
        "data": {
          "branch": {
            "id": "00000000-0000-7000-8000-000000000050",
            "name": "pricing",
          },
          "coverage": "verified 0 -> 0, no_test 2 -> 3",
          "gate": "FAIL -> FAIL",
          "keys": [
            {
              "id": "REQ-6",
              "was": "REQ-?1",
            },
          ],
          "merged": {
            "created": 1,
            "deleted": 0,
            "links_applied": 0,
            "modified": 1,
            "moved": 0,
          },
          "outcome": "merged",
        },
        "next_actions": [
          {
            "args": {
              "product": "1",
            },
            "tool": "find_coverage_gaps",
            "why": "merged requirements are gaps until tests prove them",
          },
          {
            "args": {
              "product": "1",
              "requirement": "REQ-6",
            },
            "tool": "get_test_context",
            "why": "what a test of the first one has to show",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Merged quality branch pricing: 1 created, 1 modified.
    product: My product (id 1)
    outcome: merged
    branch: id=00000000-0000-7000-8000-000000000050, name=pricing
    merged: created=1, modified=1, deleted=0, moved=0, links_applied=0
    keys (id | was):
    REQ-6 | REQ-?1
    coverage: verified 0 -> 0, no_test 2 -> 3
    gate: FAIL -> FAIL
    adjusted: resolutions: 1 of no conflict left out
    Next:
    - find_coverage_gaps {"product":"1"} (merged requirements are gaps until tests prove them)
    - get_test_context {"product":"1","requirement":"REQ-6"} (what a test of the first one has to show)",
    }
  `)
  expect(asked[0]?.split('\n').slice(0, 11)).toMatchInlineSnapshot(`
    [
      "Merge quality branch pricing into the main requirements",
      "product: My product (id 1)",
      "creates: 1: REQ-?1 pricing: tax is shown",
      "changes: 1: REQ-2 The cart shows its total with tax at once (title)",
      "decided: REQ-2/title: a new value: The cart shows its total with tax at once",
      "coverage: verified 0 -> 0, no_test 2 -> 3",
      "gate: FAIL -> FAIL",
      "afterwards: the merged requirements are approved: your confirmation is the approval",
      "recorded as: Owner (user 00000000-0000-7000-8000-000000000002)",
      "undo: not possible",
      "reason that the agent gives: "the user agreed to the new prices"",
    ]
  `)
  expect(await titles()).toEqual(
    expect.arrayContaining(['The cart shows its total with tax at once', 'pricing: tax is shown']),
  )
  const { requirements } = await shop.api.listRequirements({ product_id: shop.productId, q: 'pricing' })
  expect(requirements[0]).toMatchObject({ status: 'REQUIREMENT_STATUS_APPROVED' })
  const again = await agent.call('merge_quality_branch', args)
  expect(again.text).toMatch(/^error: quality branch pricing was merged on .*BRANCH_NOT_OPEN/)
})

test('a preview that is stale when the merge arrives says what is different now', async () => {
  await draft('search', 'The cart shows its total with search')
  await using agent = await connect(
    {
      ...shop.api,
      async mergeBranch(request, call) {
        if (request.validate_only !== true)
          await shop.api.createRequirement({ product_id: shop.productId, branch_id: request.id, title: 'Late' })
        return shop.api.mergeBranch(request, call)
      },
    },
    { options, user: sayYes },
  )
  const { text } = await agent.call('merge_quality_branch', { branch: 'search', reason })
  expect(text).toMatch(/^error: main or the branch changed after the preview; nothing was merged \(state_changed/)
  expect(text).toContain('creates was 1: REQ-?1 search: tax is shown, is 2: ')
  expect(text).toContain('next: the same call without confirmation')
})

test('a reply that is lost is looked for by a read of the branch', async () => {
  await using elsewhere = await connectElsewhere(shop, (send) => losing(send, '502'))
  const call = { branch: 'search', reason }
  const [, confirmation = ''] =
    /^confirmation: (\S+)$/m.exec((await elsewhere.call('merge_quality_branch', call)).text) ?? []
  const { text } = await elsewhere.call('merge_quality_branch', { ...call, confirmation })
  expect(text).toMatch(/^Merged quality branch search: .*read again, it is done\./)
  expect(await titles()).toContain('search: tax is shown')
})
