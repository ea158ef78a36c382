import { expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { replyText, type Send } from '../../src/contract/base/wire.ts'
import { origin } from '../app.ts'
import { connect, type Called } from '../mcp/clients.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'

const options = { toolsets: ['default', 'requirements'] }
const words = { requirement: 'REQ-2', title: 'The cart shows its total' }
const criteria = ['An empty cart shows 0.00.', 'Given two items of 1.10, when the cart opens, then it shows 2.20']

interface Structured {
  data: Record<string, unknown>
  next_actions?: { tool: string; args: Record<string, unknown> }[]
}
const dataOf = ({ structured }: Called) => (structured as Structured).data
const nextOf = ({ structured }: Called) => (structured as Structured).next_actions ?? []

async function read({ api, ids }: QualityShop, key = 'REQ-2') {
  const { requirement, links } = await api.getRequirement({ id: ids[key] ?? '' })
  return { ...requirement, links: links ?? [] }
}

test('save_requirement creates one and tells what is wrong with its wording', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const called = await agent.call('save_requirement', {
    title: 'Shipping is free from 50.00',
    body: 'When the total is 50.00 or more, the shop shall ship for free, quickly.',
    criteria: ['A cart of 49.99 pays for shipping.', 'Given a cart of 50.00, when it is paid, then shipping is 0.00'],
    files: ['src/shipping/**', './src/cart/total.ts'],
  })
  expect(shown(called)).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Created REQ-5. The quality gate counts it once the user approves it.",
        "data": {
          "outcome": "created",
          "requirement": {
            "criteria": 2,
            "id": "REQ-5",
            "state": "no_test",
            "status": "draft",
            "title": "Shipping is free from 50.00",
            "version": 1,
          },
        },
        "next_actions": [
          {
            "args": {
              "product": "1",
              "requirement": "REQ-5",
            },
            "tool": "get_test_context",
            "why": "what a test of it has to show",
          },
          {
            "args": {
              "product": "1",
              "requirements": [
                "REQ-5",
              ],
            },
            "tool": "approve_requirements",
            "why": "asks the user",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Created REQ-5. The quality gate counts it once the user approves it.
    product: My product (id 1)
    outcome: created
    requirement: id=REQ-5, title=Shipping is free from 50.00, status=draft, version=1, criteria=2, state=no_test
    Next:
    - get_test_context {"product":"1","requirement":"REQ-5"} (what a test of it has to show)
    - approve_requirements {"product":"1","requirements":["REQ-5"]} (asks the user)",
    }
  `)
  const { requirements } = await shop.api.listRequirements({ product_id: shop.productId, key: ['REQ-5'] })
  expect(requirements).toMatchObject([
    {
      acceptance_criteria: [
        { kind: 'CRITERION_KIND_RULE' },
        {
          kind: 'CRITERION_KIND_GIVEN_WHEN_THEN',
          given: 'a cart of 50.00',
          when: 'it is paid',
          // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
          then: 'shipping is 0.00',
        },
      ],
      code_refs: [
        { path: 'src/shipping/**', source: 'CODE_REF_SOURCE_DECLARED' },
        { path: 'src/cart/total.ts', source: 'CODE_REF_SOURCE_DECLARED' },
      ],
    },
  ])
})

test('an update says which links it puts in doubt and names the call that puts the old words back', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const before = await read(shop)
  const called = await agent.call('save_requirement', {
    ...words,
    body: 'The cart shall show the sum.',
    criteria: [criteria[0], 'A full cart is easy to read.'],
  })
  expect(shown(called)).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Changed REQ-2 in body, criteria (removes 1): version 2 now, 1 link to tests in doubt; 1 finding on the wording.",
        "data": {
          "links_in_doubt": {
            "count": 1,
            "tests": [
              "TC-2",
            ],
          },
          "outcome": "updated",
          "requirement": {
            "criteria": 2,
            "id": "REQ-2",
            "state": "not_run",
            "status": "approved",
            "suspect": true,
            "title": "The cart shows its total",
            "version": 2,
          },
          "wording": [
            {
              "advice": "criterion 2: "easy": be specific, so that two readers test the same thing",
              "code": "AMBIGUOUS_TERM",
            },
          ],
        },
        "next_actions": [
          {
            "args": {
              "body": "The cart shall show the sum of its prices.

    * in the currency of the shop
    * rounded to cents",
              "criteria": [
                "An empty cart shows 0.00.",
                "Given two items of 1.10, when the cart opens, then it shows 2.20",
              ],
              "product": "1",
              "requirement": "REQ-2",
              "title": "The cart shows its total",
            },
            "tool": "save_requirement",
            "why": "puts the old words back, if the user wants that; links in doubt stay so",
          },
          {
            "args": {
              "product": "1",
              "requirement": "REQ-2",
            },
            "tool": "get_test_context",
            "why": "its tests, to check against the new words",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Changed REQ-2 in body, criteria (removes 1): version 2 now, 1 link to tests in doubt; 1 finding on the wording.
    product: My product (id 1)
    outcome: updated
    requirement: id=REQ-2, title=The cart shows its total, status=approved, version=2, criteria=2, state=not_run, suspect=true
    links_in_doubt: count=1, tests=["TC-2"]
    wording (code | advice):
    AMBIGUOUS_TERM | criterion 2: "easy": be specific, so that two readers test the same thing
    Next:
    - save_requirement {"product":"1","requirement":"REQ-2","title":"The cart shows its total","body":"The cart shall show the sum of its prices.\\n\\n* in the currency of the shop\\n* rounded to cents","criteria":["An empty cart shows 0.00.","Given two items of 1.10, when the cart opens, then it shows 2.20"]} (puts the old words back, if the user wants that; links in doubt stay so)
    - get_test_context {"product":"1","requirement":"REQ-2"} (its tests, to check against the new words)",
    }
  `)
  const [undo] = nextOf(called)
  expect((await agent.call(undo?.tool ?? '', undo?.args)).isError).toBe(false)
  const after = await read(shop)
  expect(after).toMatchObject({
    title: before.title,
    statement: before.statement,
    version: 3,
    content_hash: before.content_hash,
  })
  expect(after.links).toMatchObject([{ test_key: 'TC-2', state: 'LINK_STATE_SUSPECT' }])
})

