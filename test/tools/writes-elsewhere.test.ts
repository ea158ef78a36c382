import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Send } from '../../src/contract/base/wire.ts'
import { surface } from '../../src/surface.ts'
import { draftBranch, scanOnce } from '../mcp/checks/calls.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { openShopWithGaps, vitestReport, type GapShop } from './gap-shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

let shop: GapShop
beforeAll(async () => {
  shop = await openShopWithGaps()
  const known = { product_id: shop.productId, kind: 'TEST_KIND_CASE' as const, title: 'known' }
  const { test: made } = await shop.api.createTest(known)
  await shop.api.linkTest({ test_id: made.id, requirement_id: await shop.idOf('REQ-1') })
  const drafted = new Map<string, string>(await draftBranch(shop, shop.productId))
  previews.decide_link_proposals.accept = [drafted.get('proposal') ?? '']
  previews.cancel_agent_run.run = new Map<string, string>(await scanOnce(shop, shop.productId)).get('run') ?? ''
})
afterAll(() => shop.close())

const report = vitestReport([{ file: 'test/a.test.ts', name: 'one [REQ-1]' }])

/** A call of each tool that has a preview, but for create_product: with a second product, every call would have to name one. */
const calls: Readonly<Record<string, Record<string, unknown>>> = {
  set_error_issue_status: { issues: ['APP-1', 'APP-2'], status: 'resolved', reason: 'r' },
  record_tests: { tests: [{ title: 'new', file: 'test/new.test.ts', requirement_ids: ['REQ-1', 'REQ-2'] }] },
  ingest_test_report: { report },
  save_requirement: { title: 'A new one' },
  unlink_test: { test: 'TC-1', requirement: 'REQ-1' },
  record_release: { version: 'shop@9', environment: 'production' },
  create_component: { name: 'Mail', globs: ['src/mail/**'] },
  create_environment: { name: 'staging' },
  approve_requirements: { requirements: ['REQ-1'] },
  delete_requirement: { requirement: 'REQ-1', reason: 'r' },
  delete_test: { test: 'TC-1', reason: 'r' },
  delete_environment: { environment: 'production' },
}
const previews = {
  ...calls,
  create_product: { name: 'Another' },
  create_quality_branch: { name: 'another' },
  // The proposal and the run are made before the tests.
  decide_link_proposals: { branch: 'pricing', accept: [''] },
  merge_quality_branch: { branch: 'pricing', reason: 'r' },
  delete_quality_branch: { branch: 'pricing', reason: 'r' },
  create_agent_config: { type: 'coverage_gap_scan' },
  delete_agent_config: { config: 'scan', reason: 'r' },
  start_agent_run: { config: 'scan' },
  cancel_agent_run: { run: '' },
}

test('the preview of every tool only reads where the deployment is not known to heed it', async () => {
  const previewing = surface.tools.filter(({ input }) => 'dry_run' in input.shape).map(({ name }) => name)
  expect(previewing.toSorted()).toEqual(Object.keys(previews).toSorted())
  await using agent = await connectElsewhere(shop, (send) => reshaped(send, 'noRoute:getMe'))
  for (const [tool, args] of Object.entries(previews)) {
    const { text } = await agent.call(tool, { ...args, dry_run: true })
    expect(`${tool}: ${text}`).toMatch(
      /: (?:Preview, nothing written|error: this deployment does not support previews)/,
    )
  }
  expect(agent.writes()).toEqual([])
})

test('a preview that fails leaves no outcome open', async () => {
  await using agent = await connectElsewhere(shop, (send) => refusing(send, 503))
  for (const [tool, args] of Object.entries(previews)) {
    const { text } = await agent.call(tool, { ...args, dry_run: true })
    expect(`${tool}: ${text}`).not.toMatch(/may or may not|outcome_unknown|check before/)
  }
})

