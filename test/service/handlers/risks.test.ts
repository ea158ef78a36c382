import { expect, test } from 'vitest'
import { dayMs } from '../../../src/service/shared/times.ts'
import { blocking, reason, report, startFailing } from '../gate/risks/failing-product.ts'
import { everything, reasonOf, tokenHeaders } from '../people.ts'

test('an accepted risk changes nothing until a second person approves it, and a later failure is not covered', async () => {
  await using gate = await startFailing()
  const { app, post, bob } = gate
  const { body: accepted } = await post('accept-risk', { condition_ids: blocking, reason })
  expect(accepted.risk).toMatchObject({ state: 'RISK_STATE_PENDING_APPROVAL', accepted_by: { display_name: 'Owner' } })
  expect(accepted.risk.covered_evidence.map(({ type }) => type)).toEqual(['requirement', 'test'])
  expect(accepted.verdict).toMatchObject({
    status: 'VERDICT_STATUS_FAIL',
    pending_risk_ids: [accepted.risk.id],
    active_risk_ids: [],
  })
  const decision = { risk_id: accepted.risk.id, etag: accepted.risk.etag }
  expect(reasonOf(await post('approve-risk', decision))).toBe('FOUR_EYES_REQUIRED')
  expect(reasonOf(await post('approve-risk', decision, { ...bob, 'x-svc-via': 'mcp' }))).toBe('PERSON_REQUIRED')
  const { body: approved } = await post('approve-risk', decision, bob)
  expect(approved.risk).toMatchObject({ state: 'RISK_STATE_APPROVED', approved_by: { display_name: 'Bob' } })
  expect(approved.verdict).toMatchObject({
    status: 'VERDICT_STATUS_PASS_WITH_RISK',
    active_risk_ids: [accepted.risk.id],
  })
  expect(approved.verdict.status_reason).toContain('Owner')
  expect(approved.verdict.status_reason).toContain('Bob')
  await report(app, { 'adds up [REQ-1]': 'PASSED', 'rounds [REQ-1]': 'FAILED', 'never negative [REQ-1]': 'FAILED' })
  expect((await post('compute')).body.verdict.status).toBe('VERDICT_STATUS_FAIL')
})

test('an accepted item is covered only in the conditions that listed it, also beside items of others', async () => {
  await using gate = await startFailing()
  const { app, post, bob } = gate
  const product_id = app.productId
  const { test: pays } = await app.api.createTest({
    product_id,
    kind: 'TEST_KIND_CASE',
    title: 'pays',
    automation_ref: { file_path: 'test/cart.test.ts', suite_path: [], name: 'pays' },
  })
  const { requirement } = await app.api.createRequirement({
    product_id,
    title: 'Payments',
    priority: 'PRIORITY_LOW',
    status: 'REQUIREMENT_STATUS_APPROVED',
  })
  await app.api.linkTest({ test_id: pays.id, requirement_id: requirement.id })
  const { verdict: stale } = (await post('compute')).body
  const listed = (id: string) => stale.conditions.find((one) => one.id === id)?.evidence ?? []
  expect(listed('stale_results').map(({ id }) => id)).toEqual([pays.id])
  const failing = listed('failing_tests').map(({ id }) => id)
  const requirement_ids = listed('critical_coverage').map(({ id }) => id)
  const { risk } = (await post('accept-risk', { test_ids: [pays.id, ...failing], requirement_ids, reason })).body
  expect(risk.condition_ids).toEqual(['critical_coverage', 'failing_tests', 'stale_results'])
  const { body: approved } = await post('approve-risk', { risk_id: risk.id }, bob)
  expect(approved.verdict.status).toBe('VERDICT_STATUS_PASS_WITH_RISK')
  await report(app, { pays: 'FAILED' })
  const { verdict } = (await post('compute')).body
  expect(verdict.status).toBe('VERDICT_STATUS_FAIL')
  expect(verdict.conditions.find(({ id }) => id === 'failing_tests')).toMatchObject({
    status: 'CONDITION_STATUS_FAIL',
    message: expect.stringContaining('Approved risks cover 1 of 2 items.') as string,
  })
})

test('a risk that ends or is revoked makes the verdict fail again, which says that it ended', async () => {
  await using gate = await startFailing()
  const { clock, post, bob } = gate
  const accept = async (facts: object) => {
    const { risk } = (await post('accept-risk', { condition_ids: blocking, reason, ...facts })).body
    const { body } = await post('approve-risk', { risk_id: risk.id }, bob)
    expect(body.verdict.status).toBe('VERDICT_STATUS_PASS_WITH_RISK')
    return body
  }
  const { risk: short, verdict } = await accept({ ttl_days: 1 })
  expect(verdict.risks_ending).toMatchObject([{ risk_id: short.id }])
  clock.now += dayMs
  const { body: ended } = await post('compute')
  expect(ended.verdict.status).toBe('VERDICT_STATUS_FAIL')
  expect(ended.verdict.risks_ended).toMatchObject([{ risk_id: short.id, state: 'RISK_STATE_EXPIRED' }])
  const { risk: renewed } = await accept({ condition_ids: undefined, renew_risk_id: short.id })
  expect(renewed).toMatchObject({ renews_risk_id: short.id, covered_evidence: short.covered_evidence })
  const revoked = await post('approve-risk', { risk_id: renewed.id, decision: 'revoke' })
  expect(revoked.body).toMatchObject({
    risk: { state: 'RISK_STATE_REVOKED', approved_by: { display_name: 'Bob' }, decided_by: { display_name: 'Owner' } },
    verdict: { status: 'VERDICT_STATUS_FAIL' },
  })
})

test('a dry run and every refusal write nothing', async () => {
  await using gate = await startFailing()
  const { app, post, bob } = gate
  const state = async () => [
    await everything(app),
    await app.db.read.selectFrom('risk').selectAll().execute(),
    await app.db.read.selectFrom('verdict').select('id').execute(),
  ]
  const before = await state()
  const dry = await post('accept-risk', { condition_ids: blocking, reason, validate_only: true })
  expect(dry.body.risk.state).toBe('RISK_STATE_PENDING_APPROVAL')
  const scope = { release_id: '00000000-0000-7000-8000-000000000000' }
  expect((await post('accept-risk', { condition_ids: blocking, reason, scope })).status).toBe(404)
  expect((await post('accept-risk', { condition_ids: blocking, reason: 'too short' })).status).toBe(400)
  const reader = await tokenHeaders(app, { scopes: ['write'] })
  expect(reasonOf(await post('accept-risk', { condition_ids: blocking, reason }, reader))).toBe('SCOPE_MISSING')
  expect(reasonOf(await post('approve-risk', { risk_id: 'none' }, bob))).toBe('RISK_NOT_FOUND')
  const environment = (await app.api.createEnvironment({ product_id: app.productId, name: 'moon' })).environment
  const unjudged = { condition_ids: blocking, reason, scope: { environment_id: environment.id } }
  expect(reasonOf(await post('accept-risk', unjudged))).toBe('VERDICT_NOT_COMPUTED')
  expect((await state()).slice(1)).toEqual(before.slice(1))
})