test('a priority is set without a doubt about the tests, and lowering it is said to be reviewed', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const raised = await agent.call('save_requirement', { ...words, priority: 'Critical' })
  expect(raised.text).toContain('Changed REQ-2 in priority (high to critical): still version 1.')
  expect(dataOf(raised)).toMatchObject({ requirement: { priority: 'critical' } })
  const links = [{ state: 'LINK_STATE_ACTIVE' }]
  expect(await read(shop)).toMatchObject({ priority: 'PRIORITY_CRITICAL', links })
  const [undo] = nextOf(raised)
  const undone = await agent.call(undo?.tool ?? '', undo?.args)
  expect(undone.text).toMatch(/^Changed REQ-2 in priority \(critical to high\): still version 1\.$/m)
  const lowered = await agent.call('save_requirement', { ...words, priority: 'low' })
  expect(lowered.text).toContain('The quality gate gives it less weight and asks a person to review that.')
  const { verdict } = await shop.api.computeGate({ product_id: shop.productId })
  expect(verdict.exclusions).toMatchObject([{ kind: 'requirement_lowered', item: { key: 'REQ-2' } }])
  const same = await agent.call('save_requirement', { ...words, priority: 'low' })
  expect(same.text).toContain('REQ-2 says this already')
  const created = await agent.call('save_requirement', { title: 'A refund reaches the card', priority: 'critical' })
  expect(dataOf(created)).toMatchObject({ requirement: { priority: 'critical' } })
})

test('criteria that read as before keep their id, in whatever order and spacing', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const before = (await read(shop)).acceptance_criteria ?? []
  const given = ['It is new.', `  ${(criteria[1] ?? '').replace(', when', ',\n when')}`, criteria[0]]
  await agent.call('save_requirement', { ...words, criteria: given })
  const after = (await read(shop)).acceptance_criteria ?? []
  expect(after.slice(1).map(({ id }) => id)).toEqual([before[1]?.id, before[0]?.id])
  expect(after[1]).toMatchObject({ kind: 'CRITERION_KIND_GIVEN_WHEN_THEN', when: 'the cart opens' })
  expect(before.map(({ id }) => id)).not.toContain(after[0]?.id)
})

