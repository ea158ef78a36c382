import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../src/contract/index.ts'
import { done, mainRows, startTree } from '../branches/branch-tree.ts'

type Distillation = ResponseOf<'distillIntent'>['distillation']

async function startShop() {
  const app = await startTree()
  const { tree } = app
  const timeout = await tree.requirement({
    title: 'Session timeout',
    statement: 'The session must end after 30 seconds of inactivity.',
    status: 'REQUIREMENT_STATUS_APPROVED',
  })
  const mail = await tree.requirement({
    title: 'Order mail',
    statement: 'The shop must send an order confirmation by email.',
  })
  const csv = await tree.requirement({ title: 'CSV export', statement: 'The system must export orders as CSV.' })
  return Object.assign(app, {
    timeout,
    mail,
    csv,
    send: (body: object) => app.request<{ distillation: Distillation }>('POST', `${tree.product}/intent:distill`, body),
    async distill(body: object) {
      return done(await this.send(body)).distillation
    },
  })
}

const discussion = `# Faster checkout

We talked about the shop on Monday.

## Requirements

- The session must end after 60 seconds of inactivity.
- The shop must send a confirmation of the order by e-mail.
- The checkout must accept gift cards.
- REQ-42: the cart must show the tax.
- Orders can no longer be exported as CSV.
- Instead, orders must be exported as JSON.
`

test('a discussion becomes drafts on a new branch, and the main tree stays as it is', async () => {
  await using app = await startShop()
  const before = await mainRows(app)
  const { branch, proposals, summary } = await app.distill({ text: discussion })

  expect(branch).toMatchObject({
    name: 'Faster checkout',
    source: { kind: 'BRANCH_SOURCE_DISTILL' },
    counts: { created: 2, modified: 2, needs_decision: 1 },
  })
  expect(proposals.map(({ action, matched }) => [action.slice(15), matched?.key ?? ''])).toEqual([
    ['CONFLICT', 'REQ-1'],
    ['DUPLICATE', 'REQ-2'],
    ['CREATE', ''],
    ['ERROR', ''],
    ['RETIRE', 'REQ-3'],
    ['CREATE', 'REQ-3'],
  ])
  expect(summary).toMatchObject({
    proposed: 6,
    created: 2,
    updated: 0,
    duplicates: 1,
    conflicts: 1,
    retired: 1,
    errors: 1,
  })

  const [conflict, duplicate, gift, unknown, retired, json] = proposals
  expect(conflict).toMatchObject({
    needs_decision: true,
    differences: ['30 seconds became 60 seconds'],
    changes: [
      {
        field: 'statement',
        before: 'The session must end after 30 seconds of inactivity.',
        after: 'The session must end after 60 seconds of inactivity.',
      },
    ],
    source: { document: 'text', line_start: 7, line_end: 7 },
  })
  expect(duplicate?.requirement).toMatchObject({ id: '', key: '' })
  expect(gift?.requirement).toMatchObject({
    key: 'REQ-?1',
    branch_id: branch?.id,
    status: 'REQUIREMENT_STATUS_PROPOSED',
    source: { kind: 'REQUIREMENT_SOURCE_DISTILL', uri: 'text', line_start: 9, line_end: 9 },
  })
  expect(gift?.requirement.source.quote).toContain('The checkout must accept gift cards.')
  expect(unknown).toMatchObject({
    error: 'REQ-42 does not exist; the nearest key is REQ-3. Leave the key out to draft it as new.',
  })
  expect(retired?.requirement).toMatchObject({
    status: 'REQUIREMENT_STATUS_DEPRECATED',
    superseded_by_id: json?.requirement.id,
  })
  expect(json?.requirement.statement).toBe('Orders must be exported as JSON.')
  expect(await mainRows(app)).toEqual(before)

  const { changes } = await app.tree.getBranch(branch!.id)
  const note = changes.find(({ key }) => key === 'REQ-1')
  expect(note).toMatchObject({ needs_decision: true })
  expect(note?.note).toBe(
    '30 seconds became 60 seconds; text, line 7: "The session must end after 60 seconds of inactivity."',
  )
  expect((await app.tree.read(app.timeout.id, branch!.id)).requirement.source.kind).toBe('REQUIREMENT_SOURCE_MANUAL')

  const again = await app.distill({ text: discussion, branch_id: branch!.id })
  expect(again.proposals.map(({ action }) => action.slice(15))).toEqual([
    'DUPLICATE',
    'DUPLICATE',
    'DUPLICATE',
    'ERROR',
    'DUPLICATE',
    'DUPLICATE',
  ])
  expect(again.branch?.head_revision).toBe(branch?.head_revision)

  const other = await app.distill({ text: discussion })
  expect(other.branch?.name).toBe('Faster checkout (2)')
  expect(other.proposals[0]?.also_changed_in).toMatchObject([
    { branch: { id: branch?.id, name: 'Faster checkout' }, key: 'REQ-1', fields: ['statement'] },
  ])
})

