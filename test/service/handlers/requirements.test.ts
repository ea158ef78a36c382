import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { reasonOf, type Failure } from '../people.ts'

interface Criterion {
  id: string
  text: string
  kind: string
}
interface Requirement {
  id: string
  key: string
  title: string
  statement: string
  path: string[]
  parent_id: string
  version: number
  etag: string
  priority: string
  tags: string[]
  acceptance_criteria: Criterion[]
  coverage: { state: string; suspect: boolean; linked_test_count: number }
}
interface One {
  requirement: Requirement
  lint: { code: string }[]
  suspect_link_count: number
  children: { key: string }[]
  links: { state: string; requirement_version: number; requirement_current_version: number }[]
}
interface Many {
  requirements: Requirement[]
  next_page_token: string
  pagination: { total_size: number }
}

const path = (app: App) => `/v1/products/${app.productId}/requirements`
const create = async (app: App, title: string, more: object = {}) =>
  (await app.request<One>('POST', path(app), { title, ...more })).body.requirement
const list = async (app: App, query = '') => (await app.request<Many>('GET', `${path(app)}${query}`)).body
const keys = async (app: App, query = '') => (await list(app, query)).requirements.map(({ key }) => key)
const get = async (app: App, { id }: { id: string }) => (await app.request<One>('GET', `/v1/requirements/${id}`)).body
const put = (app: App, { id }: { id: string }, body: object) =>
  app.request<One & Failure>('PUT', `/v1/requirements/${id}`, body)
const remove = (app: App, { id }: { id: string }, query = '') =>
  app.request<Failure>('DELETE', `/v1/requirements/${id}${query}`)

/** A case linked to a requirement, made in the store: what tests and links have is theirs to prove. */
async function linkCase(app: App, requirement: Requirement, version = requirement.version) {
  const product = Number(app.productId)
  await app.db.batch(async (prepare) => {
    const id = crypto.randomUUID()
    await prepare(
      `INSERT INTO test (id, product_id, number, kind, title, level, status, automation, created_by, created_at, updated_at)
       VALUES (?, ?, ?, 'TEST_KIND_CASE', 'a case', 'TEST_LEVEL_UNIT', 'TEST_STATUS_ACTIVE', 'AUTOMATION_STATUS_AUTOMATED', '{}', 0, 0)`,
    ).run(id, product, Math.floor(Math.random() * 1e9))
    await prepare(
      `INSERT INTO test_link (test_id, requirement_id, product_id, role, state, requirement_version, origin, created_by, created_at)
       VALUES (?, ?, ?, 'LINK_ROLE_VERIFIES', 'LINK_STATE_ACTIVE', ?, 'LINK_ORIGIN_MANUAL',
         '{"type":"ACTOR_TYPE_USER","id":"","display_name":"","user_id":""}', 0)`,
    ).run(id, requirement.id, product, version)
  })
}

test('a new requirement has the next key, its defaults and no test', async () => {
  await using app = await startApp()
  const first = await create(app, 'The cart shows the total')
  expect(first).toMatchObject({
    key: 'REQ-1',
    kind: 'REQUIREMENT_KIND_FUNCTIONAL',
    status: 'REQUIREMENT_STATUS_DRAFT',
    priority: 'PRIORITY_MEDIUM',
    normative: true,
    version: 1,
    path: [],
    coverage: { state: 'no_test', linked_test_count: 0 },
    created_by: { type: 'ACTOR_TYPE_API_TOKEN' },
  })
  await remove(app, first)
  expect((await create(app, 'Another')).key).toBe('REQ-2')
})

test('requirements are listed depth first, whatever the order they were made in, and after a move', async () => {
  await using app = await startApp()
  const cart = await create(app, 'Cart')
  const payment = await create(app, 'Payment')
  const total = await create(app, 'Total', { parent_id: cart.id })
  const rounding = await create(app, 'Rounding', { parent_id: total.id })
  await create(app, 'First of the cart', { parent_id: cart.id, position: 0 })
  expect(await keys(app)).toEqual(['REQ-1', 'REQ-3', 'REQ-4', 'REQ-5', 'REQ-2'])
  expect(rounding.path).toEqual(['REQ-1', 'REQ-3'])

  const moved = await put(app, total, { parent_id: payment.id })
  expect(moved.body.requirement.path).toEqual(['REQ-2'])
  expect(await keys(app)).toEqual(['REQ-1', 'REQ-5', 'REQ-2', 'REQ-3', 'REQ-4'])
  expect((await get(app, rounding)).requirement.path).toEqual(['REQ-2', 'REQ-3'])
  expect((await get(app, payment)).children).toMatchObject([{ key: 'REQ-3' }])
  const top = await put(app, total, { parent_id: null })
  expect(top.body.requirement).toMatchObject({ parent_id: '', path: [] })
  expect(await keys(app, '?parent_id=root')).toEqual(['REQ-1', 'REQ-2', 'REQ-3'])
})

