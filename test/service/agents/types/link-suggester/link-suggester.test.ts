import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { linkSuggester } from '../../../../../src/service/agents/types/link-suggester/index.ts'
import { startApp, type App } from '../../../../app.ts'
import { startSampleApp } from '../../../../sample-app.ts'
import { runType } from '../../run-type.ts'
import { demand, report } from './projects.ts'

type Output = z.input<typeof linkSuggester.output>

async function suggest(app: App, input: object = {}, options: Parameters<typeof runType>[3] = {}) {
  const { output, ...run } = await runType(app, 'link_suggester', { ...input }, options)
  // `runType` has parsed it with the output schema of the type.
  return { ...run, output: output as Output }
}

/** `REQ-32 < of a parcel …` for each proposal. */
function pairs({ proposals }: Pick<Output, 'proposals'>): string[] {
  return proposals.map(({ requirement_key, test_title }) => `${requirement_key} < ${test_title}`)
}

async function listProposals(app: App, branchId: string | undefined) {
  const { link_proposals } = await app.api.listLinkProposals({ branch_id: branchId ?? '', page_size: 100 })
  return link_proposals
}

async function openBranches(app: App): Promise<string[]> {
  const { branches } = await app.api.listBranches({ product_id: app.productId })
  return branches.map(({ name = '' }) => name)
}

const parcels = {
  title: 'The delivery day of a parcel',
  statement: 'The page shall show the day on which a parcel arrives.',
  code_refs: [{ path: 'src/shipping/delivery.ts' }],
}
const arrival = {
  file_path: 'test/shipping/delivery.test.ts',
  suite_path: ['delivery day'],
  name: 'is the day on which the parcel arrives',
}

test('the unlinked test of the sample is proposed for its requirement, on a branch of the run', async () => {
  await using app = await startSampleApp()
  const { output, branchId, summary, events } = await suggest(app)
  expect(pairs(output)).toEqual(['REQ-32 < of a parcel wished for a Friday is the Tuesday after it'])
  expect(output.proposals[0]).toMatchObject({
    role: 'LINK_ROLE_PARTIALLY_VERIFIES',
    rationale: expect.stringMatching(
      /^TC-\d+ shares .*“friday”.* with REQ-32 and is in a file named after src\/shipping\/delivery\.ts/,
    ),
  })
  expect(output.branch).toEqual({ id: branchId, name: 'Link suggestions', is_new: true })
  expect(output.counts).toMatchObject({ requirements: 7, proposals: 1, matched: 1, unmatched: 6 })
  expect(summary).toBe(
    'Proposed 1 link for 1 of 7 requirements on quality branch "Link suggestions". 6 requirements got none. ' +
      'Next: review the links with review_branch; they count once they are accepted and the branch is merged.',
  )
  const [stored, ...others] = await listProposals(app, branchId)
  expect(others).toEqual([])
  expect(stored).toMatchObject({
    requirement: { key: 'REQ-32' },
    state: 'LINK_PROPOSAL_STATE_PENDING',
    origin: 'LINK_ORIGIN_AGENT',
    confidence: output.proposals[0]?.confidence,
    signals: [
      { name: 'annotation', value: 0 },
      { name: 'name_similarity', value: output.proposals[0]?.name_similarity },
      { name: 'path_overlap', value: 1 },
      { name: 'history', value: 0 },
    ],
    rationale: output.proposals[0]?.rationale,
  })
  const { branch } = await app.api.getBranch({ id: branchId ?? '' })
  expect(branch.source).toEqual({ kind: 'BRANCH_SOURCE_AGENT', agent_run_id: 'a run' })
  expect(events.filter(({ type }) => type === 'FINDING').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^REQ-32 has no test; TC-\d+ \(0\.\d+\) seems to verify it\.$/),
  ])
  expect(events.filter(({ type }) => type === 'ACTION').map(({ message }) => message)).toEqual([
    'Created quality branch "Link suggestions".',
    'Proposed 1 link on quality branch "Link suggestions".',
  ])
})

test('a proposal names the criterion that the test is about', async () => {
  await using app = await startSampleApp()
  const { output, branchId } = await suggest(app)
  expect(output.proposals[0]?.criteria).toBe('REQ-32.1')
  const [proposal] = await listProposals(app, branchId)
  const { requirement } = await app.api.getRequirement({ id: proposal?.requirement?.id ?? '' })
  const [onFriday] = requirement.acceptance_criteria ?? []
  expect(onFriday?.text).toContain('Friday')
  expect(proposal?.criterion_ids).toEqual([onFriday?.id])
})

