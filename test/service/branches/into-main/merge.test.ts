import { expect, test } from 'vitest'
import type { InputOf, ResponseOf } from '../../../../src/contract/index.ts'
import { addPrincipal } from '../../../mcp/http/principals.ts'
import { done, mainRows, startTree } from '../branch-tree.ts'

type Preview = ResponseOf<'previewMerge'>['merge_preview']

async function startMerging() {
  const app = await startTree()
  const post = (id: string, body: object) =>
    app.request<ResponseOf<'mergeBranch'>>('POST', `/v1/branches/${id}/merge`, body)
  return Object.assign(app, {
    async preview(id: string): Promise<Preview> {
      return done(await app.request<ResponseOf<'previewMerge'>>('GET', `/v1/branches/${id}/merge-preview`))
        .merge_preview
    },
    tryMerge: post,
    async merge(id: string, body: Partial<InputOf<'mergeBranch'>> = {}) {
      return done(await post(id, body))
    },
    async propose(branch: string, testId: string, requirementId: string) {
      const body = { requirement_id: requirementId, branch_id: branch }
      const reply = await app.request<ResponseOf<'linkTest'>>('POST', `/v1/tests/${testId}/links`, body)
      return done(reply).proposal!
    },
    async approve(branch: string, ids: readonly string[]) {
      const body = { proposal_ids: ids, decision: 'approve' }
      done(await app.request('POST', `/v1/branches/${branch}/link-proposals:review`, body))
    },
  })
}

test('a branch is merged with final keys, versions, suspect links and what main changed meanwhile', async () => {
  await using app = await startMerging()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', statement: 'One.\nTwo.\nThree.', tags: ['shop'] })
  const sums = await tree.test({ title: 'sums up' })
  done(await app.request('POST', `/v1/tests/${sums.id}/links`, { requirement_id: cart.id }))
  const branch = await tree.branch()
  await tree.change(cart.id, { statement: 'One.\nTwo.\nFour.', tags: ['shop', 'guests'], branch_id: branch })
  const group = await tree.requirement({ title: 'Guests', kind: 'REQUIREMENT_KIND_GROUP', branch_id: branch })
  const draft = await tree.requirement({ title: 'Guest checkout', parent_id: group.id, branch_id: branch })
  const planned = await tree.test({ title: 'guest pays', branch_id: branch })
  await app.approve(branch, [(await app.propose(branch, planned.id, draft.id)).id])
  await app.propose(branch, sums.id, draft.id)
  await tree.change(cart.id, { statement: 'Zero.\nTwo.\nThree.', tags: ['shop', 'payment'], priority: 'PRIORITY_HIGH' })
  await tree.requirement({ title: 'Meanwhile in main' })
  const before = await mainRows(app)

  const preview = await app.preview(branch)
  expect(await mainRows(app)).toEqual(before)
  expect(preview).toMatchObject({
    mergeable: true,
    conflicts: [],
    link_proposals: { pending: 1, approved: 1, rejected: 0 },
    coverage_effect: { before: { no_test: 1, not_run: 1 }, after: { no_test: 1, not_run: 2 } },
    gate_effect: { current_status: expect.any(String) as string, predicted_status: expect.any(String) as string },
    warnings: [],
    truncation_signals: [],
  })
  expect(preview.changes.map(({ key, operation }) => `${key} ${operation}`)).toEqual([
    'REQ-1 CHANGE_OPERATION_MODIFY',
    'REQ-?1 CHANGE_OPERATION_CREATE',
    'REQ-?2 CHANGE_OPERATION_CREATE',
    'TC-?1 CHANGE_OPERATION_CREATE',
  ])
  expect(preview.changes[0]).toMatchObject({
    field_changes: [
      { field: 'statement', merged: 'Zero.\nTwo.\nFour.', resolution: 'FIELD_RESOLUTION_MERGED' },
      { field: 'tags', merged: ['shop', 'payment', 'guests'], resolution: 'FIELD_RESOLUTION_MERGED' },
    ],
    statement_diff: expect.stringContaining('-Three.') as string,
  })

  const token = { preview_token: preview.preview_token, approve_requirements: true, request_id: 'once' }
  const dry = await app.merge(branch, { ...token, request_id: 'dry', validate_only: true })
  expect(await mainRows(app)).toEqual(before)
  const { merge, branch: merged } = await app.merge(branch, token)
  expect(await app.merge(branch, token)).toEqual({ merge, branch: merged })
  expect({ ...dry.merge, coverage_effect: null, gate_effect: null }).toEqual(merge)
  expect(merge).toEqual({
    revision: preview.main_revision + 1,
    created: 3,
    modified: 1,
    deleted: 0,
    moved: 0,
    links_applied: 1,
    proposals_rejected_or_dropped: 1,
    id_map: [
      { provisional_key: 'REQ-?1', id: group.id, key: 'REQ-3' },
      { provisional_key: 'REQ-?2', id: draft.id, key: 'REQ-4' },
      { provisional_key: 'TC-?1', id: planned.id, key: 'TC-2' },
    ],
    coverage_effect: null,
    gate_effect: null,
  })
  expect(merged).toMatchObject({ state: 'BRANCH_STATE_MERGED', merged_revision: merge.revision, merged_by: {} })
  expect(await tree.read(cart.id)).toMatchObject({
    requirement: {
      statement: 'Zero.\nTwo.\nFour.',
      priority: 'PRIORITY_HIGH',
      version: 3,
      status: 'REQUIREMENT_STATUS_APPROVED',
    },
    links: [{ state: 'LINK_STATE_SUSPECT' }],
  })
  expect(await tree.read(draft.id)).toMatchObject({
    requirement: { key: 'REQ-4', path: ['REQ-3'], branch_id: '', status: 'REQUIREMENT_STATUS_APPROVED' },
    links: [{ test_key: 'TC-2' }],
  })
  const states = await app.db.read.selectFrom('link_proposal').select('state').orderBy('state').execute()
  expect(states.map(({ state }) => state)).toEqual(['LINK_PROPOSAL_STATE_APPLIED', 'LINK_PROPOSAL_STATE_OBSOLETE'])
  expect(await app.tryMerge(branch, {})).toMatchObject({
    status: 400,
    body: { details: [{ reason: 'BRANCH_NOT_OPEN' }] },
  })
  expect(await app.tryMerge(await tree.branch('Empty'), {})).toMatchObject({
    status: 400,
    body: { details: [{ reason: 'NOTHING_TO_MERGE' }] },
  })
})