test('a position has a limit, after which there is room for those that follow', async () => {
  await using app = await startApp()
  const position = 1_000_000_000
  const last = await create(app, 'Last', { position })
  expect((await app.request('POST', path(app), { title: 'Beyond', position: position + 1 })).status).toBe(400)
  expect((await put(app, last, { position: position + 1 })).status).toBe(400)
  await create(app, 'After it')
  await create(app, 'First', { position: 0 })
  await put(app, await create(app, 'Moved', { position: 1 }), { position: null })
  expect((await list(app)).requirements.map(({ title }) => title)).toEqual(['First', 'Last', 'After it', 'Moved'])
})

test('a stored position beyond the limit leaves its level in order and open to others', async () => {
  await using app = await startApp()
  const group = await create(app, 'Group', { kind: 'group' })
  const [early, late] = [
    await create(app, 'Early', { parent_id: group.id, position: 1e9 }),
    await create(app, 'Late', { parent_id: group.id }),
  ]
  await app.db.write(async (rows) => {
    const place = { position: Number.MAX_SAFE_INTEGER, tree_path: '00000000:00000001/1fffffffffffff:00000003' }
    await rows.updateTable('requirement').set(place).where('id', '=', late.id).execute()
  })
  const next = await create(app, 'Next', { parent_id: group.id })
  expect((await put(app, late, { tags: ['late'] })).status).toBe(200)
  const distilled = await app.request<{ distillation: { branch: { id: string } } }>(
    'POST',
    `/v1/products/${app.productId}/intent:distill`,
    { items: [{ title: 'Drafted', statement: 'The cart shall show the total.' }], parent_id: group.id },
  )
  const onBranch = `?parent_id=${group.id}&branch_id=${distilled.body.distillation.branch.id}`
  expect(await keys(app, onBranch)).toEqual([early.key, late.key, next.key, 'REQ-?1'])
  expect((await put(app, late, { position: null })).status).toBe(200)
  expect(await keys(app)).toEqual([group.key, early.key, late.key, next.key])
})

test('a requirement cannot lie below itself nor deeper than twelve levels', async () => {
  await using app = await startApp()
  const chain = [await create(app, 'Level 1')]
  for (let level = 2; level <= 12; level += 1) {
    chain.push(await create(app, `Level ${String(level)}`, { parent_id: chain.at(-1)!.id }))
  }
  const deeper = await app.request<Failure>('POST', path(app), { title: 'Level 13', parent_id: chain.at(-1)!.id })
  expect(reasonOf(deeper)).toBe('DEPTH_EXCEEDED')
  const cycle = await put(app, chain[0]!, { parent_id: chain[5]!.id })
  expect(reasonOf(cycle)).toBe('PARENT_CYCLE')
  const other = await create(app, 'Other')
  const tooDeep = await put(app, chain[0]!, { parent_id: other.id })
  expect(reasonOf(tooDeep)).toBe('DEPTH_EXCEEDED')
  expect((await get(app, chain[11]!)).requirement.path).toHaveLength(11)
})

test('absent members stay, null clears, and a mask lets only its members through', async () => {
  await using app = await startApp()
  const made = await create(app, 'Cart', {
    statement: 'The cart shall show the total.',
    priority: 'high',
    tags: ['a', 'b'],
  })
  expect(made.priority).toBe('PRIORITY_HIGH')
  const same = await put(app, made, { title: 'Basket' })
  expect(same.body.requirement).toMatchObject({ title: 'Basket', tags: ['a', 'b'], priority: 'PRIORITY_HIGH' })
  const cleared = await put(app, made, { tags: null, priority: null, statement: null })
  expect(cleared.body.requirement).toMatchObject({ tags: [], priority: 'PRIORITY_MEDIUM', statement: '' })
  const masked = await put(app, made, { title: 'Trolley', tags: ['c'], update_mask: 'tags' })
  expect(masked.body.requirement).toMatchObject({ title: 'Basket', tags: ['c'] })
  for (const update_mask of ['', 'titel', 'title,', 'etag']) {
    const refused = await put(app, made, { title: 'Trolley', update_mask })
    expect([refused.status, JSON.stringify(refused.body).includes('update_mask')]).toEqual([400, true])
  }
})