test('a requirement without a proposal is listed with the test that comes closest, and what the test fits better', async () => {
  await using app = await startSampleApp()
  const { output } = await suggest(app)
  const taxes = output.unmatched.find(({ requirement_key: key }) => key === 'REQ-8')
  expect(taxes).toMatchObject({ closest_test_title: 'says how much tax is in the total', fits_better: '' })
  expect(taxes?.confidence).toBeLessThan(0.6)
  const confirmation = output.unmatched.find(({ requirement_key: key }) => key === 'REQ-13')
  expect(confirmation?.fits_better).toBe('REQ-12')
})

test('equal data gives an equal output', async () => {
  const run = async () => {
    await using app = await startSampleApp()
    const { output } = await suggest(app, { min_confidence: 0.2 }, { now: 1_800_000_000_000 })
    return { ...output, branch: { ...output.branch, id: '' } }
  }
  expect(await run()).toEqual(await run())
})

test('a run that is cancelled at any report of progress has written nothing', async () => {
  await using app = await startSampleApp()
  const before = await openBranches(app)
  let reports = 0
  await suggest(app, { min_confidence: 1 }, { onProgress: () => (reports += 1) })
  expect(reports).toBeGreaterThan(3)
  for (let end = 1; end <= reports; end += 1) {
    let left = end
    const cancel = () => {
      left -= 1
      if (left === 0) throw new Error('cancelled')
    }
    await expect(suggest(app, {}, { onProgress: cancel })).rejects.toThrow('cancelled')
  }
  expect(await openBranches(app)).toEqual(before)
})

test('what reaches no confidence leaves no branch', async () => {
  await using app = await startSampleApp()
  const before = await openBranches(app)
  const { output, branchId, summary } = await suggest(app, { min_confidence: 1 })
  expect([output.branch, branchId, output.proposals]).toEqual([null, undefined, []])
  expect(summary).toBe(
    'Proposed no link for 7 requirements with a confidence of at least 1. ' +
      'Next: write the tests that are missing; get_test_context says what they have to show.',
  )
  expect(await openBranches(app)).toEqual(before)
})

test('a rejected pair is not proposed again, also after its branch was closed, and is counted', async () => {
  await using app = await startSampleApp()
  const first = await suggest(app)
  const [proposal] = await listProposals(app, first.branchId)
  await app.api.reviewLinkProposals({
    branch_id: first.branchId ?? '',
    proposal_ids: [proposal?.id ?? ''],
    decision: 'REVIEW_DECISION_REJECT',
  })
  await app.api.deleteBranch({ id: first.branchId ?? '' })
  const { output, summary } = await suggest(app)
  expect(output).toMatchObject({ branch: null, counts: { left_out: { rejected: 1, removed: 0, proposed: 0 } } })
  expect(summary).toContain('Left out: 1 rejected before.')
})

test('a pair that an open branch proposes is not proposed again; once the branch is closed it is', async () => {
  await using app = await startSampleApp()
  const first = await suggest(app)
  const second = await suggest(app)
  expect(second.output).toMatchObject({ branch: null, counts: { left_out: { proposed: 1 } } })
  await app.api.deleteBranch({ id: first.branchId ?? '' })
  expect(pairs((await suggest(app)).output)).toEqual(pairs(first.output))
})

test('a link that was removed is not proposed again', async () => {
  await using app = await startApp()
  const { key } = await demand(app, parcels)
  await report(app, { ...arrival, name: `[${key}] ${arrival.name}` })
  const { tests } = await app.api.listTests({ product_id: app.productId, kind: 'TEST_KIND_CASE' })
  const { links } = await app.api.listTestLinks({ test_id: tests[0]?.id ?? '' })
  await app.api.unlinkTest({ test_id: tests[0]?.id ?? '', requirement_id: links[0]?.requirement_id ?? '' })
  const { output } = await suggest(app)
  expect(output).toMatchObject({ proposals: [], counts: { left_out: { removed: 1 } } })
})

test('a suspect link is not proposed again', async () => {
  await using app = await startApp()
  const { id, key } = await demand(app, parcels)
  await report(app, { ...arrival, name: `[${key}] ${arrival.name}` })
  await app.api.updateRequirement({ id, statement: `${parcels.statement} It names the weekday.` })
  const { output } = await suggest(app, { requirement_ids: [key] })
  expect(output.proposals).toEqual([])
})

