import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { replyText, type Send } from '../../src/contract/base/wire.ts'
import { origin } from '../app.ts'
import { closedMachine } from '../mcp/checks/machine.ts'
import { connect } from '../mcp/clients.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { watched } from '../upstream/watched.ts'
import { checkoutCrash } from './shop.ts'

let shop: QualityShop
beforeAll(async () => {
  shop = await openQualityShop()
  await shop.crash(9, checkoutCrash('ann'))
  await shop.crash(5, { ...checkoutCrash('bob'), environment: 'staging' })
  await shop.crash(3, checkoutCrash('ann'))
})
afterAll(() => shop.close())

const styles = ['noRoute', 'noPage', 'notBuilt'] as const

/** A call to the deployment that lacks these endpoints, with the paths that it asked for. */
async function call(endpoints: readonly string[], tool: string, args: Record<string, unknown>, more: object = {}) {
  const send = watched(
    reshaped(shop.service.direct, ...endpoints.map((name) => (name.includes(':') ? name : `noRoute:${name}`))),
  )
  const api = createApi({ send, baseUrl: origin, token: shop.token, retries: 0 })
  await using agent = await connect(api, { options: { toolsets: ['all'] }, ...more })
  return { ...(await agent.call(tool, args)), sent: send.log.map(({ path }) => path) }
}

const machine = {
  local: { ...closedMachine.local, exists: (path: string) => Promise.resolve(path === 'src/checkout/order.ts') },
}

describe('a deployment without the fix-context endpoint', () => {
  test.each(styles)('makes it from the issue, whatever it answers: %s', async (style) => {
    const { text, isError, sent } = await call(
      [`${style}:getFixContext`],
      'get_fix_context',
      { issue: 'APP-1' },
      machine,
    )
    expect(isError).toBe(false)
    expect(text).toContain(
      'This deployment does not offer fix contexts: this one is made from the issue, its latest occurrence; ' +
        'not stated: requirements, related issues.',
    )
    expect(text).toContain('src/checkout/order.ts | 41 | crash | this machine')
    expect(text).toContain('requirements_note: not stated')
    expect(text).toContain('component: id=checkout, name=Checkout')
    expect(text).toContain('const to = order.customer.email')
    expect(sent.filter((path) => path.endsWith('/fix-context'))).toHaveLength(1)
    // The endpoint and this answer agree in all that both say.
    await using whole = await connect(shop.api, machine)
    const { text: said } = await whole.call('get_fix_context', { issue: 'APP-1' })
    for (const part of ['environments', 'releases', 'source_maps']) {
      const line = (of: string) => new RegExp(`^${part}.*$`, 'm').exec(of)?.[0]
      expect(line(text)).toBe(line(said))
    }
  })

  test('an issue that does not exist is not found', async () => {
    const { text } = await call(['getFixContext'], 'get_fix_context', { issue: '00000000-0000-7000-8000-00000000ffff' })
    expect(text).toContain('error: error issue not found in product "My product" (not_found)')
  })

  test('the resource is the same answer', async () => {
    const send = reshaped(shop.service.direct, 'noRoute:getFixContext')
    await using agent = await connect(createApi({ send, baseUrl: origin, token: shop.token }))
    const { contents } = await agent.client.readResource({ uri: 'tracegate://error-issue/APP-1/fix-context' })
    expect(JSON.stringify(contents)).toContain('This deployment does not offer fix contexts')
  })

  test('without statistics too, environments are those that the issue names', async () => {
    const { text } = await call(['getFixContext', 'getIssueStats', 'listIssueEvents'], 'get_fix_context', {
      issue: 'APP-1',
      branch: 'main',
    })
    expect(text).toContain('production | 2 | 67 %')
    expect(text).toContain('branch is not applied.')
  })

  test('where the issue names no environments, its statistics do', async () => {
    const send: Send = async (request) => {
      const reply = await reshaped(shop.service.direct, 'noRoute:getFixContext')(request)
      const body = JSON.parse(await replyText(reply)) as { issue?: object }
      return {
        ...reply,
        body: JSON.stringify(body.issue ? { ...body, issue: { ...body.issue, environments: undefined } } : body),
      }
    }
    await using agent = await connect(createApi({ send, baseUrl: origin, token: shop.token }))
    const { text } = await agent.call('get_fix_context', { issue: 'APP-1' })
    expect(text).toContain('made from the issue, its latest occurrence, its statistics of 7d;')
    expect(text).toContain('production | 2 | 67 %')
  })
})