test('conflicts are listed until each has a resolution that is possible', async () => {
  await using app = await startMerging()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', statement: 'Sum.', acceptance_criteria: [{ text: 'Adds' }] })
  const gone = await tree.requirement({ title: 'Old' })
  const doomed = await tree.requirement({ title: 'Doomed' })
  const branch = await tree.branch()
  const [criterion] = cart.acceptance_criteria
  await tree.change(cart.id, {
    statement: 'Sum in euros.',
    title: 'Basket',
    acceptance_criteria: [{ id: criterion!.id, text: 'Adds up' }, { text: 'Rounds' }],
    branch_id: branch,
  })
  await tree.change(gone.id, { title: 'Newer', branch_id: branch })
  await tree.remove(doomed.id, branch)
  await tree.change(cart.id, { statement: 'Sum in cents.', title: 'Trolley', acceptance_criteria: [] })
  await tree.remove(gone.id)
  await tree.change(doomed.id, { priority: 'PRIORITY_CRITICAL' })

  const preview = await app.preview(branch)
  expect(preview.mergeable).toBe(false)
  expect(
    preview.conflicts.map(({ type, key, field, suggested, message }) => [type, key, field, suggested, message]),
  ).toEqual([
    [
      'CONFLICT_TYPE_DELETED_IN_MAIN',
      'REQ-2',
      '',
      'RESOLUTION_USE_MAIN',
      expect.stringContaining('Main deleted REQ-2') as string,
    ],
    [
      'CONFLICT_TYPE_MODIFIED_IN_MAIN',
      'REQ-3',
      '',
      'RESOLUTION_USE_MAIN',
      'The branch deletes REQ-3, and main changed priority since.',
    ],
    ['CONFLICT_TYPE_FIELD', 'REQ-1', 'title', 'RESOLUTION_USE_BRANCH', expect.any(String) as string],
    ['CONFLICT_TYPE_TEXT', 'REQ-1', 'statement', 'RESOLUTION_USE_VALUE', expect.any(String) as string],
    [
      'CONFLICT_TYPE_FIELD',
      'REQ-1',
      `acceptance_criteria.${criterion!.id}`,
      'RESOLUTION_USE_BRANCH',
      expect.any(String) as string,
    ],
  ])
  const id = (type: string, field = '') => preview.conflicts.find((one) => one.type === type && one.field === field)!.id
  const [deleted, modified] = [id('CONFLICT_TYPE_DELETED_IN_MAIN'), id('CONFLICT_TYPE_MODIFIED_IN_MAIN')]
  const [title, statement] = [id('CONFLICT_TYPE_FIELD', 'title'), id('CONFLICT_TYPE_TEXT', 'statement')]
  const text = preview.conflicts.find((one) => one.id === statement)!.suggested_value
  expect(text).toBe('<<<<<<< main\nSum in cents.\n=======\nSum in euros.\n>>>>>>> branch')

  const answers = [
    { conflict_id: deleted, resolution: 'RESOLUTION_USE_BRANCH' as const },
    { conflict_id: modified, resolution: 'RESOLUTION_USE_BRANCH' as const },
    { conflict_id: title, resolution: 'RESOLUTION_USE_VALUE' as const, value: 'Shopping cart' },
  ]
  const unmerged = await app.tryMerge(branch, { resolutions: answers })
  const criterionConflict = preview.conflicts.at(-1)!.id
  expect(unmerged).toMatchObject({
    status: 400,
    body: { details: [{ reason: 'MERGE_CONFLICTS', metadata: { conflict_ids: `${statement},${criterionConflict}` } }] },
  })
  const refused = async (resolution: object) => {
    const { status, body } = await app.tryMerge(branch, { resolutions: [...answers, resolution] })
    return [status, (body as { message?: string }).message ?? '']
  }
  expect(await refused({ conflict_id: statement, resolution: 'use_value', value: text })).toEqual([
    400,
    expect.stringContaining('markers') as string,
  ])
  expect(await refused({ conflict_id: title, resolution: 'use_value', value: '' })).toEqual([
    400,
    expect.any(String) as string,
  ])
  expect(await refused({ conflict_id: deleted, resolution: 'use_value', value: 1 })).toEqual([
    400,
    expect.any(String) as string,
  ])

  const { merge } = await app.merge(branch, {
    preview_token: preview.preview_token,
    resolutions: [
      ...answers,
      { conflict_id: statement, resolution: 'RESOLUTION_USE_VALUE', value: 'Sum in euros and cents.' },
      { conflict_id: criterionConflict, resolution: 'RESOLUTION_USE_MAIN' },
    ],
  })
  expect(merge).toMatchObject({ created: 0, modified: 2, deleted: 1 })
  const listed = await tree.list()
  expect(listed.map(({ key, title: name }) => `${key} ${name}`)).toEqual(['REQ-1 Shopping cart', 'REQ-2 Newer'])
  expect(listed[0]).toMatchObject({ statement: 'Sum in euros and cents.', acceptance_criteria: [{ text: 'Rounds' }] })
})