test.each([
  ['in quarantine', { quarantined: true, quarantine_reason: 'flaky', quarantine_owner: 'platform' }],
  ['deprecated', { status: 'DEPRECATED' }],
])('a test that is %s is not proposed', async (_, fields) => {
  await using app = await startApp()
  await demand(app, parcels)
  await report(app, arrival)
  const { tests } = await app.api.listTests({ product_id: app.productId, kind: 'TEST_KIND_CASE' })
  const until = 'quarantined' in fields && { quarantined_until: new Date(Date.now() + 86_400_000).toISOString() }
  await app.request('PUT', `/v1/tests/${tests[0]?.id ?? ''}`, { ...fields, ...until })
  const { output } = await suggest(app)
  expect(output).toMatchObject({ proposals: [], counts: { tests: 0 } })
})

test('a deleted test is not proposed', async () => {
  await using app = await startApp()
  await demand(app, parcels)
  await report(app, arrival)
  const { tests } = await app.api.listTests({ product_id: app.productId, kind: 'TEST_KIND_CASE' })
  await app.api.deleteTest({ id: tests[0]?.id ?? '' })
  expect((await suggest(app)).output.counts).toMatchObject({ tests: 0, proposals: 0 })
})

test.each([
  ['its name without brackets', { name: 'REQ-1: works' }],
  ['its file', { name: 'works', file_path: 'test/req-1.test.ts' }],
])('a key in %s is enough for a proposal', async (_, one) => {
  await using app = await startApp()
  await demand(app, parcels)
  await report(app, one)
  const { output } = await suggest(app)
  expect(pairs(output)).toEqual([`REQ-1 < ${one.name}`])
})

test('a key that was reported before its requirement existed is enough for a proposal of its criterion', async () => {
  await using app = await startApp()
  await report(app, { name: '[REQ-1.2] works' })
  await demand(app, {
    ...parcels,
    acceptance_criteria: [{ text: 'On Friday.' }, { text: 'On Monday.' }],
  })
  const { output } = await suggest(app)
  expect(output.proposals).toMatchObject([{ role: 'LINK_ROLE_PARTIALLY_VERIFIES', criteria: 'REQ-1.2' }])
})

test('a test that reproduces an issue in the code of a requirement is more likely to be its test', async () => {
  await using app = await startApp()
  // It crashes in src/cart/cart.ts.
  await app.ingest({})
  await demand(app, { title: 'The total of a cart', code_refs: [{ path: 'src/cart/cart.ts' }] })
  await report(app, { name: 'adds the total', tags: ['APP-1'] }, { name: 'adds up the total' })
  const { output } = await suggest(app, { min_confidence: 0 })
  expect(output.proposals.map(({ test_title, history }) => [test_title, history])).toEqual([
    ['adds the total', 1],
    ['adds up the total', 0],
  ])
  expect(output.proposals[0]?.rationale).toContain('reproduces an issue that crashes in the code of the requirement')
})

test('a test next to linked tests of neighbouring requirements is more likely to be the test of one', async () => {
  await using app = await startApp()
  const { id: parent_id } = await demand(app, { kind: 'GROUP', title: 'Parcels' })
  const { key } = await demand(app, { ...parcels, parent_id })
  await demand(app, { title: 'The weight of a parcel', parent_id })
  const file_path = 'test/post.test.ts'
  await report(app, { ...arrival, file_path, name: `[${key}] works` }, { name: 'reads the weight', file_path })
  const { output } = await suggest(app, { min_confidence: 0 })
  expect(output.proposals.map(({ test_title, history }) => [test_title, history])).toEqual([['reads the weight', 0.4]])
})

test('tests without a file have no neighbours', async () => {
  await using app = await startApp()
  const { id: parent_id } = await demand(app, { kind: 'GROUP', title: 'Parcels' })
  const { id: requirement_id } = await demand(app, { ...parcels, parent_id })
  await demand(app, { title: 'The weight of a parcel', parent_id })
  const create = (title: string) => app.api.createTest({ product_id: app.productId, kind: 'TEST_KIND_CASE', title })
  const { test: linked } = await create('works')
  await app.api.linkTest({ test_id: linked.id, requirement_id })
  await create('reads the weight')
  const { output } = await suggest(app, { min_confidence: 0 })
  expect(output.proposals.map(({ test_title, history }) => [test_title, history])).toEqual([['reads the weight', 0]])
})

