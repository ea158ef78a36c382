import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openShopWithGaps, vitestReport, type GapShop } from './gap-shop.ts'
import { replyText, type Send } from '../../src/contract/base/wire.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { connectElsewhere, losing, losingAll, losses } from './unread-answers.ts'

let shop: GapShop
beforeAll(async () => {
  shop = await openShopWithGaps()
})
afterAll(() => shop.close())

interface Done {
  answer: string
  data: { rows: { id: string; outcome: string }[] }
  next_actions?: { tool: string; args: Record<string, unknown> }[]
}

describe.each(losses)('a write that is done and whose answer is lost (%s)', (loss) => {
  test('changes the status of issues, as a read in the same call shows', async () => {
    await reopen()
    await using agent = await connectElsewhere(shop, (send) => losing(send, loss))
    const one = await agent.call('set_error_issue_status', { issues: ['APP-1'], status: 'ignored', reason: 'r' })
    expect(one.structured).toMatchObject({
      answer: expect.stringContaining("1 changed to ignored. The deployment's reply cannot be read") as string,
      data: { rows: [{ id: 'APP-1', outcome: 'changed', from: 'unresolved' }] },
    })
    const both = await agent.call('set_error_issue_status', {
      issues: ['APP-1', 'APP-2'],
      status: 'resolved',
      reason: 'r',
    })
    const { data, next_actions: next = [] } = both.structured as Done
    expect(data.rows.map(({ outcome }) => outcome)).toEqual(['changed', 'changed'])
    expect(next.map(({ args }) => args['status'])).toEqual(['ignored', 'unresolved'])
  })
})

describe.each(losses)('tests are registered (%s)', (loss) => {
  test('once, and linked, as reads in the same call show', async () => {
    await using agent = await connectElsewhere(shop, (send) => losing(send, loss))
    const tests = [{ title: `mails after ${loss}`, file: `test/${loss}.test.ts`, requirement_ids: ['REQ-1', 'REQ-2'] }]
    const made = await agent.call('record_tests', { tests })
    expect(made.structured).toMatchObject({
      answer: '1 test created, 2 links made.',
      data: { rows: [{ outcome: 'created', links: 'REQ-1 linked, REQ-2 linked' }] },
    })
    expect(agent.writes().filter((write) => write.endsWith('/tests'))).toHaveLength(1)
    const { tests: known } = await shop.api.listTests({ product_id: shop.productId, file_path: `test/${loss}.test.ts` })
    expect(known).toHaveLength(1)
    const again = await agent.call('record_tests', { tests: [{ ...tests[0], issue: 'APP-1' }] })
    expect(again.structured).toMatchObject({ answer: '1 test updated, 2 links there already.' })
  })
})

describe.each(losses)('requirements and links (%s)', (loss) => {
  test('are changed as a read in the same call shows, and a new requirement is never made twice', async () => {
    await using agent = await connectElsewhere(shop, (send) => losing(send, loss))
    const title = `A customer can order without an account, after ${loss}`
    const changed = await agent.call('save_requirement', { requirement: 'REQ-2', title })
    expect(changed.structured).toMatchObject({
      answer: expect.stringMatching(/^Changed REQ-2 in title: version \d+ now.* read again, it is done\.$/) as string,
      data: { outcome: 'updated', requirement: { title } },
    })
    const created = await agent.call('save_requirement', { title: `New after ${loss}` })
    expect(created.text).toContain('check before you repeat it (outcome_unknown')
    expect(created.text).toContain(`next: list_requirements {"product":"1","match":"New after ${loss}"}`)
    expect(agent.sent.filter(({ body }) => body.includes('New after') && !body.includes('validate_only'))).toHaveLength(
      1,
    )
    const test = { title: 'unlinked', file: 'test/unlinked.test.ts', requirement_ids: ['REQ-1'] }
    await agent.call('record_tests', { tests: [test] })
    const { tests } = await shop.api.listTests({ product_id: shop.productId, file_path: test.file })
    const unlinked = await agent.call('unlink_test', { test: tests[0]?.key, requirement: 'REQ-1' })
    // A delete has an empty answer, which may come in any form but a page or half of it.
    expect(unlinked.structured).toMatchObject({ data: { outcome: 'removed' } })
  })
})

