import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Api } from '../../src/client/api.ts'
import { createApi } from '../../src/client/client.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { ServiceError } from '../../src/errors.ts'
import { origin } from '../app.ts'
import { connect, type Connected } from '../mcp/clients.ts'
import { openShopWithGaps, vitestReport, type GapShop } from './gap-shop.ts'
import { shown } from './shop.ts'

let shop: GapShop
let agent: Connected
beforeEach(async () => {
  shop = await openShopWithGaps()
  agent = await connect(shop.api)
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

const mail = { title: 'holds the order number', file: 'test/checkout/mail.test.ts', suite: 'mail > text' }

interface Row {
  id?: string
  outcome: string
  links?: string
  error?: string
}

async function record(
  tests: object[],
  more: object = {},
  by = agent,
): Promise<{ answer: string; data: { rows: Row[] } }> {
  const { structured, isError, text } = await by.call('record_tests', { tests, ...more })
  if (isError) throw new Error(text)
  return structured as { answer: string; data: { rows: Row[] } }
}

/** The service, with every request that is no read written down. */
function watched(writes: string[], send: Send = shop.service.direct) {
  const counting: Send = (request) => {
    if (request.method !== 'GET') writes.push(`${request.method} ${new URL(request.url).pathname}`)
    return send(request)
  }
  return createApi({ send: counting, baseUrl: origin, token: shop.token, retries: 0 })
}

/** As the service sends them, because the client does not show names that only reports give. */
const allTests = async () => {
  const { body } = await shop.request<{ tests: { id: string }[] }>('GET', `/v1/products/${shop.productId}/tests`)
  return body.tests
}

test('record_tests registers and links, tells each outcome, and what to do next', async () => {
  const called = await agent.call('record_tests', {
    tests: [
      { ...mail, requirement_ids: ['REQ-1'] },
      { title: 'orders as a guest', file: 'test/checkout/guest.test.ts', requirement_ids: ['REQ-2', 'REQ-99'] },
    ],
  })
  expect(shown(called).text).toMatchInlineSnapshot(`
    "2 tests created, 2 links made, 1 link failed.
    product: My product (id 1)
    rows (id | outcome | title | file | links):
    TC-1 | created | holds the order number | test/checkout/mail.test.ts | REQ-1 linked
    TC-2 | created | orders as a guest | test/checkout/guest.test.ts | REQ-2 linked, REQ-99 failed (no such requirement in the product)
    requirements (id | title | state):
    REQ-1 | An order is confirmed by mail | not_run
    REQ-2 | A customer can order without an account | not_run
    afterwards: Run the tests, then send their report with ingest_test_report: only a result that passed verifies a requirement."
  `)
  expect(shown(called).structured).toMatchInlineSnapshot(`
    {
      "answer": "2 tests created, 2 links made, 1 link failed.",
      "data": {
        "afterwards": "Run the tests, then send their report with ingest_test_report: only a result that passed verifies a requirement.",
        "requirements": [
          {
            "id": "REQ-1",
            "state": "not_run",
            "title": "An order is confirmed by mail",
          },
          {
            "id": "REQ-2",
            "state": "not_run",
            "title": "A customer can order without an account",
          },
        ],
        "rows": [
          {
            "file": "test/checkout/mail.test.ts",
            "id": "TC-1",
            "links": "REQ-1 linked",
            "outcome": "created",
            "title": "holds the order number",
          },
          {
            "file": "test/checkout/guest.test.ts",
            "id": "TC-2",
            "links": "REQ-2 linked, REQ-99 failed (no such requirement in the product)",
            "outcome": "created",
            "title": "orders as a guest",
          },
        ],
      },
      "product": {
        "id": "1",
        "name": "My product",
      },
    }
  `)
})

test('the same call again changes nothing', async () => {
  const tests = [{ ...mail, requirement_ids: ['REQ-1', 'REQ-2'] }]
  await record(tests)
  const writes: string[] = []
  await using again = await connect(watched(writes))
  const { answer, data } = await record(tests, {}, again)
  expect(answer).toBe('1 test known already, 2 links there already.')
  expect(data.rows).toMatchObject([{ id: 'TC-1', outcome: 'already', links: 'REQ-1 already, REQ-2 already' }])
  expect(writes).toEqual([])
})

test('a test of a report is found by its place, whatever ran it, and linked without a tag', async () => {
  const report = vitestReport([{ file: mail.file, suites: ['mail', 'text'], name: mail.title }])
  await shop.api.ingestTests({ product_id: shop.productId, draft: { content: report }, options: { root_dir: '/repo' } })
  const { answer } = await record([{ ...mail, requirement_ids: ['REQ-2'] }])
  expect(answer).toBe('1 test updated, 1 link made.')
  expect(await shop.stateOf('REQ-2')).toBe('verified')
  expect(await allTests()).toMatchObject([{}, {}, { names_known: true }])
  expect((await record([{ ...mail, requirement_ids: ['REQ-2'] }])).answer).toBe(
    '1 test known already, 1 link there already.',
  )
})

test('a test of a report is linked by its key, which repeats none of its names', async () => {
  const report = vitestReport([{ file: mail.file, name: mail.title }])
  await shop.api.ingestTests({ product_id: shop.productId, draft: { content: report } })
  const { answer, data } = await record([{ title: 'tc-1', requirement_ids: ['REQ-2'] }])
  expect(answer).toBe('1 test known already, 1 link made.')
  expect(data.rows).toMatchObject([{ id: 'TC-1', outcome: 'already', links: 'REQ-2 linked' }])
  expect(await allTests()).toMatchObject([{ names_known: false }])
  const missing = await agent.call('record_tests', { tests: [{ title: 'TC-99', requirement_ids: ['REQ-2'] }] })
  expect(missing.text).toContain('no test case has this key')
})

test('a link in doubt stays so until it is confirmed with a reason', async () => {
  const tests = [{ ...mail, requirement_ids: ['REQ-2'] }]
  await record(tests)
  await shop.api.updateRequirement({ id: await shop.idOf('REQ-2'), statement: 'Something else.' })
  const { answer, data } = await record(tests)
  expect(answer).toBe('1 test known already, 1 link still in doubt.')
  expect(data.rows).toMatchObject([{ links: 'REQ-2 in_doubt' }])
  expect(data).toMatchObject({
    changed: [{ id: 'REQ-2', change: expect.stringContaining('Something else.') as string }],
  })
  const [test] = await allTests()
  const state = async () => (await shop.api.listTestLinks({ test_id: test?.id ?? '' })).links.map((link) => link.state)
  expect(await state()).toEqual(['LINK_STATE_SUSPECT'])
  const silent = await agent.call('record_tests', { tests, confirm_links: true })
  expect(silent.text).toContain('a confirmation of links needs a reason')
  const confirming = { tests, confirm_links: true, reason: 'it checks the new words' }
  const preview = await agent.call('record_tests', { ...confirming, dry_run: true })
  expect(preview.text).toContain('1 link would be confirmed')
  const confirmed = await agent.call('record_tests', confirming)
  expect(confirmed.text).toContain('REQ-2 confirmed')
  expect(await state()).toEqual(['LINK_STATE_ACTIVE'])
})

test('what is not in doubt needs no confirmation', async () => {
  const tests = [{ ...mail, requirement_ids: ['REQ-2'] }]
  await agent.call('record_tests', { tests, confirm_links: true, reason: 'sure' })
  const { text } = await agent.call('record_tests', { tests, confirm_links: true, reason: 'sure' })
  expect(text).toContain('REQ-2 already')
  const [test] = await allTests()
  const { links } = await shop.api.listTestLinks({ test_id: test?.id ?? '' })
  expect(links).toMatchObject([{ state: 'LINK_STATE_ACTIVE' }])
})

test('a link that did not count as coverage counts', async () => {
  await record([{ ...mail, requirement_ids: [] }])
  const [test] = await allTests()
  const requirement_id = await shop.idOf('REQ-2')
  await shop.api.linkTest({ test_id: test?.id ?? '', requirement_id, role: 'LINK_ROLE_EXERCISES' })
  expect(await shop.stateOf('REQ-2')).toBe('no_test')
  const { data } = await record([{ ...mail, requirement_ids: ['REQ-2'] }])
  expect(data.rows).toMatchObject([{ links: 'REQ-2 linked' }])
  expect(await shop.stateOf('REQ-2')).toBe('not_run')
})

test('a test that was given up is there again, and one without a place gets it', async () => {
  await record([
    { ...mail, requirement_ids: [] },
    { title: 'has no place yet', requirement_ids: [] },
  ])
  const [given] = await allTests()
  await shop.api.updateTest({ id: given?.id ?? '', status: 'TEST_STATUS_DEPRECATED' })
  const { data } = await record([
    { ...mail, requirement_ids: [] },
    { title: 'has no place yet', file: 'test/a.test.ts', requirement_ids: [] },
  ])
  expect(data.rows).toMatchObject([
    { id: 'TC-1', outcome: 'updated' },
    { id: 'TC-2', outcome: 'updated' },
  ])
  expect(await allTests()).toMatchObject([
    { status: 'TEST_STATUS_ACTIVE' },
    { automation_ref: { file_path: 'test/a.test.ts', name: 'has no place yet' } },
  ])
})

test('a path written in another way leads to the same test, also one that reads like a glob', async () => {
  const route = { title: 'renders', file: 'app/[id]/page.test.ts', requirement_ids: [] }
  await record([{ ...mail, requirement_ids: [] }, route])
  const { data } = await record([
    { ...mail, file: './test\\checkout\\mail.test.ts', requirement_ids: ['REQ-1'] },
    route,
  ])
  expect(data.rows).toMatchObject([
    { id: 'TC-1', outcome: 'already', links: 'REQ-1 linked' },
    { id: 'TC-2', outcome: 'already' },
  ])
  expect(await allTests()).toHaveLength(2)
})

test('the case of every project that runs it is linked', async () => {
  const cases = ['chromium', 'firefox'].map((project) => ({
    file_path: mail.file,
    suite_path: ['mail', 'text'],
    name: mail.title,
    project,
    status: 'RESULT_STATUS_PASSED' as const,
  }))
  await shop.api.ingestTests({ product_id: shop.productId, draft: { cases } })
  const { answer } = await record([{ ...mail, requirement_ids: ['REQ-2'] }])
  expect(answer).toBe('2 tests updated, 2 links made.')
  const projects = (await allTests()) as unknown as { automation_ref: { project: string } }[]
  expect(projects.map((test) => test.automation_ref.project)).toEqual(['', '', 'chromium', 'firefox'])
})

test('one test that stands twice in the call is registered once, with the requirements of both', async () => {
  const { data } = await record([
    { ...mail, requirement_ids: ['REQ-1'] },
    { ...mail, suite: ' mail  >  text ', requirement_ids: ['REQ-1', 'REQ-2'] },
  ])
  expect(data.rows).toMatchObject([{ outcome: 'created', links: 'REQ-1 linked, REQ-2 linked' }])
})

test('a title alone that several tests have is refused in its row, and the others are done', async () => {
  await record([
    { title: 'works', file: 'test/a.test.ts', requirement_ids: [] },
    { title: 'works', file: 'test/b.test.ts', requirement_ids: [] },
  ])
  const { data } = await record([
    { title: 'works', requirement_ids: ['REQ-1'] },
    { ...mail, requirement_ids: ['REQ-1'] },
  ])
  expect(data.rows).toMatchObject([
    { outcome: 'failed', error: 'ambiguous_name: several tests have this title: give file' },
    { outcome: 'created', links: 'REQ-1 linked' },
  ])
})

test('what cannot be linked does not stop what can', async () => {
  const group = await shop.require('Checkout', { kind: 'REQUIREMENT_KIND_GROUP' })
  const { answer, data } = await record([
    { ...mail, requirement_ids: [group, 'REQ-99', 'not an id / at all', 'REQ-1'] },
  ])
  expect(answer).toBe('1 test created, 1 link made, 3 links failed.')
  expect(data.rows[0]?.links).toBe(
    'REQ-3 failed (a group: link what it holds), REQ-99 failed (no such requirement in the product), ' +
      'a text of 18 characters failed (no such requirement in the product), REQ-1 linked',
  )
})

test('a failure in the middle loses nothing of what is done', async () => {
  const createTest: Api['createTest'] = (request, options) =>
    request.title === 'second'
      ? Promise.reject(new ServiceError('outcome_unknown', 'the answer got lost'))
      : shop.api.createTest(request, options)
  const linkTest: Api['linkTest'] = async (request, options) => {
    if (request.requirement_id !== (await shop.idOf('REQ-2'))) return shop.api.linkTest(request, options)
    throw new ServiceError('unavailable', 'the service is gone')
  }
  await using there = await connect({ ...shop.api, createTest, linkTest })
  const { data } = await record(
    ['first', 'second', 'third'].map((title) => ({
      title,
      file: 'test/a.test.ts',
      requirement_ids: ['REQ-1', 'REQ-2'],
    })),
    {},
    there,
  )
  expect(data.rows).toMatchObject([
    { id: 'TC-1', outcome: 'created', links: 'REQ-1 linked, REQ-2 unknown' },
    { outcome: 'unknown' },
    { id: 'TC-2', outcome: 'created', links: 'REQ-1 linked, REQ-2 unknown' },
  ])
})

test('an update whose outcome no read tells is the error when nothing else was asked for', async () => {
  await record([{ title: 'works', requirement_ids: [] }])
  const updateTest: Api['updateTest'] = () => Promise.reject(new ServiceError('unavailable', 'the service is gone'))
  await using there = await connect({ ...shop.api, updateTest }, { options: { toolsets: ['all'] } })
  const tests = [{ title: 'works', file: 'test/a.test.ts', requirement_ids: [] }]
  const { text, isError } = await there.call('record_tests', { tests })
  expect(isError).toBe(true)
  expect(text).toContain('the outcome is unknown: the service is gone; check before you repeat it (outcome_unknown')
  expect(text).toMatch(/next: get_test .*TC-1/)
})

test('a test whose links cannot be read keeps its outcome', async () => {
  await record([{ ...mail, requirement_ids: ['REQ-1'] }])
  const listTestLinks: Api['listTestLinks'] = () => Promise.reject(new ServiceError('unavailable', 'gone'))
  await using there = await connect({ ...shop.api, listTestLinks })
  const { data } = await record([{ ...mail, requirement_ids: ['REQ-1', 'REQ-2'] }], {}, there)
  const links = 'REQ-1 failed (upstream_unavailable), REQ-2 failed (upstream_unavailable)'
  expect(data.rows).toMatchObject([{ id: 'TC-1', outcome: 'already', links }])
})

test('when nothing at all could be done that is the error', async () => {
  const createTest: Api['createTest'] = () =>
    Promise.reject(new ServiceError('permission_denied', 'x', { metadata: { scope: 'write' } }))
  await using reader = await connect({ ...shop.api, createTest })
  const { text, isError } = await reader.call('record_tests', { tests: [{ ...mail, requirement_ids: ['REQ-1'] }] })
  expect(isError).toBe(true)
  expect(text).toContain('(permission_denied, not retryable)')
})

test('a preview says what would be, and writes nothing', async () => {
  await record([{ ...mail, requirement_ids: ['REQ-1'] }])
  const { answer, data } = await record(
    [
      { ...mail, requirement_ids: ['REQ-1', 'REQ-2'] },
      { title: 'new', file: 'test/new.test.ts', requirement_ids: ['REQ-2'] },
    ],
    { dry_run: true },
  )
  expect(answer).toBe(
    'Preview, nothing written: 1 test would be created, 1 test known already, 2 links would be made, 1 link there already.',
  )
  expect(data.rows.map(({ id, outcome, links }) => [id, outcome, links])).toEqual([
    ['TC-1', 'already', 'REQ-1 already, REQ-2 would_link'],
    [undefined, 'would_create', 'REQ-2 would_link'],
  ])
  expect(await allTests()).toHaveLength(1)
  expect(await shop.stateOf('REQ-2')).toBe('no_test')
})

test('a preview on a deployment that might write all the same only reads', async () => {
  const writes: string[] = []
  const send: Send = (request) =>
    request.url.endsWith('/v1/auth/me')
      ? Promise.resolve({ status: 200, headers: {}, body: '{"user":{"id":"u"},"server":{"name":"other"}}' })
      : shop.service.direct(request)
  await using there = await connect(watched(writes, send))
  const { answer } = await record([{ ...mail, requirement_ids: ['REQ-1'] }], { dry_run: true }, there)
  expect(answer).toBe('Preview, nothing written: 1 test would be created, 1 link would be made.')
  expect(writes).toEqual([])
})

test('a requirement of another product is none of this one, by id and by key', async () => {
  const { workspaces } = await shop.api.listWorkspaces({})
  const workspace_id = workspaces[0]?.id ?? ''
  const { product } = await shop.api.createProduct({ workspace_id, name: 'Other', key_prefix: 'OTH' })
  const { requirement } = await shop.api.createRequirement({ product_id: product.id, title: 'Theirs' })
  for (const pinned of [undefined, 'My product']) {
    await using there = await connect(shop.api, { options: { product: pinned } })
    const named = pinned === undefined ? { product: 'My product' } : {}
    const { data } = await record([{ ...mail, requirement_ids: [requirement.id] }], named, there)
    expect(data.rows[0]?.links).toBe(`${requirement.id} failed (no such requirement in the product)`)
  }
  const { links } = await shop.api.getRequirement({ id: requirement.id })
  expect(links).toEqual([])
})

test('a quality branch that is not there is refused before anything is written', async () => {
  const writes: string[] = []
  await using there = await connect(watched(writes))
  const { text, isError } = await there.call('record_tests', {
    tests: [{ ...mail, requirement_ids: ['REQ-1'] }],
    branch: 'feature',
  })
  expect(isError).toBe(true)
  expect(text).toContain('error: quality branch not found (not_found)')
  expect(writes).toEqual([])
})

test('a link becomes a proposal where the branch is there', async () => {
  const asked: unknown[] = []
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name: 'pricing' })
  const onMain = <R extends object>(request: R): R => ({ ...request, branch_id: undefined })
  await using there = await connect({
    ...shop.api,
    listTests: (request, options) => shop.api.listTests(onMain(request), options),
    listRequirements: (request, options) => shop.api.listRequirements(onMain(request), options),
    createTest: (request, options) => shop.api.createTest(onMain(request), options),
    linkTest({ branch_id }) {
      asked.push(branch_id)
      return Promise.resolve({ link: undefined, proposal: { id: 'p1' } })
    },
  })
  const { answer } = await record([{ ...mail, requirement_ids: ['REQ-1'] }], { branch: 'pricing' }, there)
  expect(answer).toBe('1 test created, 1 link proposed. On quality branch pricing.')
  expect(asked).toEqual([branch.id])
})

test('names the tools that take back what this call made, and none for what it did not make', async () => {
  await using all = await connect(shop.api, { options: { toolsets: ['all'] } })
  const undo = async (...ids: string[]) => {
    const { data } = await record([{ ...mail, requirement_ids: ids }], {}, all)
    return (data as { undo?: string }).undo
  }
  expect(await undo('REQ-99')).toBe('To take a test away: delete_test.')
  expect(await undo('REQ-1')).toBe('To take a link away: unlink_test.')
  expect(await undo('REQ-1')).toBeUndefined()
  expect(await undo('REQ-99')).toBeUndefined()
})
