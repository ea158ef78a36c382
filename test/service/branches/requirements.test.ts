import { expect, test } from 'vitest'
import { mainRows, startTree } from './branch-tree.ts'

test('a branch shows what it creates, changes, moves and deletes, and the main tree stays as it is', async () => {
  await using app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', statement: 'The cart sums up.', tags: ['shop'] })
  const total = await tree.requirement({ title: 'Total', parent_id: cart.id, acceptance_criteria: [{ text: 'Sums' }] })
  const coupon = await tree.requirement({ title: 'Coupon' })
  const branch = await tree.branch()
  const before = await mainRows(app)

  const created = await tree.requirement({ title: 'Guest checkout', parent_id: cart.id, branch_id: branch })
  expect(created).toMatchObject({ key: 'REQ-?1', branch_id: branch, parent_id: cart.id, path: ['REQ-1'], version: 1 })
  const below = await tree.requirement({ title: 'Guest mail', parent_id: created.id, branch_id: branch })
  expect(below).toMatchObject({ key: 'REQ-?2', path: ['REQ-1', 'REQ-?1'] })
  const changed = await tree.change(cart.id, { statement: 'The cart sums up in euros.', branch_id: branch })
  expect(changed).toMatchObject({ statement: 'The cart sums up in euros.', version: 2, branch_id: branch })
  await tree.change(total.id, { parent_id: null, branch_id: branch })
  await tree.remove(coupon.id, branch)

  expect((await tree.list(branch)).map(({ key, path }) => [...path, key].join(' '))).toEqual([
    'REQ-1',
    'REQ-1 REQ-?1',
    'REQ-1 REQ-?1 REQ-?2',
    'REQ-2',
  ])
  expect(await tree.list(branch, '&q=guest')).toHaveLength(2)
  expect(await tree.list(branch, '&key=REQ-%3F2')).toMatchObject([{ id: below.id }])
  expect(await tree.list(branch, '&key=nonsense')).toEqual([])
  expect((await tree.read(cart.id, branch)).children.map(({ key }) => key)).toEqual(['REQ-?1'])
  expect((await app.request('GET', `/v1/requirements/${coupon.id}?branch_id=${branch}`)).status).toBe(404)
  expect(await mainRows(app)).toEqual(before)

  const { branch: counted, changes } = await tree.getBranch(branch)
  expect(counted.counts).toMatchObject({ created: 2, modified: 1, moved: 1, deleted: 1 })
  expect(counted.head_revision).toBe(5)
  expect(
    changes.map(({ key, title, operation, fields }) => ({ key, title, operation, fields: fields.length })),
  ).toEqual([
    { key: 'REQ-?1', title: 'Guest checkout', operation: 'CHANGE_OPERATION_CREATE', fields: 19 },
    { key: 'REQ-?2', title: 'Guest mail', operation: 'CHANGE_OPERATION_CREATE', fields: 19 },
    { key: 'REQ-1', title: 'Cart', operation: 'CHANGE_OPERATION_MODIFY', fields: 1 },
    { key: 'REQ-2', title: 'Total', operation: 'CHANGE_OPERATION_MOVE', fields: 2 },
    { key: 'REQ-3', title: 'Coupon', operation: 'CHANGE_OPERATION_DELETE', fields: 0 },
  ])
})

test('several changes of a requirement are stored as one, and as none once it equals the main tree', async () => {
  await using app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', statement: 'Sums up.' })
  const branch = await tree.branch()
  const created = await tree.requirement({ title: 'Guest', branch_id: branch })
  await tree.change(created.id, { title: 'Guest checkout', branch_id: branch })
  const first = await tree.change(cart.id, { statement: 'Sums up in euros.', branch_id: branch })
  const second = await tree.change(cart.id, { rationale: 'Asked for.', branch_id: branch, etag: first.etag })
  expect(second).toMatchObject({ version: 2, etag: expect.not.stringMatching(first.etag) as string })
  const stale = { title: 'Basket', branch_id: branch, etag: first.etag }
  expect((await app.request('PUT', `/v1/requirements/${cart.id}`, stale)).status).toBe(409)
  const stored = () => app.db.read.selectFrom('branch_change').selectAll().orderBy('seq').execute()
  expect(await stored()).toMatchObject([
    { operation: 'CHANGE_OPERATION_CREATE', fields: expect.stringContaining('"title":"Guest checkout"') as string },
    {
      operation: 'CHANGE_OPERATION_MODIFY',
      base: '{"statement":"Sums up.","rationale":""}',
      fields: '{"statement":"Sums up in euros.","rationale":"Asked for."}',
    },
  ])

  await tree.change(cart.id, { statement: 'The main tree moves on.' })
  await tree.change(cart.id, { rationale: '', branch_id: branch })
  expect(await stored()).toMatchObject([{}, { base: '{"statement":"Sums up."}' }])
  await tree.change(cart.id, { statement: 'Sums up.', branch_id: branch })
  expect(await stored()).toHaveLength(1)
  await tree.remove(created.id, branch)
  expect(await stored()).toEqual([])
  await tree.remove(cart.id, branch)
  expect(await stored()).toMatchObject([{ operation: 'CHANGE_OPERATION_DELETE', fields: '{}' }])
  expect(JSON.parse((await stored())[0]!.base)).toMatchObject({ title: 'Cart', statement: 'The main tree moves on.' })
  const next = await tree.requirement({ title: 'Another', branch_id: branch })
  expect(next.key).toBe('REQ-?2')
})

test('reads of a branch succeed whatever changes in the main tree', async () => {
  await using app = await startTree()
  const { tree } = app
  const [cart, mail, guest] = [
    await tree.requirement({ title: 'Cart' }),
    await tree.requirement({ title: 'Mail' }),
    await tree.requirement({ title: 'Guest' }),
  ]
  const branch = await tree.branch()
  const onBranch = { branch_id: branch }
  const created = await tree.requirement({ title: 'Below cart', parent_id: cart.id, ...onBranch })
  await tree.change(mail.id, { parent_id: guest.id, depends_on_ids: [cart.id], ...onBranch })
  await tree.change(cart.id, { title: 'Basket', ...onBranch })
  await tree.change(guest.id, { parent_id: mail.id })
  await tree.remove(cart.id)
  const found = await tree.list(branch)
  expect(found.map(({ title, path }) => ({ title, path }))).toEqual([
    { title: 'Mail', path: [] },
    { title: 'Guest', path: ['REQ-2'] },
    { title: 'Below cart', path: [] },
  ])
  expect(found[0]).toMatchObject({ depends_on_ids: [], branch_id: branch })
  await tree.change(created.id, { title: 'At the root', branch_id: branch })
  expect(await tree.list(branch, '&key=REQ-%3F1')).toMatchObject([{ title: 'At the root', parent_id: '' }])
})
