import { expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { connect } from './clients.ts'

/** A deployment that says no more than it must: bare ids, camel case, no paging, no corroboration. */
const answers: Record<string, unknown> = {
  'GET /v1/auth/me': { user: { id: 'u1' } },
  'GET /v1/workspaces': { workspaces: [{ id: 'w1' }] },
  'GET /v1/workspaces/w1/products': { products: [{ id: '7' }] },
  'GET /v1/products/7/issues': {
    issues: [
      { id: 'i1', timesSeen: '12', title: 'Boom at start' },
      { id: 'i2', status: 'snoozed', level: 'odd' },
    ],
  },
  'GET /v1/products/7/environments': { environments: [{ id: 'e1', name: 'production' }] },
  'GET /v1/products/7/releases': { releases: [] },
  'GET /v1/issues/i1': { id: 'i1', productId: '7', title: 'boom', status: 'unresolved' },
  'POST /v1/issues/i1:setStatus': { issue: { id: 'i1', status: 'resolved' } },
}

function foreign(sent: string[] = []): Send {
  return (request) => {
    const key = `${request.method} ${new URL(request.url).pathname}`
    sent.push(`${request.method} ${decodeURIComponent(request.url.replace('https://quality.example', ''))}`)
    const answer = answers[key]
    const headers = { 'content-type': 'application/json' }
    if (answer === undefined)
      return Promise.resolve({ status: 404, headers, body: '{"code":5,"message":"PWNED by proxy"}' })
    return Promise.resolve({ status: 200, headers, body: JSON.stringify(answer) })
  }
}

function createTestApi(send: Send) {
  return createApi({ send, baseUrl: 'https://quality.example', token: 'tg_x', retries: 0 })
}

test('a deployment that omits members is read as far as possible', async () => {
  await using agent = await connect(createTestApi(foreign()))
  const context = await agent.call('get_workspace_context', { include: ['environments'] })
  expect(context.text).toContain('1 product visible')
  expect(context.text).toContain('e1 | (not vouched for here)')
  const found = await agent.call('find_error_issues', { environment: 'production', limit: 5 })
  expect(found.structured).toMatchObject({
    answer:
      'Error issues, last seen first; 1 shown here. ' +
      'This deployment does not filter by status or environment: rows of any other may be among these. ' +
      'This deployment does not say whether there are more.',
    data: { rows: [{ id: 'i1', times_seen: 12 }] },
  })
  const one = await agent.call('get_error_issue', { issue: 'i1' })
  expect(one.text).toContain('evidence: not stated')
  expect(one.text).toContain('| title: boom')
})

test('rows that a deployment gives without searching are not passed off as found', async () => {
  const sent: string[] = []
  await using agent = await connect(createTestApi(foreign(sent)))
  const { structured } = await agent.call('find_error_issues', { match: 'boom', status: 'any' })
  expect(structured).toMatchObject({
    answer:
      'Error issues matching, last seen first; 1 shown here. ' +
      'This deployment does not search: these rows themselves show the text. ' +
      'This deployment does not say whether there are more.',
    data: { rows: [{ id: 'i1' }] },
  })
  expect(sent.filter((request) => request.includes('q=boom'))).toHaveLength(1)
})

test('a status change is one write after one read', async () => {
  const sent: string[] = []
  await using agent = await connect(createTestApi(foreign(sent)))
  const { text } = await agent.call('set_error_issue_status', { issues: ['i1'], status: 'resolved', reason: 'r' })
  expect(text).toContain('1 changed to resolved.')
  expect(sent).toEqual(['GET /v1/issues/i1', 'POST /v1/issues/i1:setStatus'])
})

test('a deployment that does not return fixed_in or what reopens an issue is not said to have understood', async () => {
  await using agent = await connect(createTestApi(foreign()))
  const call = { issues: ['i1'], status: 'resolved', reason: 'r' }
  const plain = await agent.call('set_error_issue_status', call)
  expect(plain.text).toContain('1 changed to resolved. This deployment does not say what reopens it.')
  const pinned = await agent.call('set_error_issue_status', { ...call, fixed_in: 'c0ffee1' })
  expect(pinned.text).toContain('Status resolved; this deployment does not say in which release.')
})

test('status any sends no filter, and only needed parameters are sent', async () => {
  const sent: string[] = []
  await using agent = await connect(createTestApi(foreign(sent)))
  await agent.call('find_error_issues', { status: 'any', limit: 5 })
  expect(sent.at(-1)).toBe('GET /v1/products/7/issues?sort=last_seen&pagination.page_size=5')
})

test("text of a deployment's error never reaches the agent", async () => {
  await using agent = await connect(createTestApi(foreign()))
  const { text, isError } = await agent.call('get_error_issue', { issue: 'i9' })
  expect(isError).toBe(true)
  expect(text).not.toContain('PWNED')
})