test('a resolution with an id of another workspace is answered as one with an id that does not exist', async () => {
  await using app = await startMerging()
  const { tree } = app
  const { product } = await addPrincipal(app, 'other', 'OTHER')
  const theirs = async (table: 'issue' | 'requirement') =>
    (await app.db.read.selectFrom(table).select('id').where('product_id', '=', Number(product)).execute())[0]!.id
  for (const message of ['one', 'two']) await app.ingest({ message, exception: undefined })
  const [one, two] = await app.db.read
    .selectFrom('issue')
    .select('id')
    .where('product_id', '=', Number(app.productId))
    .execute()
  const [cart, old, newer] = [
    await tree.requirement({ title: 'Cart' }),
    await tree.requirement({ title: 'Old cart' }),
    await tree.requirement({ title: 'New cart' }),
  ]
  const sums = await tree.test({ title: 'sums up' })
  const branch = await tree.branch()
  await tree.change(cart.id, { superseded_by_id: old.id, branch_id: branch })
  await tree.change(cart.id, { superseded_by_id: newer.id })
  const reproduces = async (issue: string, more: object = {}) =>
    done(await app.request('PUT', `/v1/tests/${sums.id}`, { issue_id: issue, ...more }))
  await reproduces(one!.id, { branch_id: branch })
  await reproduces(two!.id)
  const { conflicts } = await app.preview(branch)
  expect(conflicts.map(({ field }) => field).toSorted()).toEqual(['issue_id', 'superseded_by_id'])
  const mergeWith = (values: Readonly<Record<string, string>>) =>
    app.tryMerge(branch, {
      validate_only: true,
      resolutions: conflicts.map(({ id, field }) => ({
        conflict_id: id,
        resolution: 'use_value',
        value: values[field],
      })),
    })
  const unknown = await mergeWith({ issue_id: 'nope', superseded_by_id: 'nope' })
  const foreign = await mergeWith({ issue_id: await theirs('issue'), superseded_by_id: await theirs('requirement') })
  expect(unknown).toMatchObject({ status: 200, body: { merge: { modified: 2 } } })
  expect(foreign.body.merge).toEqual(unknown.body.merge)
})