describe('a deployment without the test-context endpoints', () => {
  const made = 'This deployment does not offer test contexts: this one is made from the requirement and its links;'

  test.each(styles)('makes one from the requirement and its links, whatever it answers: %s', async (style) => {
    const lacking = ['getTestContext', 'prepareTestContext'].map((name) => `${style}:${name}`)
    const { text, isError } = await call(lacking, 'get_test_context', { requirement: 'REQ-2' })
    expect(isError).toBe(false)
    expect(text).toContain(
      `REQ-2 is verified; 2 acceptance criteria (which of them its tests cover is not recorded), 1 linked test. ${made}`,
    )
    expect(text).toContain('TC-2 | passed 2026-11-21T11:30Z')
    expect(text).toContain('An empty cart shows 0.00.')
    expect(text).toContain('src/cart/total.ts | named by the requirement')
  })

  test.each([
    ['the keys that tests name', [], false],
    ['the links of each test', ['without:requirement_keys'], true],
  ])('finds linked tests by %s where the requirement has no links', async (_, less, asksEach) => {
    const send = watched(reshaped(shop.service.direct, 'noRoute:getTestContext', ...less))
    // `links` is also what the list of a test's links is called.
    const withoutLinks: Send = async (request) => {
      const reply = await send(request)
      if (!/\/requirements\/[^/]+$/.test(new URL(request.url).pathname)) return reply
      return { ...reply, body: JSON.stringify({ ...JSON.parse(await replyText(reply)), links: undefined }) }
    }
    const api = createApi({ send: withoutLinks, baseUrl: origin, token: shop.token, retries: 0 })
    await using agent = await connect(api, { options: { toolsets: ['all'] } })
    for (const tool of ['get_test_context', 'get_requirement']) {
      expect((await agent.call(tool, { requirement: 'REQ-3' })).text).toContain('1 linked test')
    }
    expect(send.log.some(({ path }) => path.endsWith('/links'))).toBe(asksEach)
  })

  test('says what it does not know where the requirement has nothing but its words', async () => {
    const { text } = await call(
      ['getTestContext', 'listTests', 'getRequirement', 'without:acceptance_criteria', 'without:coverage'],
      'get_test_context',
      { requirement: 'REQ-2' },
    )
    expect(text).toContain(
      'REQ-2 is of a coverage that is not stated; acceptance criteria not stated, linked tests not stated.',
    )
    expect(text).toContain('This deployment does not offer single requirements and the list of tests.')
    expect(text).not.toMatch(/\b0 |no acceptance/)
  })
})

describe('a deployment without auth/me', () => {
  test.each(styles)('still names products, lists and the server, whatever it answers: %s', async (style) => {
    const include = ['environments', 'components', 'releases', 'setup']
    const { text, isError } = await call([`${style}:getMe`], 'get_workspace_context', { include })
    expect(isError).toBe(false)
    expect(text).toContain('1 product visible; lists are of My product. This deployment does not say who is logged in.')
    expect(text).toContain('principal: user=not stated')
    for (const name of ['My product', 'production', 'Checkout', 'shop@1.4.0']) expect(text).toContain(name)
  })

  test('is not taken for a deployment that keeps dry runs', async () => {
    const args = { title: 'An order can be cancelled', dry_run: true }
    const { text, isError, sent } = await call(['getMe'], 'save_requirement', args)
    expect({ text, isError }).toMatchObject({ isError: false })
    expect(sent.filter((path) => path.endsWith('/requirements'))).toHaveLength(0)
  })

  test('says that a token is refused', async () => {
    const api = createApi({ send: shop.service.direct, baseUrl: origin, token: 'tg_wrong', retries: 0 })
    await using agent = await connect(api)
    expect((await agent.call('get_workspace_context')).text).toContain('(unauthenticated')
  })
})

describe('a deployment without the list of workspaces', () => {
  test('is read by the workspaces that auth/me names', async () => {
    const { text } = await call(['listWorkspaces'], 'get_workspace_context', {})
    expect(text).toContain('1 product visible')
    expect(text).toContain('APP')
  })

  test.each([[['listWorkspaces', 'getMe']], [['listProducts']]])(
    'without %j works with the pinned product',
    async (lacking) => {
      const pinned = { options: { toolsets: ['all'], product: shop.productId } }
      expect((await call(lacking, 'get_workspace_context', {}, pinned)).text).toContain(`id=${shop.productId}`)
      expect((await call(lacking, 'find_error_issues', {}, pinned)).text).toContain('1 unresolved error issue')
      const { text } = await call(lacking, 'find_error_issues', {})
      expect(text).toContain('(feature_disabled')
      expect(text).toContain('set TRACEGATE_PRODUCT to the id of the product')
    },
  )
})

