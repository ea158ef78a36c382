import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { openShop, shown, type Shop } from './shop.ts'

let shop: Shop
let agent: Connected
beforeAll(async () => {
  shop = await openShop()
  for (let crash = 0; crash < 12; crash += 1) {
    await shop.crash(crash, {
      exception: { values: [{ type: `Error${String.fromCodePoint(65 + crash)}`, value: 'x' }] },
    })
  }
  agent = await connect(shop.api)
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

async function statusOf(key: string): Promise<string | undefined> {
  const { issues } = await shop.api.listIssues({ product_id: shop.productId, short_id: key })
  return issues[0]?.status
}

test('set_error_issue_status says per issue what became of it, and how to undo it', async () => {
  await agent.call('set_error_issue_status', { issues: ['APP-2'], status: 'ignored', reason: 'noise' })
  const called = await agent.call('set_error_issue_status', {
    issues: ['APP-1', 'APP-2', 'APP-3', 'APP-999'],
    status: 'ignored',
    reason: 'a load test',
  })
  expect(shown(called).text).toMatchInlineSnapshot(`
    "2 changed to ignored, 1 already ignored, 1 not found.
    status: ignored
    rows (id | outcome | from):
    APP-1 | changed | unresolved
    APP-2 | already | ignored
    APP-3 | changed | unresolved
    APP-999 | not_found | -
    Next:
    - set_error_issue_status {"issues":["APP-1","APP-3"],"status":"unresolved","reason":"Undo of the previous change."} (undoes this change, if the user wants that)"
  `)
  expect(shown(called).structured).toMatchInlineSnapshot(`
    {
      "answer": "2 changed to ignored, 1 already ignored, 1 not found.",
      "data": {
        "rows": [
          {
            "from": "unresolved",
            "id": "APP-1",
            "outcome": "changed",
          },
          {
            "from": "ignored",
            "id": "APP-2",
            "outcome": "already",
          },
          {
            "from": "unresolved",
            "id": "APP-3",
            "outcome": "changed",
          },
          {
            "id": "APP-999",
            "outcome": "not_found",
          },
        ],
        "status": "ignored",
      },
      "next_actions": [
        {
          "args": {
            "issues": [
              "APP-1",
              "APP-3",
            ],
            "reason": "Undo of the previous change.",
            "status": "unresolved",
          },
          "tool": "set_error_issue_status",
          "why": "undoes this change, if the user wants that",
        },
      ],
    }
  `)
})

test('the reason is kept with the actor', async () => {
  await agent.call('set_error_issue_status', { issues: ['APP-4'], status: 'resolved', reason: 'fixed in 1f2e3d' })
  const { text } = await agent.call('get_error_issue', { issue: 'APP-4' })
  expect(text).toContain('status_note=fixed in 1f2e3d (via MCP)')
  expect(text).toContain('status_changed_by=Owner')
})

test('the undo call undoes', async () => {
  const { structured } = await agent.call('set_error_issue_status', {
    issues: ['APP-5', 'APP-6'],
    status: 'resolved',
    reason: 'r',
  })
  const [undo] = (structured as { next_actions: { tool: string; args: Record<string, unknown> }[] }).next_actions
  expect(await statusOf('APP-5')).toBe('resolved')
  const undone = await agent.call(undo?.tool ?? '', undo?.args)
  expect(undone.text).toContain('2 changed to unresolved.')
  expect(await statusOf('APP-5')).toBe('unresolved')
})

test('a preview writes nothing', async () => {
  const { text } = await agent.call('set_error_issue_status', {
    issues: ['APP-7'],
    status: 'ignored',
    reason: 'r',
    dry_run: true,
  })
  expect(text).toContain('Preview, nothing written: 1 would change to ignored.')
  expect(await statusOf('APP-7')).toBe('unresolved')
})

test('one issue named by id and by key is one issue', async () => {
  const { issues } = await shop.api.listIssues({ product_id: shop.productId, short_id: 'APP-8' })
  const both = [issues[0]?.id, 'APP-8', 'app-8']
  const { text } = await agent.call('set_error_issue_status', { issues: both, status: 'ignored', reason: 'r' })
  expect(text).toContain('1 changed to ignored.')
})

test('an issue of another product is refused, and a begun product name is not enough for a write', async () => {
  const { workspaces } = await shop.api.listWorkspaces({})
  await shop.api.createProduct({ workspace_id: workspaces[0]?.id ?? '', name: 'Second', key_prefix: 'SEC' })
  const other = await agent.call('set_error_issue_status', {
    product: 'Second',
    issues: ['APP-9'],
    status: 'ignored',
    reason: 'r',
  })
  expect(other.text).toContain('error: APP-9 is a key of product "My product", not of the product that you named')
  const begun = await agent.call('set_error_issue_status', {
    product: 'Seco',
    issues: ['APP-9'],
    status: 'ignored',
    reason: 'r',
  })
  expect(begun.text).toContain('product not found')
  const number = await agent.call('set_error_issue_status', {
    product: 'My product',
    issues: ['9'],
    status: 'ignored',
    reason: 'r',
  })
  expect(number.text).toContain('expected: issue: the whole key, APP-9')
  expect(await statusOf('APP-9')).toBe('unresolved')
})
