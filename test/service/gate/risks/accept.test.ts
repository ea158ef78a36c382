import { expect, test } from 'vitest'
import { dayMs } from '../../../../src/service/shared/times.ts'
import { coveredItems } from '../../../../src/service/gate/risks/stored.ts'
import { startRisks, verdict } from './rig.ts'

const covered = (risk: { covered_evidence: string }) => coveredItems(risk).map(({ type, id }) => `${type}:${id}`)

test('a condition is accepted with everything that fails in it, an item only where it fails', async () => {
  await using risks = await startRisks()
  const { ada, accept } = risks
  const whole = await accept(ada, { condition_ids: ['critical_coverage'] })
  expect(covered(whole)).toEqual(['requirement:REQ-A', 'requirement:REQ-B'])
  expect(whole).toMatchObject({ state: 'RISK_STATE_PENDING_APPROVAL', verdict_id: 'verdict-1', requirement_ids: '[]' })
  const one = await accept(ada, { requirement_ids: ['REQ-B'] })
  expect(covered(one)).toEqual(['requirement:REQ-B'])
  expect(one).toMatchObject({ condition_ids: '["critical_coverage"]', requirement_ids: '["REQ-B"]' })
  await expect(accept(ada, { condition_ids: ['failing_tests'], requirement_ids: ['REQ-B'] })).rejects.toMatchObject({
    reason: 'NOTHING_TO_ACCEPT',
  })
  for (const nothing of [{ condition_ids: ['new_issues'] }, { test_ids: ['TC-Z'] }]) {
    await expect(accept(ada, nothing)).rejects.toMatchObject({ reason: 'NOTHING_TO_ACCEPT' })
  }
  await expect(accept(ada, { condition_ids: ['no_such'] })).rejects.toMatchObject({ reason: 'CONDITION_NOT_FOUND' })
  await expect(accept(ada)).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
})

test('the same risk is not proposed twice while it waits; after a rejection it can be', async () => {
  await using risks = await startRisks()
  const { ada, bob, accept, decide } = risks
  const first = await accept(ada, { condition_ids: ['critical_coverage'] })
  await expect(accept(bob, { condition_ids: ['critical_coverage'] })).rejects.toMatchObject({
    code: 'already_exists',
    metadata: { existing_id: first.id },
  })
  await decide(bob, first.id, { decision: 'RISK_DECISION_REJECT' })
  await expect(accept(bob, { condition_ids: ['critical_coverage'] })).resolves.toMatchObject({ version: 1 })
})