test('files replace the declared ones; what is known of one that stays, and what was found, stays', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const called = await agent.call('save_requirement', { ...words, files: ['src/cart/total.ts', 'src/cart/view.ts'] })
  expect(called.text).toMatch(/^Changed REQ-2 in files: still version 1\.\n/)
  expect((await read(shop)).code_refs).toMatchObject([
    { path: 'src/cart/total.ts', symbol: 'total', start_line: 3 },
    { path: 'src/cart/view.ts', source: 'CODE_REF_SOURCE_DECLARED' },
    { path: 'src/cart/*.ts', source: 'CODE_REF_SOURCE_INFERRED' },
  ])
  expect(nextOf(called)).toMatchObject([{ args: { files: ['src/cart/total.ts'] } }])
  await agent.call('save_requirement', { ...words, clear: ['files'] })
  expect((await read(shop)).code_refs).toMatchObject([{ path: 'src/cart/*.ts' }])
})

test('words that are there already change nothing, not even the time of the last change', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const { etag } = await read(shop)
  const same = { ...words, body: (await read(shop)).statement, criteria, files: ['src/cart/total.ts'] }
  const called = await agent.call('save_requirement', same)
  expect(called.text).toMatch(/^REQ-2 says this already; nothing was changed\.\n/)
  expect((await read(shop)).etag).toBe(etag)
})

test('a preview writes nothing and says what the change would do', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const { etag } = await read(shop)
  const change = await agent.call('save_requirement', { ...words, body: 'It shows it easily.', dry_run: true })
  expect(change.text).toMatch(
    /^Preview, nothing written: would change REQ-2 in body: a new version, 1 link to tests in doubt; 1 finding on the wording\.\n/,
  )
  expect(dataOf(change)).toMatchObject({ outcome: 'would_update', links_in_doubt: { count: 1, tests: ['TC-2'] } })
  const made = await agent.call('save_requirement', { title: 'A new one, etc.', files: ['src/*.ts'], dry_run: true })
  expect(made.text).toMatch(/^Preview, nothing written: would create one requirement; 1 finding on the wording\.\n/)
  expect(dataOf(made)['requirement']).not.toHaveProperty('key')
  const refused = await agent.call('save_requirement', { title: 'A new one', files: ['src/{a'], dry_run: true })
  expect(refused.isError).toBe(true)
  expect((await read(shop)).etag).toBe(etag)
  expect((await shop.api.listRequirements({ product_id: shop.productId })).requirements).toHaveLength(4)
})

/** The service as another deployment: nobody may rely on what only Tracegate promises. */
function foreign(shop: QualityShop, sent: string[]): Send {
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'GET') sent.push(`${request.method} ${pathname}`)
    const reply = await shop.service.direct(request)
    if (pathname !== '/v1/auth/me') return reply
    return { ...reply, body: (await replyText(reply)).replace('"name":"tracegate"', '"name":"other"') }
  }
}

test('a preview on another deployment rests on reads alone', async () => {
  await using shop = await openQualityShop()
  const sent: string[] = []
  const api = createApi({ send: foreign(shop, sent), baseUrl: origin, token: shop.token })
  await using agent = await connect(api, { options })
  const made = await agent.call('save_requirement', { title: 'A new one', dry_run: true })
  expect(made.text).toMatch(/^Preview, nothing written: would create one requirement\.\n/)
  const change = await agent.call('save_requirement', { ...words, body: 'Other words.', dry_run: true })
  expect(change.text).toContain('would change REQ-2 in body: version not stated.')
  expect(sent).toEqual([])
  await agent.call('save_requirement', { ...words, body: 'Other words.' })
  expect(sent).toEqual([`PUT /v1/requirements/${shop.ids['REQ-2'] ?? ''}`])
})

