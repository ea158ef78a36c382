import { expect, test } from 'vitest'
import { readChanges } from '../../../src/service/branches/changes.ts'
import { requirementMembers, testMembers } from '../../../src/service/branches/members.ts'
import { startApp } from '../../app.ts'

test('rows become the members that a branch stores', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}`
  await app.request('POST', `${path}/requirements`, { title: 'Cart', acceptance_criteria: [{ text: 'Sums up' }] })
  const automation_ref = { file_path: 'test/cart.test.ts', name: 'sums up' }
  const tests = [
    { kind: 'suite', title: 'Cart' },
    { kind: 'case', title: 'Sums up', automation_ref, steps: [{ action: 'Add' }] },
  ]
  for (const body of tests) await app.request('POST', `${path}/tests`, body)
  const requirement = await app.db.read.selectFrom('requirement').selectAll().executeTakeFirstOrThrow()
  expect(requirementMembers(requirement)).toMatchObject({
    title: 'Cart',
    normative: true,
    acceptance_criteria: [{ text: 'Sums up' }],
    parent_id: '',
  })
  const [suite, one] = await app.db.read.selectFrom('test').selectAll().orderBy('number').execute()
  expect(testMembers(suite!)).toMatchObject({ kind: 'TEST_KIND_SUITE', automation_ref: null, quarantine: null })
  expect(testMembers(one!)).toMatchObject({
    automation_ref: { ...automation_ref, suite_path: [], project: '', line: 0 },
    steps: [{ action: 'Add' }],
  })
  expect(await readChanges(app.db.read, 'a branch without changes')).toEqual([])
})
