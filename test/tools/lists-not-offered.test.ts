import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { replyText, type Send } from '../../src/contract/base/wire.ts'
import { origin } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { checkoutCrash } from './shop.ts'

let shop: QualityShop
beforeAll(async () => {
  shop = await openQualityShop()
  await shop.crash(9, checkoutCrash('ann'))
  await shop.crash(5, { ...checkoutCrash('bob'), environment: 'staging', release: 'shop@1.5.0' })
})
afterAll(() => shop.close())

const styles = ['noRoute', 'noPage', 'notBuilt'] as const

async function callVia(send: Send, tool: string, args: Record<string, unknown>): Promise<string> {
  const api = createApi({ send, baseUrl: origin, token: shop.token, retries: 0 })
  await using agent = await connect(api, { options: { toolsets: ['all'] } })
  return (await agent.call(tool, args)).text
}

/** A call to the deployment that lacks these endpoints. */
function call(lacking: readonly string[], tool: string, args: Record<string, unknown>): Promise<string> {
  return callVia(reshaped(shop.service.direct, ...lacking), tool, args)
}

describe.each(styles)('a deployment that answers %s', (style) => {
  test('names the list that a filter by name needs, and takes an id without it', async () => {
    const { issues } = await shop.api.listIssues({ product_id: shop.productId })
    const [found] = issues
    const filters = [
      ['environment', 'listEnvironments', 'staging', found?.environments?.[0]?.id],
      ['release', 'listReleases', 'shop@1.4.0', found?.first_release?.id],
      ['component', 'listComponents', 'Checkout', found?.component?.id],
    ] as const
    for (const [kind, endpoint, name, id] of filters) {
      expect(id).toBeTruthy()
      const lacking = [`${style}:${endpoint}`]
      const tools = kind === 'component' ? ['find_error_issues'] : ['find_error_issues', 'get_error_issue']
      for (const tool of tools) {
        const issue = tool === 'get_error_issue' ? { issue: 'APP-1' } : {}
        const refused = await call(lacking, tool, { ...issue, [kind]: name })
        expect(refused).toContain(`error: this deployment does not offer the list of ${kind}s (feature_disabled`)
        expect(refused).toContain(`expected: the id of the ${kind}: only names need the list`)
        expect(await call(lacking, tool, { ...issue, [kind]: id })).not.toMatch(/^error|^No /)
      }
    }
  })

  test('finds the new issues of a release in the list of issues', async () => {
    const args = { release: 'shop@1.4.0', first_seen_in_release: true }
    const found = await call([`${style}:listReleaseIssues`], 'find_error_issues', args)
    expect(found).toContain('APP-1')
    expect(found).toContain('new in shop@1.4.0')
  })

  test('says in words which list it does not offer', async () => {
    const lacking = ['listIssues', 'listTests', 'listRequirements'].map((name) => `${style}:${name}`)
    for (const [tool, args, what] of [
      ['find_error_issues', {}, 'error issues'],
      ['list_tests', {}, 'tests'],
      ['list_requirements', {}, 'requirements'],
      ['get_test', { test: 'TC-2' }, 'tests'],
      ['get_requirement', { requirement: 'REQ-2' }, 'requirements'],
      ['get_requirement', { requirement: 'The cart shows its total' }, 'requirements'],
    ] as const) {
      const text = await call(lacking, tool, args)
      expect(text).toContain(`error: this deployment does not offer the list of ${what} (feature_disabled`)
      expect(text).not.toContain('/v1/')
    }
  })

  test('finds a requirement and a test in the list where single ones are not offered', async () => {
    const lacking = [`${style}:getRequirement`, `${style}:getTest`]
    for (const requirement of ['REQ-2', shop.ids['REQ-2']]) {
      const saved = await call(lacking, 'save_requirement', { requirement, title: 'Other', dry_run: true })
      expect(saved).toContain('would change REQ-2 in title')
      const unlinked = await call(lacking, 'unlink_test', { test: shop.ids['TC-2'], requirement, dry_run: true })
      expect(unlinked).toContain('would unlink TC-2 from REQ-2')
      expect(unlinked).toContain('its other links')
    }
    const id = '00000000-0000-7000-8000-00000000ffff'
    expect(await call(lacking, 'get_requirement', { requirement: id })).toContain('error: requirement not found')
  })
})

test('a link is removed without single requirements, and the state after it is read in the list', async () => {
  const args = { test: 'TC-2', requirement: 'REQ-2' }
  const text = await call(['noPage:getRequirement'], 'unlink_test', args)
  const { requirement } = await shop.api.getRequirement({ id: shop.ids['REQ-2'] ?? '' })
  expect(text).toContain(`is ${requirement.coverage?.state} now; its other linked tests: not stated`)
  await shop.api.linkTest({ test_id: shop.ids['TC-2'] ?? '', requirement_id: requirement.id })
})

test('a branch of a requirement is not read in the list', async () => {
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name: 'pricing' })
  const args = { requirement: 'REQ-2', title: 'Other', branch: branch.id, dry_run: true }
  expect(await call(['noPage:getRequirement'], 'save_requirement', args)).toContain('(feature_disabled')
})

test('the latest occurrence is the newest of the list where the issue does not bring it', async () => {
  const bare: Send = async (request) => {
    const reply = await reshaped(shop.service.direct, 'noRoute:getFixContext')(request)
    const body = JSON.parse(await replyText(reply)) as { latest_event?: unknown; events?: unknown[] }
    delete body.latest_event
    // The oldest first, as some deployments list them.
    return { ...reply, body: JSON.stringify({ ...body, ...(body.events && { events: body.events.toReversed() }) }) }
  }
  for (const tool of ['get_fix_context', 'get_error_issue']) {
    const text = await callVia(bare, tool, { issue: 'APP-1' })
    expect(text).toContain('staging')
    expect(text).toContain('const to = order.customer.email')
  }
  expect(await callVia(bare, 'get_fix_context', { issue: 'APP-1' })).toContain(
    'made from the issue, its latest occurrence',
  )
  expect(await callVia(bare, 'get_error_issue', { issue: 'APP-1' })).toMatch(/occurrence:.*environment=staging/)
})
