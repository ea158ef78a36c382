import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../src/contract/index.ts'
import { tokenHeaders } from '../people.ts'
import { done, mainRows, startTree } from './branch-tree.ts'

type Linked = ResponseOf<'linkTest'>
type Listed = ResponseOf<'listLinkProposals'>
type Reviewed = ResponseOf<'reviewLinkProposals'>

test('links on a branch are proposals, which show on the branch once they are approved', async () => {
  await using app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', acceptance_criteria: [{ text: 'Sums' }] })
  const mail = await tree.requirement({ title: 'Mail' })
  const sums = await tree.test({ title: 'sums up', requirement_ids: [mail.id] })
  const branch = await tree.branch()
  const guest = await tree.requirement({ title: 'Guest', branch_id: branch })
  const before = await mainRows(app)
  const link = async (body: object, headers?: Record<string, string>) =>
    done(await app.request<Linked>('POST', `/v1/tests/${sums.id}/links`, { branch_id: branch, ...body }, headers))
  const list = async (query = '') =>
    done(await app.request<Listed>('GET', `/v1/branches/${branch}/link-proposals${query}`)).link_proposals
  const review = async (body: object) =>
    done(await app.request<Reviewed>('POST', `/v1/branches/${branch}/link-proposals:review`, body))
  const shown = async (id: string) => (await tree.read(id, branch)).links.map(({ test_key }) => test_key)

  const agent = await tokenHeaders(app, { kind: 'agent', scopes: ['read', 'write'] })
  const { link: made, proposal } = await link(
    { requirement_key: 'REQ-?1', confidence: 0.7, rationale: 'Same words.' },
    agent,
  )
  expect(made).toBeNull()
  expect(proposal).toMatchObject({
    test: { key: 'TC-1', title: 'sums up', known: true },
    requirement: { id: guest.id, key: 'REQ-?1', title: 'Guest' },
    state: 'LINK_PROPOSAL_STATE_PENDING',
    origin: 'LINK_ORIGIN_AGENT',
    confidence: 0.7,
  })
  const again = await link({ requirement_id: guest.id, rationale: 'Same file, too.' })
  expect(again.proposal).toMatchObject({ id: proposal!.id, confidence: 0.7, rationale: 'Same file, too.' })
  const toCart = (await link({ requirement_id: cart.id, criterion_ids: [cart.acceptance_criteria[0]!.id] })).proposal!
  expect(await link({ requirement_id: mail.id })).toMatchObject({ link: { requirement_key: 'REQ-2' }, proposal: null })
  await app.request('DELETE', `/v1/tests/${sums.id}/links/${mail.id}?branch_id=${branch}`)
  expect((await list()).map(({ requirement, action, confidence }) => [requirement.key, action, confidence])).toEqual([
    ['REQ-1', 'LINK_PROPOSAL_ACTION_ADD', 1],
    ['REQ-2', 'LINK_PROPOSAL_ACTION_REMOVE', 1],
    ['REQ-?1', 'LINK_PROPOSAL_ACTION_ADD', 0.7],
  ])
  expect((await list('?min_confidence=0.9&page_size=1')).map(({ id }) => id)).toEqual([toCart.id])
  expect(await list(`?requirement_id=${guest.id}`)).toHaveLength(1)
  expect(await shown(guest.id)).toEqual([])

  const removal = (await list(`?requirement_id=${mail.id}`))[0]!
  const reviewed = await review({
    reviews: [
      { proposal_id: proposal!.id, decision: 'approve' },
      { proposal_id: removal.id, decision: 'approve' },
      { proposal_id: toCart.id, decision: 'reject', note: 'It sums nothing.' },
      { proposal_id: 'unknown', decision: 'approve' },
    ],
  })
  expect(reviewed).toMatchObject({
    approved_count: 2,
    rejected_count: 1,
    failures: [{ proposal_id: 'unknown', code: 'LINK_PROPOSAL_NOT_FOUND' }],
  })
  expect(await shown(guest.id)).toEqual(['TC-1'])
  expect(await shown(mail.id)).toEqual([])
  expect(await shown(cart.id)).toEqual([])
  expect((await tree.read(guest.id, branch)).requirement.coverage.state).toBe('not_run')
  const { counts } = (await tree.getBranch(branch)).branch
  expect(counts).toMatchObject({ proposals_pending: 0, proposals_approved: 2 })
  expect(await review({ proposal_ids: [toCart.id], decision: 'approve' })).toMatchObject({ approved_count: 1 })
  expect(await shown(cart.id)).toEqual(['TC-1'])
  expect(await mainRows(app)).toEqual(before)

  await app.request('DELETE', `/v1/tests/${sums.id}/links/${cart.id}?branch_id=${branch}`)
  expect(await shown(cart.id)).toEqual([])
  await tree.remove(guest.id, branch)
  expect((await list('?state=approved')).map(({ requirement }) => requirement.key)).toEqual(['REQ-2'])
  const refused = await app.request('POST', `/v1/branches/${branch}/link-proposals:review`, { decision: 'approve' })
  expect(refused.status).toBe(400)
})