test('a requirement that somebody changed meanwhile is not overwritten', async () => {
  await using shop = await openQualityShop()
  const send: Send = async (request) => {
    if (request.method === 'PUT') await shop.api.updateRequirement({ id: shop.ids['REQ-2'] ?? '', statement: 'Mine.' })
    return shop.service.direct(request)
  }
  await using agent = await connect(createApi({ send, baseUrl: origin, token: shop.token }), { options })
  const { text } = await agent.call('save_requirement', { ...words, body: 'Yours.' })
  expect(text).toMatch(/^error: .*\(state_changed\)\n/)
  expect((await read(shop)).statement).toBe('Mine.')
})

test.each([
  ['are long', 'x'.repeat(3000)],
  ['hold a secret', 'The password is password=hunter22.'],
  ['hide something', 'The cart\u202e shows it.'],
])('old words that %s are not said again', async (_, statement) => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  await shop.api.updateRequirement({ id: shop.ids['REQ-2'] ?? '', statement })
  const called = await agent.call('save_requirement', { ...words, body: 'New words.' })
  expect(dataOf(called)['undo']).toMatch(/^no call puts the old words back/)
  expect(nextOf(called).map(({ tool }) => tool)).not.toContain('save_requirement')
  expect(called.text).not.toMatch(/hunter22|\u202e/)
})

test('a branch that is not there is told, and nothing is written', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  for (const args of [{ ...words, body: 'Other.' }, { title: 'A new one' }]) {
    const { text } = await agent.call('save_requirement', { ...args, branch: 'main' })
    expect(text).toMatch(/^error: quality branch not found \(not_found\)\n/)
  }
  expect((await shop.api.listRequirements({ product_id: shop.productId })).requirements).toHaveLength(4)
})

test('a product is written to by its whole name only', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const begun = await agent.call('save_requirement', { product: 'My prod', title: 'A new one' })
  expect(begun.text).toContain('product not found')
  const update = await agent.call('save_requirement', { ...words, product: 'My prod', body: 'Other.' })
  expect(update.text).toContain('product not found')
})

test('empty members of a strict client change nothing, and clearing is explicit, previewed and can be undone', async () => {
  await using shop = await openQualityShop()
  await using agent = await connect(shop.api, { options })
  const { requirement } = await shop.api.createRequirement({
    product_id: shop.productId,
    title: 'The cart is kept',
    statement: 'For 30 days.',
    acceptance_criteria: [{ text: 'It is there after a restart.' }, { text: 'It is gone after 30 days.' }],
    code_refs: [{ path: 'src/cart/keep.ts' }],
  })
  const key = requirement.key ?? ''
  const strict = { product: '', branch: null, requirement: key, body: '', criteria: [], files: [], dry_run: false }
  const read = async () => (await shop.api.getRequirement({ id: requirement.id })).requirement
  await agent.call('save_requirement', { ...strict, title: 'The cart is kept for 30 days' })
  expect(await read()).toMatchObject({
    title: 'The cart is kept for 30 days',
    statement: 'For 30 days.',
    acceptance_criteria: [{}, {}],
    code_refs: [{}],
  })
  const clear = { requirement: key, title: 'The cart is kept for 30 days', clear: ['criteria', 'files'] }
  const preview = await agent.call('save_requirement', { ...clear, dry_run: true })
  expect(preview.text).toContain(`would change ${key} in criteria (removes 2), files (removes 1)`)
  const cleared = await agent.call('save_requirement', clear)
  expect(await read()).toMatchObject({ acceptance_criteria: [], code_refs: [], statement: 'For 30 days.' })
  const [undo] = (cleared.structured as { next_actions: { args: Record<string, unknown> }[] }).next_actions
  await agent.call('save_requirement', undo?.args)
  expect((await read()).acceptance_criteria?.map(({ text }) => text)).toEqual([
    'It is there after a restart.',
    'It is gone after 30 days.',
  ])
  const both = await agent.call('save_requirement', { ...clear, criteria: ['x'] })
  expect(both.text).toContain('criteria with what it should say, or clear to empty it')
})