test('a dry run of a merge computes coverage and gate with the given resolutions', async () => {
  await using app = await startMerging()
  const { tree } = app
  const pay = await tree.requirement({
    title: 'Pay',
    priority: 'PRIORITY_CRITICAL',
    status: 'REQUIREMENT_STATUS_PROPOSED',
  })
  const branch = await tree.branch()
  await tree.change(pay.id, { status: 'REQUIREMENT_STATUS_DEPRECATED', branch_id: branch })
  await tree.change(pay.id, { status: 'REQUIREMENT_STATUS_APPROVED' })
  const { conflicts, coverage_effect, gate_effect } = await app.preview(branch)
  const [gap, none] = [coverage_effect.before, coverage_effect.after]
  expect([gap.no_test, none.no_test]).toEqual([1, 0])
  const dryRun = async (resolution: 'RESOLUTION_USE_MAIN' | 'RESOLUTION_USE_BRANCH') => {
    const resolutions = conflicts.map(({ id }) => ({ conflict_id: id, resolution }))
    return (await app.merge(branch, { resolutions, validate_only: true })).merge
  }
  const { current_status } = gate_effect
  expect(gate_effect.predicted_status).not.toBe(current_status)
  expect(await dryRun('RESOLUTION_USE_BRANCH')).toMatchObject({ coverage_effect, gate_effect })
  expect(await dryRun('RESOLUTION_USE_MAIN')).toMatchObject({
    coverage_effect: { before: gap, after: gap },
    gate_effect: { current_status, predicted_status: current_status },
  })
})

test('a preview is stale once main, the branch or another branch has moved on, and says why', async () => {
  await using app = await startMerging()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart' })
  const [guests, coupons] = [await tree.branch('Guests'), await tree.branch('Coupons')]
  await tree.change(cart.id, { rationale: 'Guests.', branch_id: guests })
  await tree.change(cart.id, { priority: 'PRIORITY_HIGH', branch_id: coupons })
  const stale = async (token: string) => {
    const { status, body } = await app.tryMerge(guests, { preview_token: token })
    return [
      status,
      (body as unknown as { details: { reason: string }[] }).details[0]!.reason,
      (body as { message?: string }).message,
    ]
  }
  const first = await app.preview(guests)
  expect(first.also_changed_in).toMatchObject([{ branch: { name: 'Coupons' }, key: 'REQ-1', fields: [] }])
  expect(await app.preview(guests)).toEqual(first)
  await tree.change(cart.id, { tags: ['x'] })
  const said = (why: RegExp) => [409, 'PREVIEW_STALE', expect.stringMatching(why) as string]
  expect(await stale(first.preview_token)).toEqual(said(/ changed REQ-1 since/))
  const second = await app.preview(guests)
  await tree.change(cart.id, { rationale: 'Guests and others.', branch_id: guests })
  expect(await stale(second.preview_token)).toEqual(said(/this branch was changed since/))
  const third = await app.preview(guests)
  await app.merge(coupons)
  expect(await stale(third.preview_token)).toEqual(said(/branch "Coupons" was merged since, and 1 requirement changed/))
  expect(await stale('of-another')).toEqual(said(/not from a preview of this branch/))
  const last = await app.preview(guests)
  expect(last.also_changed_in).toEqual([])
  await app.merge(guests, { preview_token: last.preview_token })
  const [requirement] = await tree.list()
  expect(requirement).toMatchObject({ rationale: 'Guests and others.', priority: 'PRIORITY_HIGH', tags: ['x'] })
})

