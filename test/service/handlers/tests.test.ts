import { expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { addPrincipal } from '../../mcp/http/principals.ts'
import { quarantine } from '../quarantine.ts'
import { existingIdOf, reasonOf, type Failure } from '../people.ts'

interface Test {
  id: string
  key: string
  title: string
  etag: string
  requirement_keys: string[]
  link_count: number
  automation_ref: { identity: string; file_path: string }
}
interface Link {
  requirement_id: string
  requirement_key: string
  state: string
  role: string
  requirement_version: number
  confirmed_at: string | null
}
interface One {
  test: Test
  links: Link[]
  link: Link
  recent_results: unknown[]
}
interface Requirement {
  id: string
  key: string
  acceptance_criteria: { id: string }[]
  coverage: { state: string; linked_test_count: number; uncovered_criterion_ids: string[] }
}

const path = (app: App) => `/v1/products/${app.productId}/tests`
const create = async (app: App, title: string, more: object = {}) =>
  (await app.request<One>('POST', path(app), { kind: 'case', title, ...more })).body.test
const get = async (app: App, { id }: { id: string }) => (await app.request<One>('GET', `/v1/tests/${id}`)).body
const put = (app: App, { id }: { id: string }, body: object) =>
  app.request<One & Failure>('PUT', `/v1/tests/${id}`, body)
const keys = async (app: App, query = '') =>
  (await app.request<{ tests: Test[] }>('GET', `${path(app)}${query}`)).body.tests.map(({ key }) => key)
const link = (app: App, { id }: { id: string }, body: object) =>
  app.request<One & Failure>('POST', `/v1/tests/${id}/links`, body)

async function require(app: App, more: object = {}) {
  const made = await app.request<{ requirement: Requirement }>('POST', `/v1/products/${app.productId}/requirements`, {
    title: 'The cart shows the total',
    ...more,
  })
  return made.body.requirement
}
const coverage = async (app: App, { id }: { id: string }) =>
  (await app.request<{ requirement: Requirement }>('GET', `/v1/requirements/${id}`)).body.requirement.coverage

test('a case is known by its place in the code, however its path is written', async () => {
  await using app = await startApp()
  const place = { file_path: 'test/cart.test.ts', suite_path: ['cart'], name: 'adds up' }
  const made = await create(app, 'adds up', { automation_ref: place })
  expect(made).toMatchObject({ key: 'TC-1', automation: 'AUTOMATION_STATUS_AUTOMATED', status: 'TEST_STATUS_ACTIVE' })
  const again = await app.request<Failure>('POST', path(app), {
    kind: 'case',
    title: 'other title',
    automation_ref: { ...place, file_path: String.raw`.\test\cart.test.ts` },
  })
  expect([again.status, existingIdOf(again)]).toEqual([409, made.id])
  const other = await create(app, 'adds up', { automation_ref: { ...place, project: 'firefox' } })
  expect(other.automation_ref.identity).not.toBe(made.automation_ref.identity)
  const same = await put(app, other, { automation_ref: place })
  expect(same.body).toMatchObject({ test: { automation_ref: { project: 'firefox' } } })
  const moved = await put(app, other, { automation_ref: { ...place, project: '' } })
  expect(moved.status).toBe(409)
})

test('a test made with requirements is linked to them at once', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  const made = await app.request<One>('POST', path(app), {
    kind: 'case',
    title: 'adds up',
    requirement_ids: [requirement.id],
  })
  expect(made.body).toMatchObject({
    test: { requirement_keys: ['REQ-1'], link_count: 1 },
    links: [{ requirement_key: 'REQ-1', role: 'LINK_ROLE_VERIFIES', state: 'LINK_STATE_ACTIVE', confirmed_at: null }],
  })
  expect(await coverage(app, requirement)).toMatchObject({ state: 'not_run', linked_test_count: 1 })
})

test('a suspect link stays suspect when it is posted, removed or reported again, until it is confirmed with a reason', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  const made = await create(app, 'adds up')
  await link(app, made, { requirement_key: 'REQ-1' })
  const again = { requirement_id: requirement.id }
  const revise = (title: string) => app.request('PUT', `/v1/requirements/${requirement.id}`, { title })
  const suspect = {
    state: 'LINK_STATE_SUSPECT',
    requirement_version: 1,
    confirmed_at: null,
    requirement_changes: 'The cart shows the total{+ and the tax+}',
  }
  await revise('The cart shows the total and the tax')
  expect((await link(app, made, again)).body.link).toMatchObject(suspect)
  await app.request('DELETE', `/v1/tests/${made.id}/links/${requirement.id}`)
  expect((await link(app, made, again)).body.link).toMatchObject(suspect)
  await app.request('DELETE', `/v1/tests/${made.id}/links/${requirement.id}`)
  const report = '<testsuites><testsuite name="cart"><testcase name="[TC-1] adds up [REQ-1]"/></testsuite></testsuites>'
  await app.request('POST', `${path(app)}:ingest`, { draft: { content: report } })
  expect((await get(app, made)).links).toMatchObject([suspect])

  const silent = await link(app, made, { ...again, confirm: true })
  expect(silent.body.message).toMatch(/^reason is required with confirm/)
  const confirmed = await link(app, made, { ...again, confirm: true, reason: 'it checks the tax too' })
  expect(confirmed.body.link).toMatchObject({
    state: 'LINK_STATE_ACTIVE',
    requirement_version: 2,
    requirement_changes: '',
    confirmed_at: expect.any(String) as string,
  })
  expect((await get(app, made)).links).toHaveLength(1)
  await app.request('DELETE', `/v1/tests/${made.id}/links/${requirement.id}`)
  await revise('The cart shows the total, the tax and the discount')
  expect((await link(app, made, again)).body.link).toMatchObject({
    ...suspect,
    requirement_version: 2,
    requirement_changes: expect.stringContaining('discount') as string,
  })
})

