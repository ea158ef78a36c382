import { expect, test } from 'vitest'
import { endingRisks, readEndedRisks, readOpenRisks, riskFact } from '../../../../src/service/gate/risks/facts.ts'
import { expireRisks } from '../../../../src/service/gate/risks/expire.ts'
import { viewRisk } from '../../../../src/service/gate/risks/stored.ts'
import { computeEtag } from '../../../../src/service/shared/etag.ts'
import { dayMs } from '../../../../src/service/shared/times.ts'
import { startRisks } from './rig.ts'

const nowhere = { releaseId: '', version: '', environmentId: '' }

test('the person who accepted a risk cannot approve it, a second one can, and both are named', async () => {
  await using risks = await startRisks()
  const { ada, bob, accept, decide, clock } = risks
  const risk = await accept(ada, { condition_ids: ['critical_coverage'] })
  await expect(decide(ada, risk.id)).rejects.toMatchObject({ reason: 'FOUR_EYES_REQUIRED' })
  const approved = await decide(bob, risk.id, { way: 'DECISION_WAY_PAGE', note: 'seen' })
  expect(viewRisk(approved, clock.now)).toMatchObject({
    state: 'RISK_STATE_APPROVED',
    accepted_by: { user_id: 'ada' },
    accepted_way: 'DECISION_WAY_API',
    approved_by: { user_id: 'bob' },
    decided_way: 'DECISION_WAY_PAGE',
    decision_note: 'seen',
  })
})

test('no agent and no CI system decides, whatever token it uses, and a form is no way to approve', async () => {
  await using risks = await startRisks()
  const { ada, bob, person, accept, decide } = risks
  const risk = await accept(ada, { test_ids: ['TC-A'] })
  const others = [
    person('bob', { via: 'mcp', byAgent: true }),
    person('bob', { kind: 'agent' }),
    person('bob', { kind: 'ci' }),
  ]
  for (const other of others) {
    for (const decision of ['RISK_DECISION_APPROVE', 'RISK_DECISION_REJECT', 'RISK_DECISION_REVOKE'] as const) {
      await expect(decide(other, risk.id, { decision })).rejects.toMatchObject({ reason: 'PERSON_REQUIRED' })
    }
  }
  for (const way of ['DECISION_WAY_FORM', 'DECISION_WAY_HANDLE'] as const) {
    await expect(decide(bob, risk.id, { way })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
  }
  expect(await risks.app.db.read.selectFrom('risk').select('state').execute()).toEqual([
    { state: 'RISK_STATE_PENDING_APPROVAL' },
  ])
})

test('only a pending risk is approved or rejected, only an approved one revoked, and none after its end', async () => {
  await using risks = await startRisks()
  const { ada, bob, accept, decide, clock } = risks
  const invalid = { reason: 'RISK_STATE_INVALID' }
  const risk = await accept(ada, { test_ids: ['TC-A'] })
  await expect(decide(bob, risk.id, { decision: 'RISK_DECISION_REVOKE' })).rejects.toMatchObject(invalid)
  await expect(decide(bob, risk.id, { etag: 'old' })).rejects.toMatchObject({ reason: 'ETAG_MISMATCH' })
  await decide(bob, risk.id, { etag: computeEtag(risk.id, risk.version) })
  await expect(decide(bob, risk.id)).rejects.toMatchObject(invalid)
  await expect(decide(bob, risk.id, { decision: 'RISK_DECISION_REJECT' })).rejects.toMatchObject(invalid)
  expect(await decide(ada, risk.id, { decision: 'RISK_DECISION_REVOKE' })).toMatchObject({
    state: 'RISK_STATE_REVOKED',
  })
  const short = await accept(ada, { test_ids: ['TC-A'], ttl_days: 1 })
  clock.now += dayMs
  await expect(decide(bob, short.id)).rejects.toMatchObject(invalid)
  await expect(decide(bob, 'no such')).rejects.toMatchObject({ reason: 'RISK_NOT_FOUND' })
})

test('where the settings name the environment, one person is enough, and the risk says so', async () => {
  await using risks = await startRisks()
  const { ada, accept, decide, app, product, clock } = risks
  const allow = (single_user_approval: readonly string[]) =>
    app.db.write((rows) =>
      rows
        .updateTable('product')
        .set({ settings: JSON.stringify({ ...(JSON.parse(product.settings) as object), single_user_approval }) })
        .execute(),
    )
  const { environment } = (await app.api.createEnvironment({ product_id: app.productId, name: 'qa' })) as {
    environment: { id: string }
  }
  const inQa = await accept(ada, { test_ids: ['TC-A'], scope: { environment_id: environment.id } })
  const anywhere = await accept(ada, { test_ids: ['TC-A'] })
  await allow(['staging'])
  await expect(decide(ada, inQa.id)).rejects.toMatchObject({ reason: 'FOUR_EYES_REQUIRED' })
  await allow(['qa'])
  const alone = await decide(ada, inQa.id)
  const scope = { ...nowhere, environmentId: environment.id }
  expect(riskFact(alone, { now: clock.now, scope })).toMatchObject({
    counts: true,
    acceptedBy: { userId: 'ada' },
    approvedBy: { userId: 'ada' },
  })
  await expect(decide(ada, anywhere.id)).rejects.toMatchObject({ reason: 'FOUR_EYES_REQUIRED' })
  await allow(['*'])
  await decide(ada, anywhere.id)
})

test('risks that end within 7 days are announced, and those that ended since a time are listed', async () => {
  await using risks = await startRisks()
  const { ada, bob, accept, decide, app, product, clock } = risks
  const at = () => ({ productId: product.id, now: clock.now, scope: nowhere })
  const since = clock.now
  const soon = await accept(ada, { test_ids: ['TC-A'], ttl_days: 7 })
  const late = await accept(ada, { requirement_ids: ['REQ-A'], ttl_days: 8 })
  const never = await accept(ada, { requirement_ids: ['REQ-B'], ttl_days: 1 })
  for (const risk of [soon, late]) await decide(bob, risk.id)
  const { active, pending } = await readOpenRisks(app.db.read, at())
  expect(endingRisks(active, clock.now).map(({ id }) => id)).toEqual([soon.id])
  expect(pending.map(({ id }) => id)).toEqual([never.id])
  clock.now += dayMs
  await decide(ada, late.id, { decision: 'RISK_DECISION_REVOKE' })
  clock.now += 6 * dayMs
  const expected = [
    { id: soon.id, state: 'RISK_STATE_EXPIRED', endedAt: since + 7 * dayMs },
    { id: late.id, state: 'RISK_STATE_REVOKED', endedAt: since + dayMs },
  ]
  expect(await readEndedRisks(app.db.read, { ...at(), since })).toEqual(expected)
  await app.db.write((rows) => expireRisks(rows, ada, product.id))
  expect(await readEndedRisks(app.db.read, { ...at(), since })).toEqual(expected)
  expect(await readEndedRisks(app.db.read, { ...at(), since: clock.now })).toEqual([])
  const verbs = await app.db.read
    .selectFrom('audit')
    .select(['verb', 'actor'])
    .where('resource_type', '=', 'risk')
    .execute()
  const count = (verb: string) => verbs.filter((row) => row.verb === verb).length
  expect(['accept', 'approve', 'revoke', 'expire'].map(count)).toEqual([3, 2, 1, 2])
})
