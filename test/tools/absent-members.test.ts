import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { replyText, type Send, type WireReply } from '../../src/contract/base/wire.ts'
import { isObject } from '../../src/lib/objects.ts'
import { origin } from '../app.ts'
import { closedMachine } from '../mcp/checks/machine.ts'
import { connect } from '../mcp/clients.ts'
import { findCall } from '../upstream/reshaping.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { checkoutCrash } from './shop.ts'

/** A call for each tool that reads, and where the members begin that are taken out. */
const calls: [tool: string, args: Record<string, unknown>, members: string][] = [
  ['get_error_issue', { issue: 'APP-1', include: ['stats'] }, ''],
  ['get_error_issue', { issue: 'APP-2' }, 'issue'],
  ['get_fix_context', { issue: 'APP-1' }, ''],
  ['find_error_issues', { status: 'any' }, ''],
  ['get_requirement', { requirement: 'REQ-2', detail: 'full' }, ''],
  ['get_requirement', { requirement: 'REQ-3' }, ''],
  ['get_test_context', { requirement: 'REQ-2', detail: 'full' }, ''],
  ['get_test', { test: 'TC-4', detail: 'full' }, ''],
  ['list_requirements', {}, ''],
  ['list_tests', {}, ''],
  ['find_coverage_gaps', {}, ''],
  ['get_workspace_context', { include: ['environments', 'components', 'releases', 'setup'] }, ''],
]

const machine = {
  local: {
    ...closedMachine.local,
    exists: (path: string) => Promise.resolve(['src/checkout/order.ts', 'test/cart.test.ts'].includes(path)),
  },
}

let shop: QualityShop
beforeAll(async () => {
  shop = await openQualityShop()
  const { api, productId: product_id, ids } = shop
  await shop.crash(9, checkoutCrash('ann'))
  await shop.crash(5, { ...checkoutCrash('bob'), environment: 'staging' })
  await shop.crash(4, { message: 'a second issue' })
  const component = (await api.listComponents({ product_id })).components[0]?.id ?? ''
  const { requirement } = await api.createRequirement({
    product_id,
    title: 'A customer can order',
    status: 'REQUIREMENT_STATUS_APPROVED',
    component_ids: [component],
    code_refs: [{ path: 'src/checkout/order.ts' }],
  })
  await api.linkTest({ test_id: ids['TC-4'] ?? '', requirement_id: requirement.id })
  const { issues } = await api.listIssues({ product_id })
  await api.setIssueStatus({ id: issues[0]?.id ?? '', status: 'resolved', fixed_in: 'next' })
})
afterAll(() => shop.close())

test.each(calls)('%s %j claims nothing more when a member is absent', async (tool, args, only) => {
  const replies = new Map<string, WireReply & { body: string }>()
  let absent = { endpoint: '', path: '' }
  const send: Send = async (request) => {
    const call = `${request.method} ${request.url}`
    let reply = replies.get(call)
    if (reply === undefined) {
      const answer = await shop.service.direct(request)
      replies.set(call, (reply = { ...answer, body: await replyText(answer) }))
    }
    if (endpointOf(call) !== absent.endpoint) return reply
    return { ...reply, body: JSON.stringify(without(JSON.parse(reply.body), absent.path.split('.'))) }
  }
  const api = createApi({ send, baseUrl: origin, token: shop.token, retries: 0 })
  await using agent = await connect(api, { options: { toolsets: ['all'] }, ...machine })
  const plain = (await agent.call(tool, args)).text
  const invented: Record<string, string[]> = {}
  for (const member of absentMembers(replies).filter(({ path }) => path.startsWith(only))) {
    absent = member
    const { text, isError } = await agent.call(tool, args)
    const more = claims(text).filter((claim) => !isIn(plain, claim))
    if (more.length > 0 && !isError) invented[`${member.endpoint} ${member.path}`] = more
  }
  expect(invented).toEqual({})
})

/** Every member of the answers, once. */
function absentMembers(replies: ReadonlyMap<string, { body: string }>): { endpoint: string; path: string }[] {
  const members = [...replies].flatMap(([call, { body }]) =>
    memberPaths(JSON.parse(body)).map((path) => `${endpointOf(call)} ${path}`),
  )
  return [...new Set(members)].map((member) => {
    const [endpoint = '', path = ''] = member.split(' ')
    return { endpoint, path }
  })
}

function endpointOf(call: string): string {
  const [method = '', url = ''] = call.split(' ')
  return findCall({ method, url, headers: {} })?.name ?? ''
}

/**
 * Members whose absence is another matter: `id` is always there, the rows of a list are its answer, and a suite without
 * its kind is a test that never ran.
 */
const OTHERS = /^(?:id|kind|issues|events|tests|requirements|coverage_gaps|workspaces|products)$/

/** Every other member of an answer by its path, where `*` is each item of a list. */
function memberPaths(value: unknown, at: readonly string[] = []): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => memberPaths(item, [...at, '*'])))]
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...(OTHERS.test(name) ? [] : [[...at, name].join('.')]),
    ...memberPaths(member, [...at, name]),
  ])
}

function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, rest))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => rest.length > 0 || member !== name)
      .map(([member, inner]) => [member, member === name ? without(inner, rest) : inner]),
  )
}

/** What a text says of how many there are: numbers, with a noun after them, and `no …`, `never …`, `all …`. */
function claims(text: string): string[] {
  const facts = text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|untrusted-\d+/g, 'id')
  const numbers = facts.match(/(?<![\w.:+-])\d+(?![\w:.-])(?: [a-z]+)?/gi) ?? []
  const words = facts.match(/\b(?:no|none|never|nothing|nobody|every|all|unknown)\b(?: [a-z]+){0,2}/gi) ?? []
  // How many files were found or not is counted here.
  return [...new Set([...numbers.filter((claim) => !/^\d+ files?$/.test(claim)), ...words])]
}

function isIn(plain: string, claim: string): boolean {
  return new RegExp(`(?<![\\w.])${claim}(?![\\w])`).test(plain)
}