describe('a write whose outcome no read of the call can tell', () => {
  test('is unknown for a requirement and for a link that is removed', async () => {
    await using update = await connectElsewhere(shop, (send) => losingAll(send))
    const changed = await update.call('save_requirement', { requirement: 'REQ-2', title: 'Guests can order' })
    expect(changed.text).toMatch(/^error: the outcome is unknown: PUT .* returned 50\d.*; check before you repeat it/)
    expect(changed.text).toContain('next: get_requirement {"requirement":"REQ-2","product":"1"}')
    await shop.api.linkTest({ test_id: await testId('TC-1'), requirement_id: await shop.idOf('REQ-1') })
    await using removal = await connectElsewhere(shop, (send) => losingAll(send))
    const removed = await removal.call('unlink_test', { test: 'TC-1', requirement: 'REQ-1' })
    expect(removed.text).toMatch(
      /^error: the outcome is unknown: DELETE .* returned 50\d.*; check before you repeat it/,
    )
    expect(removed.text).toContain('next: get_test {"product":"1","test":"TC-1"}')
  })

  test('is unknown for a test that is registered, and what was done before is said', async () => {
    const created = (method: string, path: string) => method === 'POST' && path.endsWith('/tests')
    const tests = [{ title: 'mails once', file: 'test/once.test.ts', requirement_ids: ['REQ-1'] }]
    await using one = await connectElsewhere(shop, (send) => losingAll(send, created))
    const { text } = await one.call('record_tests', { tests })
    expect(text).toMatch(/^error: the outcome is unknown: POST .* returned 502.*; check before you repeat it/)
    expect(text).toContain('next: list_tests {"product":"1","match":"mails once"}')
    const linked = (method: string, path: string) => method === 'POST' && path.endsWith('/links')
    await using other = await connectElsewhere(shop, (send) => losingAll(send, linked))
    const done = await other.call('record_tests', { tests })
    expect(done.structured).toMatchObject({
      answer: '1 test known already, 1 link of unknown outcome. Unknown: it may be done; check before you repeat it.',
      data: { rows: [{ outcome: 'already', links: 'REQ-1 unknown' }] },
      next_actions: [{ tool: 'get_test' }],
    })
  })

  test('is unknown for issues, with the call that checks', async () => {
    const change = { status: 'resolved', reason: 'r' }
    await reopen()
    await using one = await connectElsewhere(shop, (send) => losingAll(send))
    const { text } = await one.call('set_error_issue_status', { issues: ['APP-1'], ...change })
    expect(text).toMatch(
      /^error: the outcome is unknown: POST .* returned 50\d.*; check before you repeat it \(outcome_unk/,
    )
    expect(text).toContain('next: get_error_issue {"issue":"APP-1"}')
    await reopen()
    await using both = await connectElsewhere(shop, (send) => losingAll(send))
    const issues = ['APP-1', 'APP-2']
    const { structured } = await both.call('set_error_issue_status', { issues, ...change })
    expect(structured).toMatchObject({
      answer: '2 unknown. Unknown: it may be done; check before you repeat it.',
      next_actions: [{ args: { issues, status: 'resolved', reason: 'A check.', dry_run: true } }],
    })
  })
})

describe('a report whose answer is lost', () => {
  test('is sent once, and may be sent again only where it counts once', async () => {
    const report = vitestReport([{ file: 'test/run.test.ts', name: 'runs' }])
    await using ours = await connectElsewhere(shop, (send) => losing(send, 'htmlWrites'))
    const { text } = await ours.call('ingest_test_report', { report })
    expect(text).toMatch(/outcome_unknown.*\nnext: send the same report again: it is the same run and counts once/)
    await using other = await connectElsewhere(shop, (send) => reshaped(losing(send, '502'), 'notBuilt:getMe'))
    const unknown = await other.call('ingest_test_report', { report })
    expect(unknown.text).toMatch(/check before you repeat it \(outcome_unknown.*\nnext: list_tests \{"product":"1"\}$/)
    expect([ours.writes(), other.writes()].map(({ length }) => length)).toEqual([1, 1])
  })

  test('says only what the deployment states of it', async () => {
    await shop.api.ingestTests({
      product_id: shop.productId,
      draft: {
        cases: [
          {
            file_path: 'test/mail.test.ts',
            suite_path: [],
            name: 'mail goes out [REQ-1]',
            status: 'RESULT_STATUS_PASSED',
          },
        ],
      },
    })
    const run = [
      { file: 'test/mail.test.ts', name: 'mail goes out [REQ-1]', status: 'failed' as const },
      { file: 'test/mail.test.ts', name: 'mail is short [REQ-2]' },
    ]
    const report = vitestReport(run)
    const said = async (...names: string[]) => {
      await using agent = await connectElsewhere(shop, (send) => reshaped(send, ...names))
      return (await agent.call('ingest_test_report', { report })).text
    }
    expect(await said('without:summary')).toContain('2 tests, 1 passed, 1 failed; ')
    expect(await said('without:summary', 'without:cases')).toMatch(/^Report taken, its counts are not stated; /)
    expect(await said('without:passed', 'without:cases')).not.toContain('passed=0')
    expect(await said('noTotals', 'without:coverage')).not.toMatch(/\| was\b/)
  })
})

describe('where the deployment lacks an endpoint', () => {
  test.each(['noRoute', 'noPage'])('a report is not taken, and the answer says so (%s)', async (style) => {
    await using agent = await connectElsewhere(shop, (send) => reshaped(send, `${style}:ingestTests`))
    const report = vitestReport([{ file: 'test/run.test.ts', name: 'runs' }])
    const { text } = await agent.call('ingest_test_report', { report })
    expect(text).toContain('does not offer the ingest of test reports (feature_disabled, not retryable)')
    expect(text).toContain('next: record_tests still registers')
  })

  test.each(['noRoute', 'noPage'])('requirements and links say what still works (%s)', async (style) => {
    const names = ['createRequirement', 'updateRequirement', 'unlinkTest', 'getMe'].map((name) => `${style}:${name}`)
    await using agent = await connectElsewhere(shop, (send) => reshaped(send, ...names))
    await shop.api.linkTest({ test_id: await testId('TC-1'), requirement_id: await shop.idOf('REQ-1') })
    for (const [tool, args, what] of [
      ['save_requirement', { title: 'Another' }, 'the creation of requirements'],
      ['save_requirement', { requirement: 'REQ-1', title: 'Another' }, 'changes of requirements'],
      ['unlink_test', { test: 'TC-1', requirement: 'REQ-1' }, 'the removal of links'],
    ] as const) {
      const { text } = await agent.call(tool, args)
      expect(text).toContain(`error: this deployment does not offer ${what} (feature_disabled, not retryable)`)
      expect(text).toMatch(/next: .* still works?/)
    }
  })

  test('an update needs no auth/me, which only previews ask', async () => {
    await using agent = await connectElsewhere(shop, (send) => reshaped(send, 'noRoute:getMe'))
    const { text } = await agent.call('save_requirement', { requirement: 'REQ-1', title: 'A mail confirms an order' })
    expect(text).toContain('Changed REQ-1 in title')
  })

  test('a link is found with its test where requirements come without links', async () => {
    await shop.api.linkTest({ test_id: await testId('TC-1'), requirement_id: await shop.idOf('REQ-1') })
    await using agent = await connectElsewhere(shop, withoutLinks)
    const preview = await agent.call('unlink_test', { test: 'TC-1', requirement: 'REQ-1', dry_run: true })
    expect(preview.text).not.toMatch(/0 other|no_test/)
    expect(preview.text).toContain('its state would depend on its other links')
  })

  test.each(['noRoute', 'noPage'])('tests that are known are still linked (%s)', async (style) => {
    const missing = ['createTest', 'updateTest', 'listTestLinks'].map((name) => `${style}:${name}`)
    await using agent = await connectElsewhere(shop, (send) => reshaped(send, ...missing))
    const known = { title: 'TC-1', requirement_ids: ['REQ-2'] }
    const { text } = await agent.call('record_tests', {
      tests: [known, { title: 'another', file: 'test/other.test.ts', requirement_ids: ['REQ-2'] }],
    })
    expect(text).toMatch(/^1 test known already, 1 test failed, 1 link /)
    expect(text).toContain('feature_disabled: this deployment does not offer the registering of tests')
    await using linkless = await connectElsewhere(shop, (send) => reshaped(send, `${style}:linkTest`))
    const unlinked = await linkless.call('record_tests', { tests: [{ title: 'TC-1', requirement_ids: ['REQ-1.1'] }] })
    expect(unlinked.text).toContain('this deployment does not offer links of tests')
  })

  test.each(['noRoute', 'noPage'])('statuses are set by the other one (%s)', async (style) => {
    const change = { issues: ['APP-1', 'APP-2'], reason: 'r' }
    await reopen()
    await using bulkless = await connectElsewhere(shop, (send) => reshaped(send, `${style}:bulkSetIssueStatus`))
    const each = await bulkless.call('set_error_issue_status', { ...change, status: 'ignored' })
    expect(each.text).toContain('2 changed to ignored')
    expect(bulkless.writes()).toHaveLength(2)
    await using bulkOnly = await connectElsewhere(shop, (send) => reshaped(send, `${style}:setIssueStatus`))
    const one = await bulkOnly.call('set_error_issue_status', { issues: ['APP-1'], reason: 'r', status: 'resolved' })
    expect(one.text).toContain('1 changed to resolved')
    await using neither = await connectElsewhere(shop, (send) =>
      reshaped(send, `${style}:setIssueStatus`, `${style}:bulkSetIssueStatus`),
    )
    const { text } = await neither.call('set_error_issue_status', { ...change, status: 'unresolved' })
    expect(text).toContain('this deployment does not offer changing the status of issues (feature_disabled')
    expect(text).toContain('reading issues still works')
    expect(neither.writes()).toEqual([])
  })
})

/** A requirement is sent without its links. */
function withoutLinks(send: Send): Send {
  return async (request) => {
    const reply = await send(request)
    if (!/\/v1\/requirements\/[^/]+$/.test(new URL(request.url).pathname)) return reply
    return { ...reply, body: (await replyText(reply)).replace('"links":', '"others":') }
  }
}

async function testId(key: string): Promise<string> {
  const { tests } = await shop.api.listTests({ product_id: shop.productId, key: [key] })
  return tests[0]?.id ?? ''
}

/** Both issues. */
async function reopen() {
  const { issues } = await shop.api.listIssues({ product_id: shop.productId })
  const issue_ids = issues.map(({ id }) => id)
  await shop.api.bulkSetIssueStatus({ product_id: shop.productId, issue_ids, status: 'unresolved' })
}