test('an edit of the meaning makes a new version and its links suspect; spacing and minor changes do not', async () => {
  await using app = await startApp()
  const made = await create(app, 'Cart', { statement: 'The cart shall show the total.' })
  await linkCase(app, made)

  const spaced = await put(app, made, { statement: '  The cart shall   show the total. ' })
  expect(spaced.body).toMatchObject({ requirement: { version: 1 }, suspect_link_count: 0 })
  const minor = await put(app, made, { statement: 'The cart shall show the totals.', minor_change: true })
  expect(minor.body).toMatchObject({ requirement: { version: 1 }, suspect_link_count: 0 })
  const semantic = await put(app, made, { statement: 'The cart shall show the total and the tax.' })
  expect(semantic.body).toMatchObject({
    requirement: { version: 2, coverage: { state: 'not_run', suspect: true } },
    suspect_link_count: 1,
  })
  const { links } = await get(app, made)
  expect(links).toMatchObject([{ state: 'LINK_STATE_SUSPECT', requirement_version: 1, requirement_current_version: 2 }])
  expect(await keys(app, '?suspect=true')).toEqual(['REQ-1'])
})

test('criteria keep their ids through an edit, and an unknown id is refused', async () => {
  await using app = await startApp()
  const made = await create(app, 'Cart', {
    // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
    acceptance_criteria: [{ text: 'shows the total' }, { given: 'a cart', when: 'it is empty', then: 'it says so' }],
  })
  const [first, second] = made.acceptance_criteria
  expect(second).toMatchObject({ kind: 'CRITERION_KIND_GIVEN_WHEN_THEN' })
  const edited = await put(app, made, {
    acceptance_criteria: [{ text: 'new' }, { id: first!.id, text: 'shows the sum' }],
  })
  expect(edited.body.requirement.acceptance_criteria).toMatchObject([
    { text: 'new', position: 0 },
    { id: first!.id, text: 'shows the sum', position: 1 },
  ])
  const unknown = await put(app, made, { acceptance_criteria: [{ id: second!.id, text: 'gone' }] })
  expect(unknown.status).toBe(400)
  expect(unknown.body.message).toContain('acceptance_criteria.0.id')
})

test('a stale etag changes nothing', async () => {
  await using app = await startApp()
  const made = await create(app, 'Cart')
  await put(app, made, { title: 'Basket', etag: made.etag })
  const late = await put(app, made, { title: 'Trolley', etag: made.etag })
  expect([late.status, reasonOf(late)]).toEqual([409, 'ETAG_MISMATCH'])
  expect((await get(app, made)).requirement.title).toBe('Basket')
})

test('deleting archives links, keeps the key taken and asks before it takes what lies below', async () => {
  await using app = await startApp()
  const parent = await create(app, 'Cart')
  const child = await create(app, 'Total', { parent_id: parent.id })
  await linkCase(app, child)
  expect(reasonOf(await remove(app, parent))).toBe('HAS_CHILDREN')
  expect((await remove(app, parent, '?recursive=true')).body).toEqual({})
  expect(await keys(app)).toEqual([])
  const gone = await app.request<Failure>('GET', `/v1/requirements/${child.id}`)
  expect(gone.status).toBe(404)
  const left = await app.db.read.selectFrom('test_link').selectAll().where('archived_at', 'is', null).execute()
  expect(left).toEqual([])
})