test('every line is accounted for, and skipped ones are quoted', async () => {
  await using app = await startShop()
  const { lines, skipped, summary } = await app.distill({
    documents: [{ name: 'notes.md', content: '# Export\n\nThe export must be fast.\n\n```\nlet x = 1\n```\n' }],
    validate_only: true,
  })
  expect(lines.every(({ document }) => document === 'notes.md')).toBe(true)
  expect(lines.map(({ line_start }) => line_start)).toContain(1)
  expect(skipped).toMatchObject([{ document: 'notes.md', line: 5, reason: 'CODE' }])
  expect(skipped[0]?.quote).toContain('let x = 1')
  expect(summary.skipped).toBe(skipped.length)
})

test('a scenario that is added to a requirement is shown with the steps that it has', async () => {
  await using app = await startShop()
  const { proposals } = await app.distill({
    documents: [
      {
        name: 'mail.feature',
        content:
          'Feature: Mail\n\n  @REQ-2\n  Scenario: Total\n    When an order is paid\n    Then the mail names the total\n',
      },
    ],
    validate_only: true,
  })
  expect(proposals[0]?.changes).toEqual([
    { field: 'acceptance_criteria', before: '', after: 'when an order is paid, then the mail names the total' },
  ])
})

test('items are compared and drafted without being read', async () => {
  await using app = await startShop()
  const component = await app.request<{ component: { id: string } }>('POST', `${app.tree.product}/components`, {
    name: 'Cart',
    path_globs: ['src/cart/**'],
  })
  const group = await app.tree.requirement({ title: 'Cart', kind: 'REQUIREMENT_KIND_GROUP' })
  const { branch, proposals } = await app.distill({
    branch_name: 'Cart work',
    parent_id: group.id,
    items: [
      { title: 'Show the tax in the cart', criteria: ['The tax is shown per item.'], files: ['src/cart/total.ts'] },
      { title: 'Order mail', requirement_key: 'REQ-2', criteria: ['The mail names the delivery address.'] },
      { title: 'No CSV', requirement_key: 'req-3', retire: true },
      { title: 'Show the tax in the cart' },
      { title: 'Show what guests should do to return parcels' },
      { title: 'Never print card numbers' },
    ],
  })
  expect(branch?.name).toBe('Cart work')
  expect(proposals.map(({ action }) => action.slice(15))).toEqual([
    'CREATE',
    'UPDATE',
    'RETIRE',
    'DUPLICATE',
    'CREATE',
    'CREATE',
  ])
  expect(proposals.slice(4).map(({ modality }) => modality)).toEqual(['MODALITY_MUST', 'MODALITY_MUST_NOT'])
  const [created, updated, , repeated] = proposals
  expect(created?.requirement).toMatchObject({
    parent_id: group.id,
    component_ids: [component.body.component.id],
    code_refs: [{ path: 'src/cart/total.ts' }],
    acceptance_criteria: [{ text: 'The tax is shown per item.' }],
  })
  expect(updated).toMatchObject({
    needs_decision: false,
    changes: [{ field: 'acceptance_criteria', before: '', after: 'The mail names the delivery address.' }],
  })
  expect(repeated?.matched).toMatchObject({ id: created?.requirement.id, key: 'REQ-?1' })
})