test('tests on a branch have provisional keys, and their links are proposals', async () => {
  await using app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart' })
  const suite = await tree.test({ kind: 'TEST_KIND_SUITE', title: 'Cart' })
  const place = { file_path: 'test/cart.test.ts', name: 'sums up' }
  const old = await tree.test({ title: 'old', parent_id: suite.id })
  const branch = await tree.branch()
  const before = await mainRows(app)
  const body = { title: 'sums up', automation_ref: place, parent_id: suite.id, requirement_ids: [cart.id] }
  const created = await tree.test({ ...body, branch_id: branch })
  expect(created).toMatchObject({ key: 'TC-?1', branch_id: branch, link_count: 0, parent_id: suite.id })
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const quarantine = { quarantined: true, quarantine_reason: 'Flaky.', quarantine_owner: 'Ada' }
  const change = { title: 'older', ...quarantine, quarantined_until: until, branch_id: branch }
  const changed = done(await app.request<ResponseOf<'updateTest'>>('PUT', `/v1/tests/${old.id}`, change)).test
  expect(changed).toMatchObject({ title: 'older', quarantined: true, branch_id: branch })
  expect((await tree.listTests(branch)).map(({ key }) => key)).toEqual(['TC-?1', 'TC-1', 'TC-2'])
  expect((await tree.getBranch(branch)).changes).toMatchObject([
    { entity_type: 'test', key: 'TC-?1', operation: 'CHANGE_OPERATION_CREATE' },
    { entity_type: 'test', key: 'TC-2', fields: ['title', 'quarantine'] },
  ])
  const proposals = await app.request<Listed>('GET', `/v1/branches/${branch}/link-proposals`)
  const [proposal] = proposals.body.link_proposals
  expect(proposal).toMatchObject({ test: { key: 'TC-?1' }, requirement: { key: 'REQ-1' } })
  const approve = { proposal_ids: [proposal!.id], decision: 'approve' }
  done(await app.request('POST', `/v1/branches/${branch}/link-proposals:review`, approve))
  expect((await tree.read(cart.id, branch)).links).toMatchObject([{ test_key: 'TC-?1' }])
  expect(await mainRows(app)).toEqual(before)

  const same = await tree.test({ title: 'in the main tree', automation_ref: place })
  expect((await tree.listTests(branch)).map(({ title }) => title)).toEqual(['Cart', 'older', 'in the main tree'])
  expect((await tree.read(cart.id, branch)).links).toMatchObject([{ test_id: same.id }])
  await app.request('DELETE', `/v1/tests/${suite.id}?recursive=true&branch_id=${branch}`)
  expect((await tree.listTests(branch)).map(({ title }) => title)).toEqual(['in the main tree'])
})

test('a report on a branch proposes the links that the names of its tests state', async () => {
  await using app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart' })
  const branch = await tree.branch()
  const report = (name: string, to = branch) => ({
    draft: { cases: [{ name, suite_path: [], file_path: 'test/cart.test.ts', status: 'passed' }] },
    options: { branch_id: to },
  })
  const send = (body: object) => app.request<ResponseOf<'ingestTests'>>('POST', `${tree.product}/tests:ingest`, body)
  const { ingest } = done(await send(report('sums up [REQ-1]')))
  expect(ingest.summary).toMatchObject({ cases_created: 1, links_created: 0, link_proposals_created: 1 })
  expect(done(await send(report('sums up [REQ-1]'))).ingest.summary.link_proposals_created).toBe(0)
  expect((await tree.read(cart.id)).links).toEqual([])
  const { counts } = (await tree.getBranch(branch)).branch
  expect(counts.proposals_pending).toBe(1)
  expect((await send(report('x', 'nowhere'))).status).toBe(404)
})

test('a link that is asked for as it is takes back the change of it that waits for a review, and stays as it is', async () => {
  await using app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart' })
  const sums = await tree.test({ title: 'sums up', requirement_ids: [cart.id] })
  const branch = await tree.branch()
  const path = `/v1/tests/${sums.id}/links`
  const [before] = done(await app.request<ResponseOf<'listTestLinks'>>('GET', path)).links
  const link = async (role: string) =>
    done(await app.request<Linked>('POST', path, { requirement_id: cart.id, role, branch_id: branch }))
  expect((await link('PARTIALLY_VERIFIES')).proposal).toMatchObject({ state: 'LINK_PROPOSAL_STATE_PENDING' })
  expect(await link('VERIFIES')).toEqual({ link: before, proposal: null })
  expect(done(await app.request<Listed>('GET', `/v1/branches/${branch}/link-proposals`)).link_proposals).toEqual([])
})