test('a link that names criteria leaves the others uncovered', async () => {
  await using app = await startApp()
  const requirement = await require(app, { acceptance_criteria: [{ text: 'one' }, { text: 'two' }] })
  const [first, second] = requirement.acceptance_criteria
  const made = await create(app, 'adds up')
  await link(app, made, { requirement_key: 'REQ-1', role: 'partially_verifies', criterion_ids: [first!.id] })
  expect(await coverage(app, requirement)).toMatchObject({ uncovered_criterion_ids: [second!.id] })
  const unknown = await link(app, made, { requirement_key: 'REQ-1', criterion_ids: ['nope'] })
  expect(unknown.status).toBe(400)
})

test('what cannot be linked is refused with its reason', async () => {
  await using app = await startApp()
  const made = await create(app, 'adds up')
  await require(app, { kind: 'group' })
  expect(reasonOf(await link(app, made, { requirement_key: 'REQ-1' }))).toBe('GROUP_NOT_LINKABLE')
  expect((await link(app, made, { requirement_key: 'REQ-99' })).status).toBe(404)
  expect((await link(app, made, {})).status).toBe(400)
  expect((await link(app, made, { requirement_key: 'REQ-1', branch_id: 'b' })).status).toBe(404)
})

test('a link to a suite counts as links to its cases; a quarantined or deprecated case counts no more', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  const suite = await create(app, 'cart', { kind: 'suite' })
  const inner = await create(app, 'totals', { kind: 'suite', parent_id: suite.id })
  const one = await create(app, 'adds up', { parent_id: inner.id })
  const two = await create(app, 'rounds', { parent_id: suite.id })
  await link(app, suite, { requirement_id: requirement.id })
  expect(await coverage(app, requirement)).toMatchObject({ linked_test_count: 2 })
  await put(app, one, quarantine('fails at night'))
  expect(await coverage(app, requirement)).toMatchObject({ linked_test_count: 1 })
  await put(app, two, { status: 'deprecated' })
  expect(await coverage(app, requirement)).toMatchObject({ linked_test_count: 0, state: 'no_test' })
  await put(app, one, { quarantined: null, parent_id: null })
  expect(await coverage(app, requirement)).toMatchObject({ linked_test_count: 0 })
  const cycle = await put(app, suite, { parent_id: inner.id })
  expect(cycle.status).toBe(400)
})

test('a quarantine has a reason, an owner and an end, and ends by itself', async () => {
  const clock = { now: Date.parse('2026-03-01T00:00:00Z') }
  const day = 24 * 60 * 60 * 1000
  await using app = await startApp({ platform: { now: () => clock.now } })
  const requirement = await require(app)
  const made = await create(app, 'adds up', { requirement_ids: [requirement.id] })
  const refused = await put(app, made, { quarantined: true })
  expect(refused.body.details[1]?.field_violations?.map(({ field }) => field)).toEqual([
    'quarantine_reason',
    'quarantine_owner',
    'quarantined_until',
  ])
  const long = await put(app, made, quarantine('slow', { now: clock.now, days: 31 }))
  expect(long.body.message).toContain('by 2026-03-31T00:00:00.000Z, 30 days ahead')
  expect((await put(app, made, { quarantine_reason: 'slow' })).body.message).toMatch(/^quarantined must be true/)

  await put(app, made, quarantine('slow', { now: clock.now, days: 30 }))
  expect(await coverage(app, requirement)).toMatchObject({ state: 'no_test' })
  expect(await keys(app, '?quarantined=true')).toEqual(['TC-1'])
  const shorter = await put(app, made, { quarantine_owner: 'Ada', quarantined_until: '2026-03-08T00:00:00Z' })
  expect(shorter.body.test).toMatchObject({ quarantined: true, quarantine_reason: 'slow', quarantine_owner: 'Ada' })
  const report = '<testsuites><testsuite name="cart"><testcase name="[TC-1] adds up"/></testsuite></testsuites>'
  await app.request('POST', `${path(app)}:ingest`, { draft: { content: report } })
  expect((await get(app, made)).recent_results).toHaveLength(1)
  expect(await coverage(app, requirement)).toMatchObject({ state: 'no_test' })

  clock.now += 7 * day
  expect(await coverage(app, requirement)).toMatchObject({ state: 'verified' })
  expect((await get(app, made)).test).toMatchObject({
    quarantined: false,
    quarantined_until: '2026-03-08T00:00:00.000Z',
  })
  expect(await keys(app, '?quarantined=true')).toEqual([])
})