test('a risk ends after 30 days unless it says otherwise, and 90 days ahead at most', async () => {
  await using risks = await startRisks()
  const { ada, accept, clock } = risks
  const ends = async (facts: object) => (await accept(ada, { test_ids: ['TC-A'], ...facts })).expires_at
  const after = (days: number) => clock.now + days * dayMs
  const day = (days: number) => new Date(after(days)).toISOString()
  expect(await ends({})).toBe(after(30))
  clock.now += 31 * dayMs
  expect(await ends({ expires_at: day(90) })).toBe(after(90))
  await expect(ends({ expires_at: day(91) })).rejects.toMatchObject({ reason: 'EXPIRY_TOO_FAR' })
  await expect(ends({ expires_at: day(-1) })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
  await expect(ends({ expires_at: day(1), ttl_days: 1 })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
})

test('a renewed risk covers only what still fails, and only an ended one or one of another release is renewed', async () => {
  await using risks = await startRisks()
  const { ada, bob, accept, decide, clock } = risks
  const old = await accept(ada, { condition_ids: ['critical_coverage'], ttl_days: 1 })
  await decide(bob, old.id)
  await expect(accept(ada, { renew_risk_id: old.id })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
  clock.now += dayMs
  const [coverage, ...others] = verdict.conditions
  const later = {
    id: 'verdict-2',
    conditions: [
      {
        ...coverage!,
        items: [
          { type: 'requirement' as const, id: 'REQ-B' },
          { type: 'requirement' as const, id: 'REQ-C' },
        ],
      },
      ...others,
    ],
  }
  const renewed = await accept(ada, { renew_risk_id: old.id }, later)
  expect(covered(renewed)).toEqual(['requirement:REQ-B'])
  expect(renewed).toMatchObject({ condition_ids: '["critical_coverage"]', renews_risk_id: old.id })
  const bound = await accept(ada, { test_ids: ['TC-A'], scope: { release_id: 'release-1' } })
  await decide(bob, bound.id)
  const moved = await accept(ada, { renew_risk_id: bound.id, scope: { release_id: 'release-2' } })
  expect(moved).toMatchObject({
    release_id: 'release-2',
    test_ids: '["TC-A"]',
    condition_ids: '["failing_tests"]',
  })
})

test('by_cause also takes the tests of the same issue and what fails in the same component', async () => {
  await using risks = await startRisks()
  const { ada, accept, app, product } = risks
  const product_id = app.productId
  const made = async (title: string, inside: object = {}) =>
    (await app.api.createTest({ product_id, kind: 'TEST_KIND_CASE', title, ...inside })).test.id
  const { component } = await app.api.createComponent({ product_id, name: 'Cart', path_globs: ['src/cart/**'] })
  const inCart = { component_ids: [component.id] }
  const [one, other, alone] = [await made('one', inCart), await made('other', inCart), await made('alone')]
  const { requirement } = await app.api.createRequirement({ product_id, title: 'Adds up', ...inCart })
  const failing = [one, other, alone].map((id) => ({ type: 'test' as const, id }))
  const requirements = [{ type: 'requirement' as const, id: requirement.id }]
  const against = {
    id: 'verdict-1',
    conditions: [
      { id: 'failing_tests', status: 'CONDITION_STATUS_FAIL' as const, items: failing },
      { id: 'critical_coverage', status: 'CONDITION_STATUS_FAIL' as const, items: requirements },
    ],
  }
  const alike = await accept(ada, { test_ids: [one], by_cause: true }, against)
  expect(covered(alike).toSorted()).toEqual(
    [`requirement:${requirement.id}`, `test:${one}`, `test:${other}`].toSorted(),
  )
  expect(alike.test_ids).toBe(JSON.stringify([one]))
  expect(alike.condition_ids).toBe('["critical_coverage","failing_tests"]')
  await app.db.write((rows) =>
    rows.updateTable('test').set({ issue_id: 'issue-1' }).where('product_id', '=', product.id).execute(),
  )
  expect(covered(await accept(ada, { test_ids: [alone], by_cause: true }, against))).toHaveLength(3)
})

test('a line of releases has the package of its release, and must be the line of that release', async () => {
  await using risks = await startRisks()
  const { ada, accept } = risks
  const lined = (release_line: string, version: string, release_id: string | undefined = 'release-1') =>
    accept(ada, { test_ids: ['TC-A'], scope: { release_id, release_line } }, verdict, version)
  expect(await lined('1.4.*', 'shop@1.4.2')).toMatchObject({ release_line: 'shop@1.4.*', release_id: '' })
  expect(await lined('1.4.*', 'v1.4.2')).toMatchObject({ release_line: 'v1.4.*' })
  await expect(lined('1.5.*', 'shop@1.4.2')).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
  await expect(accept(ada, { test_ids: ['TC-A'], scope: { release_line: '1.4.*' } })).rejects.toMatchObject({
    reason: 'FIELD_INVALID',
  })
})

test('an agent may accept, but not say that a person did it on the page or in a terminal', async () => {
  await using risks = await startRisks()
  const { person, accept } = risks
  const agent = person('ada', { via: 'mcp', byAgent: true })
  await expect(accept(agent, { test_ids: ['TC-A'], way: 'DECISION_WAY_PAGE' })).rejects.toMatchObject({
    reason: 'FIELD_INVALID',
  })
  const risk = await accept(agent, { test_ids: ['TC-A'], way: 'DECISION_WAY_FORM' })
  expect(risk.accepted_way).toBe('DECISION_WAY_FORM')
})