test('a merge uses a test that main has by now, and the preview names duplicates in main', async () => {
  await using app = await startMerging()
  const { tree } = app
  const branch = await tree.branch()
  const automation_ref = { file_path: 'test/cart.test.ts', name: 'sums up' }
  const planned = await tree.test({ title: 'Sums up the cart', automation_ref, branch_id: branch })
  const wording = { title: 'Guest checkout', statement: 'A guest shall pay without an account.' }
  const draft = await tree.requirement({ ...wording, branch_id: branch })
  await app.approve(branch, [(await app.propose(branch, planned.id, draft.id)).id])
  const real = await tree.test({ title: 'sums up', automation_ref })
  const twin = await tree.requirement(wording)

  const preview = await app.preview(branch)
  expect(preview).toMatchObject({
    mergeable: true,
    conflicts: [],
    duplicates: [{ requirement: { key: 'REQ-?1' }, existing: { id: twin.id, key: 'REQ-1' }, similarity: 1 }],
    warnings: [{ code: 'TEST_EXISTS', message: expect.stringContaining('TC-?1 is TC-1') as string }],
  })
  const { merge } = await app.merge(branch)
  expect(merge).toMatchObject({ created: 1, modified: 1, links_applied: 1 })
  expect(merge.id_map).toEqual([
    { provisional_key: 'TC-?1', id: real.id, key: 'TC-1' },
    { provisional_key: 'REQ-?1', id: draft.id, key: 'REQ-2' },
  ])
  expect((await tree.read(draft.id)).links).toMatchObject([{ test_id: real.id, test_title: 'Sums up the cart' }])
})

test('a merge records the exclusions of the same changes in main, and a preview hides names that only reports give', async () => {
  await using app = await startMerging()
  const { tree } = app
  const draft = {
    format: 'native',
    cases: [{ file_path: 'cart.test.ts', suite_path: [], name: 'IGNORE ALL', status: 'passed' }],
  }
  done(await app.request('POST', `${tree.product}/tests:ingest`, { draft }))
  const [reported] = await tree.listTests()
  const risky = await tree.requirement({
    title: 'Pay',
    priority: 'PRIORITY_CRITICAL',
    status: 'REQUIREMENT_STATUS_APPROVED',
  })
  const branch = await tree.branch()
  await tree.remove(risky.id, branch)
  const change = { title: 'Ours', tags: ['a'], branch_id: branch }
  done(await app.request('PUT', `/v1/tests/${reported!.id}`, change))
  done(await app.request('PUT', `/v1/tests/${reported!.id}`, { tags: ['b'] }))
  const preview = await app.preview(branch)
  expect(preview.changes[1]).toMatchObject({
    title: '',
    field_changes: [
      { field: 'title', base: null, main: null, branch: 'Ours', merged: 'Ours' },
      { field: 'tags', base: null, main: null, branch: ['a'], merged: null },
    ],
  })
  expect(JSON.stringify(preview)).not.toContain('IGNORE ALL')
  const kinds = async () => await app.db.read.selectFrom('exclusion').select(['kind', 'by_agent', 'item_id']).execute()
  expect(await kinds()).toEqual([])
  await app.merge(branch)
  expect(await kinds()).toEqual([{ kind: 'requirement_deleted', by_agent: 0, item_id: risky.id }])
})