test('filters narrow the list together', async () => {
  await using app = await startApp()
  const component = await app.request<{ component: { id: string } }>(
    'POST',
    `/v1/products/${app.productId}/components`,
    {
      name: 'Cart',
      path_globs: ['src/cart/**'],
    },
  )
  const component_ids = [component.body.component.id]
  await create(app, 'The cart adds prices', {
    priority: 'critical',
    tags: ['money'],
    component_ids,
    code_refs: [{ path: 'src/cart/**/*.ts' }],
  })
  await create(app, 'Payments are refunded', { status: 'approved', code_refs: [{ path: './src/payment/refund.ts' }] })
  await create(app, 'Refunds reach the cart', { tags: ['money', 'late'], code_refs: [{ path: 'src/**' }] })

  expect(await keys(app, '?tag=money')).toEqual(['REQ-1', 'REQ-3'])
  expect(await keys(app, '?tag=money&tag=late')).toEqual(['REQ-3'])
  expect(await keys(app, `?component_id=${component_ids[0]}`)).toEqual(['REQ-1'])
  expect(await keys(app, '?path=src/cart/lines/total.ts')).toEqual(['REQ-1', 'REQ-3'])
  expect(await keys(app, '?path=src/payment/refund.ts&status=approved')).toEqual(['REQ-2'])
  expect(await keys(app, '?path=docs/readme.md')).toEqual([])
  expect(await keys(app, '?key=REQ-2&key=req-3')).toEqual(['REQ-2', 'REQ-3'])
  expect(await keys(app, '?coverage_state=verified')).toEqual([])
  expect(await keys(app, '?sort=priority')).toEqual(['REQ-1', 'REQ-2', 'REQ-3'])
  expect(await keys(app, '?q=refund')).toEqual(['REQ-3', 'REQ-2'].toSorted())
  expect(await keys(app, '?q=cart%20price')).toEqual(['REQ-1'])
  expect(await keys(app, `?q=${encodeURIComponent('" OR key:* NEAR(')}`)).toEqual([])
  const basic = await list(app, '?view=basic&key=REQ-1')
  expect(basic.requirements[0]).toMatchObject({ code_refs: [], statement: '' })
})

test('a walk over pages gives every requirement once, in every order', async () => {
  await using app = await startApp()
  const made = fc.sample(
    fc.array(fc.record({ above: fc.nat({ max: 4 }), priority: fc.constantFrom('low', 'high') }), {
      minLength: 17,
      maxLength: 17,
    }),
    { numRuns: 1, seed: 7 },
  )[0]!
  const ids: Requirement[] = []
  for (const [index, { above, priority }] of made.entries()) {
    const parent = ids[above]
    ids.push(await create(app, `rule ${String(index)}`, { priority, ...(parent && { parent_id: parent.id }) }))
  }
  for (const sort of ['', '&sort=key', '&sort=updated_at', '&sort=priority', '&q=rule']) {
    const whole = await keys(app, `?page_size=50${sort}`)
    expect(whole).toHaveLength(17)
    const walked: string[] = []
    let token = ''
    do {
      const page = await list(app, `?page_size=3${sort}&page_token=${token}`)
      walked.push(...page.requirements.map(({ key }) => key))
      token = page.next_page_token
    } while (token !== '' && walked.length < 40)
    expect(walked).toEqual(whole)
  }
})

test('a request that names what is not there is refused by its member', async () => {
  await using app = await startApp()
  const bad = async (body: object) => app.request<Failure>('POST', path(app), { title: 'Cart', ...body })
  expect((await bad({ component_ids: ['nope'] })).status).toBe(404)
  expect((await bad({ depends_on_ids: ['nope'] })).status).toBe(404)
  expect((await bad({ parent_id: 'nope' })).status).toBe(404)
  expect((await bad({ branch_id: 'nope' })).status).toBe(404)
  expect(reasonOf(await bad({ code_refs: [{ path: '../secret' }] }))).toBe('GLOB_INVALID')
  expect((await bad({ acceptance_criteria: [{ text: ' ' }] })).status).toBe(400)
  expect(await keys(app)).toEqual([])
})

test('a dry run answers like the real call and writes nothing', async () => {
  await using app = await startApp()
  const dry = await app.request<One>('POST', path(app), { title: 'It shall be fast and etc.', validate_only: true })
  expect(dry.body.requirement.key).toBe('REQ-1')
  expect(dry.body.lint.map(({ code }) => code)).toEqual(['PRONOUN_SUBJECT', 'NO_MEASURE', 'AMBIGUOUS_TERM'])
  expect(await keys(app)).toEqual([])
  expect((await create(app, 'Real')).key).toBe('REQ-1')
})
