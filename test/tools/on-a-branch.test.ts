import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { vitestReport } from './gap-shop.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'

let shop: QualityShop
let agent: Connected
let branchId: string
beforeAll(async () => {
  shop = await openQualityShop()
  branchId = (await shop.api.createBranch({ product_id: shop.productId, name: 'pricing' })).branch.id
  agent = await connect(shop.api, { options: { toolsets: ['default', 'requirements', 'tests', 'branches'] } })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

const branch = 'pricing'

interface Shown {
  answer: string
  data: Record<string, unknown>
  next_actions?: { tool: string; args: Record<string, unknown> }[]
}

async function call(tool: string, args: object): Promise<Shown> {
  const { structured, text } = await agent.call(tool, { ...args })
  expect(text).not.toMatch(/^error/)
  return structured as Shown
}

const mainTitles = async () =>
  (await shop.api.listRequirements({ product_id: shop.productId })).requirements.map(({ title }) => title)

test('a requirement drafted on a branch is read there under its provisional key, and main does not have it', async () => {
  const before = await mainTitles()
  const drafted = await call('save_requirement', { title: 'Prices are shown with tax', branch })
  expect(drafted.answer).toMatch(/^Created REQ-\?1.* On quality branch pricing\.$/)
  expect(drafted.next_actions).toMatchObject([{ tool: 'get_test_context', args: { requirement: 'REQ-?1', branch } }])
  const context = await call('get_test_context', { requirement: 'REQ-?1', branch })
  expect(context.answer).toMatch(/^REQ-\?1 is no_test.* On quality branch pricing\.$/)
  expect(await mainTitles()).toEqual(before)
})

test('gaps of a branch are those with its drafts, and the next call stays on it', async () => {
  const found = await call('find_coverage_gaps', { branch: branchId })
  expect(found.answer).toMatch(/ On quality branch pricing\.$/)
  expect(JSON.stringify(found.data)).toContain('REQ-?1')
  expect(found.next_actions?.[0]?.args).toMatchObject({ branch })
  expect(JSON.stringify((await call('find_coverage_gaps', {})).data)).not.toContain('REQ-?1')
})

test('an edit on a branch leaves main as it is, and its undo names the branch', async () => {
  const edited = await call('save_requirement', {
    requirement: 'REQ-2',
    title: 'The cart shows its total first',
    branch,
  })
  expect(edited.answer).toMatch(/ On quality branch pricing\.$/)
  expect(edited.next_actions?.[0]).toMatchObject({
    tool: 'save_requirement',
    args: { requirement: 'REQ-2', title: 'The cart shows its total', branch },
  })
  const { requirement } = await shop.api.getRequirement({ id: shop.ids['REQ-2'] ?? '' })
  expect(requirement.title).toBe('The cart shows its total')
})

test('a provisional key without its branch is told as one', async () => {
  const { text } = await agent.call('save_requirement', { requirement: 'REQ-?1', title: 'Other' })
  expect(text).toMatchInlineSnapshot(`
    "error: a requirement with a provisional key is on a quality branch alone (not_found)
    you sent: requirement = "REQ-?1"
    expected: branch = pricing; the merge gives it its final key
    next: get_test_context {"product":"1","requirement":"REQ-?1","branch":"pricing"}"
  `)
})

test('a requirement of a branch is read and listed there, and the next calls stay on it', async () => {
  const read = await call('get_requirement', { requirement: 'REQ-?1', branch })
  expect(read.answer).toMatch(/^REQ-\?1 is no_test: draft.* On quality branch pricing\.$/)
  expect(read.next_actions).toMatchObject([{ tool: 'get_test_context', args: { requirement: 'REQ-?1', branch } }])
  const listed = await call('list_requirements', { branch })
  expect(listed.answer).toMatch(/ On quality branch pricing\.$/)
  expect(JSON.stringify(listed.data)).toContain('REQ-?1')
  expect(listed.next_actions?.map(({ args }) => args['branch'])).toEqual([branch, branch])
  expect(JSON.stringify((await call('list_requirements', {})).data)).not.toContain('REQ-?1')
})

test('what a branch does not have is looked for on that branch next', async () => {
  const next = async (tool: string, args: object) => {
    const { text } = await agent.call(tool, { ...args, branch })
    const [, name = '', sent = ''] = /^next: (\w+) (.*)$/m.exec(text) ?? []
    return { name, answer: (await call(name, JSON.parse(sent) as object)).answer }
  }
  const requirement = await next('get_requirement', { requirement: 'Prices with tax' })
  expect(requirement).toEqual({ name: 'list_requirements', answer: expect.stringContaining('branch pricing') })
  const test = await next('get_test', { test: 'TC-?7' })
  expect(test).toEqual({ name: 'list_tests', answer: expect.stringContaining('branch pricing') })
})

test('get_workspace_context lists the open branches with what they change', async () => {
  const { data } = await call('get_workspace_context', { include: ['branches'] })
  expect(data['branches']).toMatchObject([{ name: 'pricing', changes: 2, decisions_open: 0 }])
  const { structured } = await agent.call('get_workspace_context', { include: ['branches'], match: 'nothing' })
  expect((structured as Shown).answer).toContain('No branch has "nothing" in its name.')
})

test('get_fix_context takes a quality branch by its name, and any other text as a git ref', async () => {
  await shop.crash(5, {})
  expect((await call('get_fix_context', { issue: 'APP-1', branch })).answer).toMatch(/ On quality branch pricing\.$/)
  const other = await call('get_fix_context', { issue: 'APP-1', branch: 'fix/total' })
  expect(other.answer).not.toContain('quality branch')
  expect(other.data['git_ref']).toBe('fix/total')
})

test('get_fix_context has the requirements of the branch, and its next call stays on it', async () => {
  const title = 'Prices are shown with tax'
  await call('save_requirement', { requirement: 'REQ-?1', title, files: ['src/cart/cart.ts'], branch })
  const { data, next_actions: next } = await call('get_fix_context', { issue: 'APP-1', branch })
  expect(JSON.stringify(data['requirements'])).toContain(title)
  expect(next).toMatchObject([{ tool: 'get_test_context', args: { requirement: 'REQ-?1', branch } }])
  expect(JSON.stringify((await call('get_fix_context', { issue: 'APP-1' })).data)).not.toContain(title)
})

test('get_test_context asks for a link on the branch, because no report reads a provisional key', async () => {
  const { data } = await call('get_test_context', { requirement: 'REQ-?1', branch })
  const advice = data['how_to'] as string[]
  expect(advice.join('\n')).toContain('keep REQ-?1 out of the name of the test')
  expect(advice.at(-1)).toContain('record_tests with branch')
  expect(JSON.stringify(await call('get_test_context', { requirement: 'REQ-2', branch }))).toContain('[REQ-2')
})

test('tests are registered on a branch, and their links to its drafts are proposals to decide', async () => {
  const tests = [{ title: 'shows the tax', file: 'test/tax.test.ts', requirement_ids: ['REQ-?1'] }]
  const recorded = await call('record_tests', { tests, branch })
  expect(recorded.answer).toBe('1 test created, 1 link proposed. On quality branch pricing.')
  expect(recorded.data['undo']).toBe('To reject a proposed link: decide_link_proposals.')
  expect(recorded.next_actions).toMatchObject([{ tool: 'review_branch', args: { branch } }])
  expect((await shop.api.listTests({ product_id: shop.productId, q: 'tax' })).tests).toEqual([])
  const context = await call('get_test_context', { requirement: 'REQ-?1', branch })
  expect((context.data['how_to'] as string[])[0]).toMatch(/^1 test proposed to prove it \(TC-\?1\): the user decides/)
  expect(context.next_actions?.at(-1)).toMatchObject({ tool: 'review_branch', args: { branch } })
  const read = await call('get_test', { test: 'TC-?1', branch })
  expect(read.answer).toMatch(/^TC-\?1 is active.* On quality branch pricing\.$/)
})

test('a test of a branch is listed there, and the next call reads it there', async () => {
  const listed = await call('list_tests', { branch, match: 'tax' })
  expect(listed.answer).toMatch(/^1 test matching.* On quality branch pricing\.$/)
  expect(listed.data['rows']).toMatchObject([{ id: 'TC-?1', file: 'test/tax.test.ts' }])
  expect(listed.next_actions).toMatchObject([{ tool: 'get_test', args: { test: 'TC-?1', branch } }])
  expect((await call('list_tests', { match: 'tax' })).data['rows']).toEqual([])
})

test('tests of a draft are not registered in main when the branch is left out', async () => {
  const tests = [{ title: 'levies the tax', file: 'test/tax.test.ts', requirement_ids: ['REQ-?1'] }]
  const { text } = await agent.call('record_tests', { tests })
  expect(text).toMatch(/^expected: branch = pricing;/m)
  expect((await shop.api.listTests({ product_id: shop.productId, q: 'levies' })).tests).toEqual([])
})

test('the provisional key of a test without its branch leads to the call that reads it there', async () => {
  const { text } = await agent.call('get_test', { test: 'TC-?1' })
  expect(text).toMatch(/^expected: branch = pricing;/m)
  const [, name = '', args = ''] = /^next: (\w+) (.*)$/m.exec(text) ?? []
  expect((await call(name, JSON.parse(args) as object)).answer).toMatch(/^TC-\?1.* On quality branch pricing\.$/)
})

test('a requirement and a test are deleted on a branch without a person, and main keeps them until the merge', async () => {
  const reason = 'prices have no discount'
  await call('save_requirement', { title: 'Prices have a discount', branch })
  const draft = await call('delete_requirement', { requirement: 'REQ-?2', reason, branch })
  expect(draft.answer).toBe('Deleted REQ-?2, 0 linked tests. On quality branch pricing.')
  expect(draft.next_actions).toMatchObject([{ tool: 'review_branch', args: { branch } }])
  const preview = await call('delete_requirement', { requirement: 'REQ-4', reason, branch, dry_run: true })
  expect(preview.answer).toMatch(/^Preview, nothing written: would delete REQ-4.* until the merge\.$/)
  const requirement = await call('delete_requirement', { requirement: 'REQ-4', reason, branch })
  expect(requirement.answer).toMatch(
    /^Deleted REQ-4, .* On quality branch pricing\. It stays in the main tree until the merge\.$/,
  )
  const test = await call('delete_test', { test: 'TC-2', reason, branch })
  expect(test.answer).toMatch(
    /^Deleted TC-2.* left without a test: REQ-2\. On quality branch pricing\. It stays in the main tree/,
  )
  expect(test.next_actions?.map(({ args }) => args['branch'])).toEqual([branch, branch])
  const listed = async (tool: string, args: object) =>
    ((await call(tool, args)).data['rows'] as { id: string }[]).map(({ id }) => id)
  expect(await listed('list_requirements', { branch })).not.toContain('REQ-4')
  expect(await listed('list_requirements', {})).toContain('REQ-4')
  expect(await listed('list_tests', { branch })).not.toContain('TC-2')
  expect(await listed('list_tests', {})).toContain('TC-2')
  expect((await call('review_branch', { branch })).answer).toContain('2 things deleted')
})

test('a report whose test names a provisional key is told that the key leads nowhere', async () => {
  const report = vitestReport([{ file: 'test/guess.test.ts', name: 'guesses [REQ-?1.1]' }], '')
  for (const on of [{}, { branch }])
    expect((await call('ingest_test_report', { report, ...on })).data['unresolved_references']).toEqual([
      { reference: 'REQ-?1.1', test: expect.stringMatching(/^TC-\d+$/) as string },
    ])
})

test('the gap of a draft is closed by its test, the report of it and the decision about its link', async () => {
  const report = vitestReport([{ file: 'test/tax.test.ts', name: 'shows the tax' }], '')
  const sent = await call('ingest_test_report', { report, branch })
  expect(sent.answer).toContain('Counted in the main tree; new links are proposals on quality branch pricing.')
  expect(sent.next_actions?.at(-1)).toMatchObject({ tool: 'find_coverage_gaps', args: { branch } })
  const review = await call('review_branch', { branch })
  const [proposal] = (review.data['proposals'] ?? []) as { id: string }[]
  await call('decide_link_proposals', { branch, accept: [proposal?.id] })
  const context = await call('get_test_context', { requirement: 'REQ-?1', branch })
  expect(context.answer).toMatch(/^REQ-\?1 is verified/)
  expect(context.next_actions?.at(-1)).toMatchObject({ tool: 'find_coverage_gaps', args: { branch } })
  expect(JSON.stringify((await call('find_coverage_gaps', { branch })).data)).not.toContain('REQ-?1')
})

test('after the merge a provisional key leads to the final ones, also while another branch is open', async () => {
  await shop.api.createBranch({ product_id: shop.productId, name: 'later' })
  const reply = await shop.request('POST', `/v1/branches/${branchId}/merge`, {})
  expect(reply.status).toBe(200)
  for (const [tool, args] of [
    ['get_requirement', { requirement: 'REQ-?1' }],
    ['get_test', { test: 'TC-?1' }],
  ] as const) {
    const { text } = await agent.call(tool, args)
    expect(text).toContain('error: no open quality branch has a')
    const [, name = '', next = ''] = /^next: (\w+) (.*)$/m.exec(text) ?? []
    expect(JSON.stringify((await call(name, JSON.parse(next) as object)).data)).toMatch(/"(?:REQ|TC)-5"/)
  }
})