test('a dry run and a text without news make no branch', async () => {
  await using app = await startShop()
  const dry = await app.distill({ text: discussion, validate_only: true })
  expect(dry).toMatchObject({ id: '', branch: null, summary: { created: 2 } })
  expect(dry.proposals[2]?.requirement).toMatchObject({ id: '', key: '', title: expect.any(String) as string })
  const nothing = await app.distill({ text: 'The shop must send an order confirmation by email.' })
  expect(nothing).toMatchObject({ branch: null, summary: { duplicates: 1 } })
  const branches = await app.request<ResponseOf<'listBranches'>>('GET', `${app.tree.product}/branches`)
  expect(branches.body.branches).toEqual([])
})

test('requests that do not say what to do where are refused', async () => {
  await using app = await startShop()
  const branch = await app.tree.branch('Open')
  const refused = async (body: object) => {
    const reply = await app.send(body)
    return [reply.status, reply.body]
  }
  expect(await refused({})).toMatchObject([
    400,
    { message: 'nothing to distill; pass exactly one of text, documents and items' },
  ])
  expect(await refused({ text: 'a', items: [{ title: 'b' }] })).toMatchObject([
    400,
    { message: expect.stringContaining('text and items were both given') as string },
  ])
  expect(await refused({ text: ' \n ' })).toMatchObject([
    400,
    { message: expect.stringContaining('the text is empty') as string },
  ])
  expect(await refused({ text: 'a', branch_id: branch, branch_name: 'x' })).toMatchObject([400, {}])
  expect(await refused({ text: 'a', branch_id: 'nope' })).toMatchObject([404, {}])
  expect(await refused({ text: 'a', parent_id: 'nope' })).toMatchObject([404, {}])
  expect(await refused({ text: 'The cart must show the tax.', branch_name: 'Open' })).toMatchObject([409, {}])
  await app.request('DELETE', `/v1/branches/${branch}`)
  expect(await refused({ text: 'a', branch_id: branch })).toMatchObject([
    400,
    { details: [{ reason: 'BRANCH_NOT_OPEN' }] },
  ])
  expect(await refused({ text: 'a'.repeat(2 * 1024 * 1024) })).toMatchObject([413, {}])
})

test('a large text is cut with notes, counted whole, and lets others be answered', async () => {
  await using app = await startShop()
  const items = Array.from({ length: 3000 }, (_, index) => `- The cart must show field ${String(index)}.\n\nTalk.\n\n`)
  const finished: string[] = []
  const [distillation] = await Promise.all([
    app
      .distill({ text: `# Fields\n\n## Requirements\n\n${items.join('')}`, options: { max_requirements: 2 } })
      .finally(() => finished.push('distill')),
    app.tree.list().finally(() => finished.push('list')),
  ])
  expect(finished).toEqual(['list', 'distill'])
  const { summary, lines, skipped, truncation_signals: signals } = distillation
  expect(signals).toContain('proposals:max_requirements:2/3000')
  expect(signals.some((one) => one.startsWith('lines:max_items:2000/'))).toBe(true)
  expect(signals).toContain(`skipped:max_items:200/${String(summary.skipped)}`)
  expect([lines.length, skipped.length, summary.proposed]).toEqual([2000, 200, 2])
})

test('the same text twice at once on a branch is drafted once', async () => {
  await using app = await startShop()
  const branch = await app.tree.branch()
  const both = await Promise.all([1, 2].map(() => app.distill({ text: discussion, branch_id: branch })))
  expect(both.map(({ summary }) => summary.created).toSorted((one, other) => one - other)).toEqual([0, 2])
  expect((await app.tree.getBranch(branch)).branch.counts).toMatchObject({ created: 2, modified: 2 })
})