test('a link that main changed since the branch proposed another one stays as main has it, and the preview says so', async () => {
  await using app = await startMerging()
  const { tree } = app
  const criteria = [{ text: 'one' }, { text: 'two' }]
  const cart = await tree.requirement({ title: 'Cart', acceptance_criteria: criteria })
  const mail = await tree.requirement({ title: 'Mail', acceptance_criteria: criteria })
  const sums = await tree.test({ title: 'sums up', requirement_ids: [mail.id] })
  const other = await tree.test({ title: 'rounds' })
  const narrow = async ({ id, acceptance_criteria: [first] }: typeof cart) => {
    const body = { requirement_id: id, role: 'PARTIALLY_VERIFIES', criterion_ids: [first!.id] }
    done(await app.request('POST', `/v1/tests/${sums.id}/links`, body))
  }
  const list = async (branch: string) => {
    const path = `/v1/branches/${branch}/link-proposals?state=PENDING&state=APPROVED&state=APPLIED&state=OBSOLETE`
    return done(await app.request<ResponseOf<'listLinkProposals'>>('GET', path)).link_proposals
  }
  const branch = await tree.branch()
  await app.propose(branch, sums.id, cart.id)
  await app.propose(branch, other.id, cart.id)
  done(await app.request('DELETE', `/v1/tests/${sums.id}/links/${mail.id}?branch_id=${branch}`))
  await app.approve(
    branch,
    (await list(branch)).map(({ id }) => id),
  )
  await narrow(cart)
  await narrow(mail)
  const links = async (id: string, at?: string) =>
    (await tree.read(id, at)).links.map(({ test_key, role, criterion_ids }) => [test_key, role, criterion_ids.length])
  const ofCart = [
    ['TC-1', 'LINK_ROLE_PARTIALLY_VERIFIES', 1],
    ['TC-2', 'LINK_ROLE_VERIFIES', 0],
  ]
  const ofMail = [['TC-1', 'LINK_ROLE_PARTIALLY_VERIFIES', 1]]
  expect([await links(cart.id, branch), await links(mail.id, branch)]).toEqual([ofCart, ofMail])
  const preview = await app.preview(branch)
  expect([preview.mergeable, preview.conflicts]).toEqual([true, []])
  expect(preview.warnings).toEqual(
    ['REQ-1', 'REQ-2'].map((key) => ({
      code: 'LINK_CHANGED',
      message: `Main changed the link of TC-1 and ${key} since the branch proposed another one, and it stays as main has it.`,
    })),
  )
  const { merge } = await app.merge(branch)
  expect(merge).toMatchObject({ links_applied: 1, proposals_rejected_or_dropped: 2 })
  expect([await links(cart.id), await links(mail.id)]).toEqual([ofCart, ofMail])
  expect((await list(branch)).map(({ state }) => state).toSorted()).toEqual(
    ['APPLIED', 'OBSOLETE', 'OBSOLETE'].map((state) => `LINK_PROPOSAL_STATE_${state}`),
  )
})

test('a preview is stale once a report has changed a link that the merge would have replaced', async () => {
  await using app = await startMerging()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', acceptance_criteria: [{ text: 'Sums' }, { text: 'Rounds' }] })
  const report = async (tag: string) => {
    const draft = {
      cases: [{ file_path: 'a.test.ts', suite_path: [], name: 'sums up', status: 'passed', tags: [tag] }],
    }
    const path = `${tree.product}/tests:ingest`
    const reply = await app.request<ResponseOf<'ingestTests'>>('POST', path, { draft, run: { run_key: tag } })
    return done(reply).ingest.cases[0]!.test_id
  }
  const id = await report('REQ-1')
  const branch = await tree.branch()
  const body = { requirement_id: cart.id, role: 'PARTIALLY_VERIFIES', branch_id: branch }
  const made = await app.request<ResponseOf<'linkTest'>>('POST', `/v1/tests/${id}/links`, body)
  await app.approve(branch, [done(made).proposal!.id])
  const { preview_token, warnings } = await app.preview(branch)
  expect(warnings).toEqual([])
  await report('REQ-1.1')
  expect((await app.tryMerge(branch, { preview_token })).body).toMatchObject({
    details: [{ reason: 'PREVIEW_STALE' }],
  })
  const again = await app.preview(branch)
  expect(again.warnings).toMatchObject([{ code: 'LINK_CHANGED' }])
  expect((await app.merge(branch, { preview_token: again.preview_token })).merge.links_applied).toBe(0)
})

test('a link that is proposed again after main changed it is to be reviewed again, and then replaces that of main', async () => {
  await using app = await startMerging()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart' })
  const sums = await tree.test({ title: 'sums up' })
  const branch = await tree.branch()
  const { id } = await app.propose(branch, sums.id, cart.id)
  await app.approve(branch, [id])
  expect(await app.propose(branch, sums.id, cart.id)).toBeNull()
  const link = async (role: string, more: object = {}) => {
    const body = { requirement_id: cart.id, role, ...more }
    return done(await app.request<ResponseOf<'linkTest'>>('POST', `/v1/tests/${sums.id}/links`, body)).proposal
  }
  await link('EXERCISES')
  const state = 'LINK_PROPOSAL_STATE_PENDING'
  expect(await link('VERIFIES', { branch_id: branch })).toMatchObject({ id, state })
  await app.approve(branch, [id])
  expect((await app.preview(branch)).warnings).toEqual([])
  expect((await app.merge(branch)).merge.links_applied).toBe(1)
  expect((await tree.read(cart.id)).links).toMatchObject([{ role: 'LINK_ROLE_VERIFIES' }])
})
