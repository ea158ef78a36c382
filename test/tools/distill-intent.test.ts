import type { Client } from '@modelcontextprotocol/client'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLocalFiles } from '../../src/mcp/files/local-files.ts'
import { connect, type Connected } from '../mcp/clients.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'

const options = { toolsets: ['default', 'requirements'] }
const root = mkdtempSync(join(tmpdir(), 'tracegate-intent-'))

let shop: QualityShop
let agent: Connected
beforeAll(async () => {
  shop = await openQualityShop()
  agent = await connect(shop.api, { options, local: createLocalFiles([root]) })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
  rmSync(root, { recursive: true })
})

const dataOf = (structured: unknown) => (structured as { data: Record<string, unknown> }).data
const rowsOf = (structured: unknown, name: string) => dataOf(structured)[name] as Record<string, unknown>[]

const notes = `# Gift wrap

We talked about Christmas.

- A customer must be able to order gift wrap for an article.
- The cart should not show the sum of its prices.
- We no longer need REQ-4: nobody types coupons.
- REQ-77 must be printed.

| colour | price |
| ------ | ----- |
| red    | 2.00  |
`

test('distill_intent drafts a text on a new branch and says what became of each sentence', async () => {
  expect(shown(await agent.call('distill_intent', { intent: notes, branch: 'Gift wrap' }))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Drafted on quality branch Gift wrap: 1 requirement created, 1 contradiction for the user to decide, 1 requirement retired, 1 item in error, 2 lines read as context, 1 part of the text skipped.",
        "data": {
          "branch": {
            "id": "00000000-0000-7000-8000-000000000044",
            "name": "Gift wrap",
          },
          "decisions": [
            {
              "after": "The cart should not show the sum of its prices.",
              "before": "The cart shall show the sum of its prices. * in the currency of the shop * rounded to cents",
              "differs": "cents was left out; it was negated; must became should",
              "id": "REQ-2",
              "lines": "6",
              "quote": "The cart should not show the sum of its prices.",
              "title": "The cart shows its total",
            },
          ],
          "drafts": [
            {
              "action": "create",
              "id": "REQ-?1",
              "lines": "5",
              "quote": "A customer must be able to order gift wrap for an article.",
            },
            {
              "action": "retire",
              "id": "REQ-4",
              "lines": "7",
              "matches": "A coupon lowers the total",
              "quote": "We no longer need REQ-4: nobody types coupons.",
            },
          ],
          "errors": [
            {
              "error": "REQ-77 does not exist; the nearest key is REQ-4. Leave the key out to draft it as new.",
              "lines": "8",
              "quote": "REQ-77 must be printed.",
            },
          ],
          "skipped": [
            {
              "lines": "10",
              "reason": "TABLE",
              "text": "| colour | price | | ------ | ----- | | red    | 2.00  |",
            },
          ],
        },
        "next_actions": [
          {
            "args": {
              "branch": "00000000-0000-7000-8000-000000000044",
              "product": "1",
            },
            "tool": "review_branch",
            "why": "conflicts, effect on coverage and gate",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Drafted on quality branch Gift wrap: 1 requirement created, 1 contradiction for the user to decide, 1 requirement retired, 1 item in error, 2 lines read as context, 1 part of the text skipped.
    product: My product (id 1)
    branch: id=00000000-0000-7000-8000-000000000044, name=Gift wrap
    errors (lines | quote | error):
    8 | REQ-77 must be printed. | REQ-77 does not exist; the nearest key is REQ-4. Leave the key out to draft it as new.
    decisions (id | title | lines | quote | before | after | differs):
    REQ-2 | The cart shows its total | 6 | The cart should not show the sum of its prices. | The cart shall show the sum of its prices. * in the currency of the shop * rounded to cents | The cart should not show the sum of its prices. | cents was left out; it was negated; must became should
    drafts (id | action | lines | quote | matches):
    REQ-?1 | create | 5 | A customer must be able to order gift wrap for an article. | -
    REQ-4 | retire | 7 | We no longer need REQ-4: nobody types coupons. | A coupon lowers the total
    skipped (lines | reason | text):
    10 | TABLE | \\| colour \\| price \\| \\| ------ \\| ----- \\| \\| red    \\| 2.00  \\|
    Next:
    - review_branch {"product":"1","branch":"00000000-0000-7000-8000-000000000044"} (conflicts, effect on coverage and gate)",
    }
  `)
})

test('the same text again on the branch is found there, though its name is written in another case', async () => {
  const { text, structured } = await agent.call('distill_intent', { intent: notes, branch: 'gift wrap' })
  expect(rowsOf(structured, 'drafts').map(({ action }) => action)).not.toContain('create')
  expect(text).toContain('duplicate')
})

test('the main requirements stay as they are', async () => {
  const { text } = await agent.call('list_requirements')
  expect(text).not.toContain('gift wrap')
  expect((await agent.call('get_requirement', { requirement: 'REQ-4' })).text).toContain('status=draft')
})

test('a file of this machine is read instead of a text, and its lines are named', async () => {
  writeFileSync(
    join(root, 'plan.feature'),
    'Feature: Wrap\n  Scenario: Red\n    When red is chosen\n    Then the wrap is red\n',
  )
  const { structured } = await agent.call('distill_intent', { path: 'plan.feature', branch: 'Wrap file' })
  expect(dataOf(structured)['document']).toBe('plan.feature')
  expect(rowsOf(structured, 'drafts')).toEqual([
    expect.objectContaining({
      action: 'create',
      lines: '2-4',
      criteria: 1,
      quote: expect.stringContaining('Scenario: Red') as string,
    }),
  ])
})

test('items are drafted as they are written, compared with what exists', async () => {
  const items = [
    {
      title: 'The cart shows its total',
      statement: 'The cart must show the sum of its prices in euros.',
      requirement: 'REQ-2',
    },
    {
      title: 'A wish list can be shared',
      statement: 'A customer may share a wish list.',
      criteria: ['The link works for 30 days.'],
    },
    { title: 'An item can be removed', retire: true, requirement: 'REQ-3' },
    { title: 'Unknown', requirement: 'REQ-50' },
  ]
  const { structured } = await agent.call('distill_intent', { items, branch: 'Items' })
  expect(rowsOf(structured, 'errors')).toEqual([
    expect.objectContaining({ error: expect.stringContaining('REQ-50') as string }),
  ])
  expect(rowsOf(structured, 'decisions').map(({ id }) => id)).toEqual(['REQ-2'])
  expect(rowsOf(structured, 'drafts').map(({ id, action }) => `${String(id)} ${String(action)}`)).toEqual([
    'REQ-?1 create',
    'REQ-3 retire',
  ])
})

test('a text without a demand drafts nothing and makes no branch', async () => {
  const { text } = await agent.call('distill_intent', { intent: 'We met on Tuesday.', branch: 'Empty' })
  expect(text).toContain('Drafted nothing')
  const { branches } = await shop.api.listBranches({ product_id: shop.productId, name: 'Empty' })
  expect(branches).toEqual([])
})

test('exactly one of intent, path and items is asked for', async () => {
  const { text } = await agent.call('distill_intent', { intent: 'x', items: [{ title: 'y' }] })
  expect(text).toContain('sent: intent and items')
  expect((await agent.call('distill_intent', {})).text).toContain('neither intent nor path nor items')
})

test('a text of 2 MB is drafted up to 200 requirements, with progress, and what is left out is named', async () => {
  const context = 'The buyers talked about the season and about what other shops do. '.repeat(10)
  const items = Array.from({ length: 2700 }, (_, index) => `The shop must list season ${String(index)}.\n\n${context}`)
  writeFileSync(join(root, 'long.md'), items.join('\n\n'))
  const messages: unknown[] = []
  // The client of this era, not the older one.
  const client = agent.client as Client
  const { content } = await client.callTool(
    { name: 'distill_intent', arguments: { path: 'long.md', branch: 'Long' } },
    { onprogress: ({ message }) => messages.push(message), timeout: 60_000 },
  )
  const [first] = content as { text: string }[]
  expect(first?.text).toContain('200 requirements created')
  expect(first?.text).toContain('proposals: 200 of 2700')
  expect(messages).toContain('reading the text')
})
