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
    "2 changed to ignored, 1 already ignored, 1 not found. No event reopens its issue.
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
      "answer": "2 changed to ignored, 1 already ignored, 1 not found. No event reopens its issue.",
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

test('unresolved vouches for an issue that has this status already, as get_error_issue then says', async () => {
  const set = async (issues: string[], more = {}) =>
    (await agent.call('set_error_issue_status', { issues, status: 'unresolved', reason: 'real', ...more })).text
  const read = async () => (await agent.call('get_error_issue', { issue: 'APP-7' })).text
  expect(await read()).not.toContain('vouched_by')
  expect(await set(['APP-7'], { dry_run: true })).toContain(
    'nothing written: 1 unresolved already would be vouched for.',
  )
  expect(await read()).not.toContain('vouched_by')
  const text = await set(['APP-7'])
  expect(text).toContain(
    '1 unresolved already and vouched for. The quality gate judges issues that are vouched for; nothing takes that back.',
  )
  expect(text).toContain('APP-7 | vouched | unresolved')
  expect(text).not.toContain('undoes')
  expect(await read()).toContain('handled=true, vouched_by=member')
  expect(await set(['APP-8', 'APP-9'])).toContain('2 unresolved already and vouched for.')
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

test('the answer says in words what reopens the issue, for each kind, and the undo restores what there was', async () => {
  await using other = await connect(shop.api)
  const product = `/v1/products/${shop.productId}`
  await shop.request('POST', `${product}/releases`, { version: 'shop@1.4.1', environment: 'production' })
  const set = async (args: Record<string, unknown>, dry_run = false) => {
    const call = { issues: ['APP-10'], reason: 'r', ...args }
    const { text, structured } = await other.call('set_error_issue_status', { ...call, dry_run })
    const { answer, next_actions: next = [] } = structured as Result
    return { text, answer: answer.replace(/^(?:Preview, nothing written: )?1 .+?\. /, ''), undo: next[0]?.args }
  }
  const cases: [args: Record<string, unknown>, words: string, undo: Record<string, unknown>][] = [
    [
      { status: 'resolved' },
      'An event in production from shop@1.4.1 or later, or one without a release, reopens it; events of older or unknown releases do not.',
      { status: 'unresolved' },
    ],
    [
      { status: 'resolved', fixed_in: 'next' },
      'An event in production from a release after shop@1.4.1 reopens it; events of older or unknown releases do not.',
      { status: 'resolved' },
    ],
    [
      { status: 'resolved', fixed_in: '1.4.1' },
      'An event in production from shop@1.4.1 or later reopens it; events of older or unknown releases do not.',
      { status: 'resolved', fixed_in: 'next' },
    ],
    [
      { status: 'resolved', fixed_in: 'C0FFEE1234' },
      'No recorded release has commit c0ffee1234 yet, so the next one counts. An event in production from a release after shop@1.4.1 reopens it; events of older or unknown releases do not.',
      { status: 'resolved', fixed_in: expect.stringMatching(/./) },
    ],
    [{ status: 'ignored' }, 'No event reopens it.', { status: 'resolved', fixed_in: 'c0ffee1234' }],
    [
      { status: 'ignored', ignore_until: '100 times' },
      'It is ignored for 100 more events; the one after that reopens it.',
      { status: 'ignored' },
    ],
    [
      { status: 'ignored', ignore_until: '7d' },
      'The first event at or after 2026-11-28T12:00Z reopens it.',
      { status: 'ignored', ignore_until: '100 times' },
    ],
    [
      { status: 'ignored', ignore_until: 'next_release' },
      'An event in production from a release after shop@1.4.1 reopens it; events of older or unknown releases do not.',
      { status: 'ignored', ignore_until: '2026-11-28T12:00:00.000Z' },
    ],
    [
      { status: 'ignored', ignore_until: '2026-12-24' },
      'The first event at or after 2026-12-24T00:00Z reopens it.',
      { status: 'ignored', ignore_until: 'next_release' },
    ],
  ]
  for (const [args, words, undo] of cases) {
    expect((await set(args, true)).answer).toBe(words)
    const done = await set(args)
    expect(done.answer).toBe(words)
    expect(done.undo).toEqual({ issues: ['APP-10'], reason: 'Undo of the previous change.', ...undo })
    const again = await set(args)
    expect([again.text.includes('1 already'), again.answer]).toEqual([
      !('ignore_until' in args) || args['ignore_until'] !== '7d',
      words,
    ])
    const detail = await other.call('get_error_issue', { issue: 'APP-10' })
    expect(detail.text).toContain(words)
  }
  const { undo } = await set({ status: 'resolved', fixed_in: 'next' })
  await other.call('set_error_issue_status', undo)
  const { issues } = await shop.api.listIssues({ product_id: shop.productId, short_id: 'APP-10' })
  expect(issues[0]).toMatchObject({ status: 'ignored', ignore_until: { until: '2026-12-24T00:00:00.000Z' } })
})

interface Result {
  answer: string
  next_actions?: { args: Record<string, unknown> }[]
}

test('different cases are said once each, with the issues they belong to', async () => {
  await using other = await connect(shop.api)
  await shop.crash(1, {
    environment: 'staging',
    release: 'shop@1.4.0',
    exception: { values: [{ type: 'Odd', value: 'x' }] },
  })
  const { text } = await other.call('set_error_issue_status', {
    issues: ['APP-11', 'APP-12', 'APP-13'],
    status: 'resolved',
    reason: 'r',
  })
  expect(text).toContain('APP-11, APP-12: An event in production from shop@')
  expect(text).toContain('APP-13: Any event in staging reopens its issue, because no release is recorded there.')
})

test('fixed_in and ignore_until are read strictly, and the error names the forms there are', async () => {
  await using other = await connect(shop.api)
  const refused: [Record<string, unknown>, string][] = [
    [{ status: 'ignored', fixed_in: 'next' }, 'fixed_in belongs to status resolved'],
    [{ status: 'resolved', ignore_until: '7d' }, 'ignore_until belongs to status ignored'],
    [{ status: 'resolved', fixed_in: '1.4' }, 'expected: next, a commit (7-64 hexadecimal characters), shop@1.4.'],
    [{ status: 'resolved', fixed_in: 'soon' }, 'fixed_in is no recorded release'],
    [{ status: 'ignored', ignore_until: '7m' }, 'next_release, a number of events such as "100 times"'],
    [{ status: 'ignored', ignore_until: '100' }, 'ignore_until = "100"'],
    [{ status: 'ignored', ignore_until: 'tomorrow' }, 'a duration such as 12h, 7d or 2w, or a date'],
    [{ status: 'ignored', ignore_until: '2001-01-01' }, 'the service does not accept this ignore_until'],
  ]
  for (const [args, words] of refused) {
    const { text, isError } = await other.call('set_error_issue_status', { issues: ['APP-9'], reason: 'r', ...args })
    expect([text, isError]).toEqual([expect.stringContaining(words), true])
  }
  expect(await statusOf('APP-9')).toBe('unresolved')
  const strict = { issues: ['APP-9'], reason: 'r', status: 'resolved', fixed_in: null, ignore_until: '', dry_run: true }
  expect((await other.call('set_error_issue_status', strict)).text).toContain('1 would change to resolved.')
})