test('unlinking and deleting give the requirement back as a gap', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  const made = await create(app, 'adds up', { requirement_ids: [requirement.id] })
  expect((await app.request('DELETE', `/v1/tests/${made.id}/links/${requirement.id}`)).body).toEqual({})
  expect(await coverage(app, requirement)).toMatchObject({ state: 'no_test' })
  expect((await app.request('DELETE', `/v1/tests/${made.id}/links/${requirement.id}`)).status).toBe(404)

  const suite = await create(app, 'cart', { kind: 'suite' })
  await create(app, 'in it', { parent_id: suite.id, requirement_ids: [requirement.id] })
  const refused = await app.request<Failure>('DELETE', `/v1/tests/${suite.id}`)
  expect(reasonOf(refused)).toBe('HAS_CHILDREN')
  await app.request('DELETE', `/v1/tests/${suite.id}?recursive=true`)
  expect(await coverage(app, requirement)).toMatchObject({ state: 'no_test' })
  expect(await keys(app)).toEqual(['TC-1'])
})

test('filters narrow the list together', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  const at = (file_path: string, name: string) => ({ automation_ref: { file_path, name } })
  await create(app, 'cart adds up', {
    ...at('test/cart/total.test.ts', 'adds up'),
    framework: 'vitest',
    tags: ['money'],
  })
  await create(app, 'cart rounds', { ...at('test/cart/round.test.ts', 'rounds'), requirement_ids: [requirement.id] })
  await create(app, 'refund arrives', { ...at('e2e/refund.spec.ts', 'arrives'), level: 'e2e', ...quarantine('slow') })
  expect(await keys(app, '?file_path=test/cart/total.test.ts')).toEqual(['TC-1'])
  expect(await keys(app, '?file_path=test/**')).toEqual(['TC-1', 'TC-2'])
  expect(await keys(app, '?linked=true')).toEqual(['TC-2'])
  expect(await keys(app, '?linked=false&level=e2e')).toEqual(['TC-3'])
  expect(await keys(app, `?requirement_id=${requirement.id}`)).toEqual(['TC-2'])
  expect(await keys(app, '?quarantined=true')).toEqual(['TC-3'])
  expect(await keys(app, '?tag=money&framework=vitest')).toEqual(['TC-1'])
  expect(await keys(app, '?key=TC-3&key=tc-1')).toEqual(['TC-1', 'TC-3'])
  expect(await keys(app, '?q=cart%20round')).toEqual(['TC-2'])
  expect(await keys(app, '?q=refund')).toEqual(['TC-3'])
  expect(await keys(app, '?page_size=2')).toEqual(['TC-1', 'TC-2'])
})

test('a stale etag changes nothing, and a mask lets only its members through', async () => {
  await using app = await startApp()
  const made = await create(app, 'adds up', { tags: ['a'] })
  await put(app, made, { title: 'sums', tags: ['b'], update_mask: 'title' })
  expect((await get(app, made)).test).toMatchObject({ title: 'sums', tags: ['a'] })
  const late = await put(app, made, { title: 'late', etag: made.etag })
  expect(reasonOf(late)).toBe('ETAG_MISMATCH')
})

test('a position has a limit', async () => {
  await using app = await startApp()
  const made = await create(app, 'adds up', { position: 1_000_000_000 })
  const more = { kind: 'case', title: 'rounds', position: 1_000_000_001 }
  expect((await app.request('POST', path(app), more)).status).toBe(400)
  expect((await put(app, made, { position: 1_000_000_001 })).status).toBe(400)
})

test('an issue that the mask leaves out is not vouched for, whatever it is and also on a branch', async () => {
  await using app = await startApp()
  await addPrincipal(app, 'other', 'OTHER')
  await app.ingest({})
  const made = await create(app, 'adds up')
  const branch = await app.request<{ branch: { id: string } }>('POST', `/v1/products/${app.productId}/branches`, {
    name: 'sums',
  })
  const issues = () => app.db.read.selectFrom('issue').select(['id', 'product_id']).orderBy('id').execute()
  const vouched = () => app.db.read.selectFrom('vouched_issue').select(['issue_id', 'vouched_by']).execute()
  const before = await vouched()
  for (const issue_id of [...(await issues()).map(({ id }) => id), 'nope']) {
    for (const branch_id of [undefined, branch.body.branch.id]) {
      const renamed = await put(app, made, { title: 'sums', update_mask: 'title', issue_id, branch_id })
      expect(renamed).toMatchObject({ status: 200, body: { test: { title: 'sums', issue: null } } })
    }
  }
  expect(await vouched()).toEqual(before)
})
