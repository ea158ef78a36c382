import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connect, eras, type Shown } from '../mcp/clients.ts'
import { acceptance as args, openRiskShop, type RiskShop } from './risk-shop.ts'

let shop: RiskShop
beforeEach(async () => {
  shop = await openRiskShop()
})
afterEach(() => shop.close())

describe.each(eras)('a client of %s', (era) => {
  test('accepts a risk by its form, which then waits for a second person', async () => {
    const forms: Shown[] = []
    await using agent = await shop.agent((form) => {
      forms.push(form)
      return { action: 'accept', content: { decision: 'confirm', type_to_confirm: 'failing_tests' } }
    }, era)
    const { text, isError } = await agent.call('accept_gate_risk', args)
    expect(isError).toBe(false)
    expect(text).toContain(
      'Accepted the risk of condition failing_tests; it waits for a second person, who decides at http://127.0.0.1:4319/confirm?t=',
    )
    expect(text).toContain('The gate is FAIL')
    expect(forms[0]?.message).toContain('Covers: TC-4')
    expect(await shop.risks()).toMatchObject([
      { state: 'RISK_STATE_PENDING_APPROVAL', accepted_way: 'DECISION_WAY_FORM', condition_ids: ['failing_tests'] },
    ])
  })
})

test('the call that follows an acceptance finds the risk in the scope in which it was accepted', async () => {
  await using agent = await shop.agent(() => ({
    action: 'accept',
    content: { decision: 'confirm', type_to_confirm: 'failing_tests' },
  }))
  await agent.call('compute_quality_gate', { environment: 'ci' })
  const { text } = await agent.call('accept_gate_risk', { ...args, environment: 'ci' })
  const [, given = ''] = /^- approve_gate_risk (\{.*?\}) \(/m.exec(text) ?? []
  const next = JSON.parse(given) as Record<string, unknown>
  expect(next).toMatchObject({ environment: 'ci' })
  const { text: asked } = await agent.call('approve_gate_risk', next)
  expect(asked).toContain('Approve the accepted risk of failing_tests')
})

test('a verdict says how its accepted risk is approved, with the page only where its tool is offered', async () => {
  await shop.api.computeGate({ product_id: shop.productId, environment_id: await environmentId('ci') })
  await shop.api.acceptRisk({
    product_id: shop.productId,
    condition_ids: ['failing_tests'],
    reason: args.reason,
    scope: { environment_id: await environmentId('ci') },
  })
  await using standard = await connect(shop.api)
  const { text } = await standard.call('get_quality_gate', { environment: 'ci' })
  expect(text).toContain('A second person approves a risk with tracegate approve in a terminal.')
  expect(text).not.toContain('approve_gate_risk')
  await using agent = await shop.agent()
  const { text: all } = await agent.call('get_quality_gate', { environment: 'ci' })
  expect(all).toContain('in a terminal. approve_gate_risk gives them a page.')
  expect(all).toMatch(/^- approve_gate_risk \{"product":"1","environment":"ci","risk":"/m)
})

async function environmentId(name: string): Promise<string> {
  const { body } = await shop.request<{ environments: { id: string; name: string }[] }>(
    'GET',
    `/v1/products/${shop.productId}/environments`,
  )
  return body.environments.find((one) => one.name === name)?.id ?? ''
}

test('a client without a dialog gets the preview and the link, and nothing is written', async () => {
  await using agent = await shop.agent()
  const { text, isError } = await agent.call('accept_gate_risk', args)
  expect(isError).toBe(true)
  expect(text).toContain('failing_tests: ')
  expect(text).toMatch(/page: http:\/\/127\.0\.0\.1:4319\/confirm\?t=/)
  expect(await shop.risks()).toEqual([])
})

test('one item is accepted by its key, in every condition that lists it', async () => {
  await using agent = await shop.agent(() => ({
    action: 'accept',
    content: { decision: 'confirm', type_to_confirm: 'TC-4' },
  }))
  const { text } = await agent.call('accept_gate_risk', { ...args, blocker: 'tc-4', days: 7 })
  expect(text).toContain('Accepted the risk of TC-4;')
  const [risk] = await shop.risks()
  expect(risk?.covered_evidence).toEqual([{ type: 'test', id: shop.ids['TC-4'] }])
})

test('what is no blocker is refused with the blockers', async () => {
  await using agent = await shop.agent()
  const { text } = await agent.call('accept_gate_risk', { ...args, blocker: 'new_issues' })
  expect(text).toContain('this is no blocker of the newest verdict of this scope')
  expect(text).toContain('failing_tests')
})

test('without a verdict of the scope the error names the call that computes one', async () => {
  await using agent = await shop.agent()
  const { text } = await agent.call('accept_gate_risk', { ...args, environment: 'ci' })
  expect(text).toContain('there is no verdict yet for environment ci')
  expect(text).toContain('compute_quality_gate {"product":"1","environment":"ci"}')
})