test.each(['reset', '502', '429'])('no write that creates something is sent twice (%s)', async (failure) => {
  const creating = /\/(?:tests|tests:ingest|requirements|sourcemaps|components|environments)$/
  for (const [tool, args] of Object.entries(calls)) {
    const isCreating = (method: string, path: string) => method === 'POST' && creating.test(path)
    const sent: string[] = []
    await using agent = await connectElsewhere(shop, (send) => {
      const failing = failure === '429' ? refusing(send, 429) : losing(send, failure, isCreating)
      return (request) => {
        const { pathname } = new URL(request.url)
        if (isCreating(request.method, pathname)) sent.push(pathname)
        return failing(request)
      }
    })
    await agent.call(tool, args)
    expect({ tool, again: sent.slice(1) }).toEqual({ tool, again: [] })
  }
})

/** Writes are refused with this status and not done. */
function refusing(send: Send, status: number): Send {
  return (request) =>
    request.method === 'GET' ? send(request) : Promise.resolve({ status, headers: { 'retry-after': '0' }, body: '' })
}

const absentIssue = '00000000-0000-7000-8000-00000000ffff'

test.each(['noRoute', 'noPage'])(
  'no issue is said to be missing where single issues are not offered: %s',
  async (style) => {
    await using agent = await connectElsewhere(shop, (send) => reshaped(send, `${style}:getIssue`))
    const { text, isError } = await agent.call('set_error_issue_status', calls['set_error_issue_status'])
    expect(isError).toBe(true)
    expect(text).toMatch(/this deployment does not offer (?:single error issues|it)/)
    expect(text).not.toContain('not found')
    expect(agent.writes()).toEqual([])
  },
)

test.each([
  ['an id that no issue has', [absentIssue], /error issue not found.*issue = .*ffff/s],
  ['several', ['APP-77', absentIssue], /none of these 2 error issues was found; nothing was changed.*APP-77, .*ffff/s],
])('a change of no issue at all is an error that leads on: %s', async (_, issues, words) => {
  for (const change of ['noRoute:getIssue', 'without:etag']) {
    await using agent = await connectElsewhere(shop, (send) => reshaped(send, change))
    const { text, isError } = await agent.call('set_error_issue_status', { issues, status: 'resolved', reason: 'r' })
    expect(isError).toBe(true)
    expect(text).toMatch(words)
    expect(text).toContain('(not_found)')
    expect(text).toContain('find_error_issues')
  }
})

test('a value that is not understood is neither put back by an undo nor taken as what was asked for', async () => {
  const { tests } = await shop.api.listTests({ product_id: shop.productId, key: ['TC-1'] })
  await shop.api.linkTest({ test_id: tests[0]?.id ?? '', requirement_id: await shop.idOf('REQ-1') })
  await using agent = await connectElsewhere(shop, (send) => reshaped(send, 'enumsUnknown'))
  const status = { status: 'ignored', reason: 'r' }
  for (const [tool, args, write] of [
    ['set_error_issue_status', { issues: ['APP-1'], ...status }, ':setStatus'],
    ['set_error_issue_status', { issues: ['APP-1', 'APP-2'], ...status }, ':bulkSetStatus'],
    ['save_requirement', { requirement: 'REQ-1', title: 'Another title', files: ['src/mail/**'] }, '/requirements/'],
    ['unlink_test', { test: 'TC-1', requirement: 'REQ-1' }, '/links/'],
  ] as const) {
    const { text } = await agent.call(tool, args)
    expect(`${tool}: ${text}`).not.toMatch(/\balready\b|undoes this change|links it again, if|\{[^\n]*shiny/i)
    expect(agent.writes().at(-1)).toContain(write)
  }
})

test('what may be deleted in the main tree instead of on a branch is shown to a person first', async () => {
  await using agent = await connectElsewhere(shop, (send) => reshaped(send, 'noRoute:getMe'))
  for (const [tool, args] of Object.entries({
    delete_requirement: { requirement: 'REQ-1' },
    delete_test: { test: 'TC-1' },
  })) {
    const { text } = await agent.call(tool, { ...args, branch: 'pricing', reason: 'r' })
    expect(text).toMatch(
      /^error: this deployment may delete it in the main tree; nothing was written \(confirmation_required/,
    )
    expect(text).toMatch(/^Delete \w+ (?:REQ|TC)-1 on quality branch pricing$/m)
  }
  expect(agent.writes()).toEqual([])
})