test('a test is proposed only for the requirement that it fits best', async () => {
  await using app = await startApp()
  await demand(app, parcels)
  await demand(app, {
    ...parcels,
    title: 'The delivery day of a letter',
    statement: 'The page shall show the day on which a letter arrives.',
  })
  await report(app, arrival)
  const { output } = await suggest(app, { min_confidence: 0.1 })
  expect(pairs(output)).toEqual([`REQ-1 < ${arrival.name}`])
  expect(output.unmatched).toMatchObject([{ requirement_key: 'REQ-2', fits_better: 'REQ-1' }])
})

test('a limit leaves each requirement its best test before any gets a second one, and is noted', async () => {
  await using app = await startApp()
  await demand(app, parcels)
  await demand(app, { title: 'A refund of a voucher', statement: 'The shop shall refund a voucher within 14 days.' })
  await report(
    app,
    arrival,
    { ...arrival, name: 'shows the day on which a parcel arrives' },
    { name: 'refunds a voucher' },
  )
  const { output, truncationSignals } = await suggest(app, { limit: 2 })
  expect(new Set(output.proposals.map((proposal) => proposal.requirement_key))).toEqual(new Set(['REQ-1', 'REQ-2']))
  expect(truncationSignals).toEqual(['proposals:max_items:2/3'])
})

test('proposals that do not fit into the output are on the branch', async () => {
  await using app = await startApp()
  await demand(app, { ...parcels, title: `${parcels.title} ${'at home '.repeat(20)}` })
  const long = 'of a parcel '.repeat(40)
  await report(
    app,
    ...Array.from({ length: 500 }, (_, index) => ({ ...arrival, name: `REQ-1 ${long}${String(index)}` })),
  )
  const { output, truncationSignals } = await suggest(app, { limit: 500 })
  expect(output.counts.proposals).toBe(500)
  expect(output.proposals.length).toBeLessThan(500)
  expect(truncationSignals).toEqual([`proposals:max_bytes:${String(output.proposals.length)}/500`])
})

test('requirements that are named by key or id are looked at, also those that have a test', async () => {
  await using app = await startSampleApp()
  const { requirements } = await app.api.listRequirements({ product_id: app.productId, key: ['REQ-32'] })
  const { output } = await suggest(app, { requirement_ids: ['req-31', requirements[0]?.id ?? ''] })
  expect(output.counts).toMatchObject({ requirements: 2, matched: 1 })
})

test.each(['REQ-99', 'REQ-1', 'nothing'])('%s cannot be looked at and fails the run', async (name) => {
  await using app = await startSampleApp()
  await expect(suggest(app, { requirement_ids: [name] })).rejects.toMatchObject({
    code: 'not_found',
    message: `no requirement ${name}; name requirements by key or id; a group has no tests of its own`,
  })
})

test('an open branch that is named by id or name gets the proposals', async () => {
  await using app = await startSampleApp()
  const { branch } = await app.api.createBranch({ product_id: app.productId, name: 'My review' })
  const { output } = await suggest(app, { branch: 'My review' })
  expect(output.branch).toEqual({ id: branch.id, name: 'My review', is_new: false })
  expect(await listProposals(app, branch.id)).toHaveLength(1)
  await expect(suggest(app, { branch: 'no such branch' })).rejects.toMatchObject({ code: 'not_found' })
})

test('a branch of an earlier run is used again until its proposals are reviewed', async () => {
  await using app = await startSampleApp()
  const first = await suggest(app)
  const refund = { title: 'A refund of a voucher', statement: 'The shop shall refund a voucher within 14 days.' }
  await demand(app, refund)
  await report(app, { name: 'refunds a voucher within 14 days' })
  const second = await suggest(app)
  expect(second.output.branch).toEqual({ id: first.branchId, name: 'Link suggestions', is_new: false })
  const [proposal] = await listProposals(app, first.branchId)
  await app.api.reviewLinkProposals({
    branch_id: first.branchId ?? '',
    proposal_ids: [proposal?.id ?? ''],
    decision: 'REVIEW_DECISION_APPROVE',
  })
  await demand(app, { title: 'A gift wrap of an order', statement: 'The shop shall offer a gift wrap in red.' })
  await report(app, { name: 'offers a gift wrap in red' })
  const third = await suggest(app)
  expect(third.output.branch).toMatchObject({ name: 'Link suggestions (2)', is_new: true })
})