test('lists that a deployment does not offer are named, and the others are shown', async () => {
  const include = ['environments', 'components', 'releases']
  const { text } = await call(['listReleases', 'noPage:listComponents'], 'get_workspace_context', { include })
  expect(text).toContain('This deployment does not offer components and releases.')
  expect(text).toContain('production')
})

describe('a deployment without one of the endpoints of an issue', () => {
  test('names the sections that it does not offer, and shows the rest', async () => {
    const include = ['stats', 'events', 'variation']
    const lacking = ['getIssueStats', 'noPage:listIssueEvents']
    const { text, isError } = await call(lacking, 'get_error_issue', { issue: 'APP-1', include })
    expect(isError).toBe(false)
    expect(text).toContain('This deployment does not offer statistics and the list of occurrences.')
    expect(text).toContain('compared: not stated')
    expect(text).toContain('seen: times=3')
  })

  test('a page of occurrences leads to the issue', async () => {
    const { text } = await call(['listIssueEvents'], 'get_error_issue', { issue: 'APP-1', match: 'email' })
    expect(text).toContain('error: this deployment does not offer the list of occurrences (feature_disabled')
    expect(text).toContain(`next: get_error_issue {"issue":"APP-1"}`)
  })

  test.each(styles)('an occurrence is not called missing where none can be read: %s', async (style) => {
    const { issue, latest_event: latest } = await shop.api.getIssue({ id: await issueId() })
    const { events } = await shop.api.listIssueEvents({ id: issue.id })
    const lacking = [`${style}:getIssueEvent`]
    const other = await call(lacking, 'get_error_issue', { issue: 'APP-1', event: events[1]?.id })
    expect(other.text).toContain('error: this deployment does not offer single occurrences (feature_disabled')
    expect((await call(lacking, 'get_error_issue', { issue: 'APP-1', event: latest?.id })).isError).toBe(false)
  })

  test.each(styles)('occurrences are compared one by one where several cannot be read: %s', async (style) => {
    const args = { issue: 'APP-1', include: ['events', 'variation'] }
    const whole = await call([], 'get_error_issue', args)
    const singly = await call([`${style}:getIssueEvents`], 'get_error_issue', args)
    expect(whole.text).toContain('compared: all 3 occurrences')
    expect(withoutNonce(singly.text)).toBe(withoutNonce(whole.text))
    const singleReads = (paths: readonly string[]) => paths.filter((path) => /\/events\/[^/]+$/.test(path))
    expect([whole, singly].map(({ sent }) => singleReads(sent).length)).toEqual([0, 3])
  })

  test('an occurrence that is missing is missing, with a 404 that gives no reason too', async () => {
    const id = '00000000-0000-7000-8000-00000000ffff'
    const send: Send = (request) =>
      request.url.includes(id)
        ? Promise.resolve({ status: 404, headers: {}, body: '{"code":5,"message":"Not Found","details":[]}' })
        : shop.service.direct(request)
    await using agent = await connect(createApi({ send, baseUrl: origin, token: shop.token, retries: 0 }))
    const { text } = await agent.call('get_error_issue', { issue: 'APP-1', event: id })
    expect(text).toContain('error: the issue has no such occurrence (not_found)')
  })

  async function issueId(): Promise<string> {
    const { issues } = await shop.api.listIssues({ product_id: shop.productId })
    return issues[0]?.id ?? ''
  }
})

/** The name of the untrusted block is another one in each answer. */
function withoutNonce(text: string): string {
  return text.replaceAll(/untrusted-\d+/g, 'untrusted')
}

test('coverage gaps that a deployment does not offer lead to its requirements', async () => {
  const { text } = await call(['listCoverageGaps'], 'find_coverage_gaps', {})
  expect(text).toContain('error: this deployment does not offer coverage gaps (feature_disabled')
  expect(text).toContain(`next: list_requirements {"product":"${shop.productId}"}`)
})

test('a test is read from its list and its links where single tests are not offered', async () => {
  const { text } = await call(['getTest'], 'get_test', { test: 'TC-2' })
  expect(text).toContain('linked to 1 requirement. This deployment does not offer single tests.')
  const without = await call(['getTest', 'listTestLinks', 'without:last_result'], 'get_test', { test: 'TC-2' })
  expect(without.text).toContain('its last result is not stated, its links are not stated.')
})
