import { afterAll, beforeAll, expect, test } from 'vitest'
import { createResolver } from '../../../src/mcp/resolve/index.ts'
import type { Resolver } from '../../../src/mcp/resolve/types.ts'
import { startApp, type App } from '../../app.ts'
import { refusal } from './refusal.ts'

const whole = { filteredHere: [], notApplied: [], isComplete: true }
let app: App
/** Ids by product and key. */
const ids: Record<string, string> = {}
let otherId: string
beforeAll(async () => {
  app = await startApp()
  const { workspaces } = await app.api.listWorkspaces({})
  const { product } = await app.api.createProduct({
    workspace_id: workspaces[0]?.id ?? '',
    name: 'Other',
    key_prefix: 'OTH',
  })
  otherId = product.id
  for (const [name, product_id, count] of [
    ['mine', app.productId, 1],
    ['theirs', otherId, 2],
  ] as const) {
    for (let index = 1; index <= count; index += 1) {
      const title = `Rule ${String(index)} (${name}): 100 % of "it"`
      const { requirement } = await app.api.createRequirement({ product_id, title })
      const { test: created } = await app.api.createTest({ product_id, kind: 'TEST_KIND_CASE', title })
      ids[`${name} ${requirement.key ?? ''}`] = requirement.id
      ids[`${name} ${created.key ?? ''}`] = created.id
    }
  }
})
afterAll(() => app.close())

function resolver(pinned?: string): Resolver {
  return createResolver({ api: app.api, pinned, signal: new AbortController().signal })
}

test.each([
  ['a key in the product given', 'REQ-1', 'Other', 'theirs REQ-1'],
  ['a key in small letters', 'req-2', 'OTH', 'theirs REQ-2'],
  ['a key in the other product', 'REQ-1', 'My product', 'mine REQ-1'],
])('%s leads to one requirement', async (_, given, product, expected) => {
  const found = await resolver().requirement(given, product)
  expect(found.requirement.id).toBe(ids[expected])
  expect(found.requirement.product_id).toBe(found.product.id)
})

test.each([
  ['REQ2', 'theirs REQ-2'],
  ['req 2', 'theirs REQ-2'],
  ['#2', 'theirs REQ-2'],
  ['REQ-02', 'theirs REQ-2'],
  ['Rule 2 (theirs): 100 % of "it"', 'theirs REQ-2'],
  ['rule 1 (Theirs): 100 % OF "IT"', 'theirs REQ-1'],
])('%s is another way to name a requirement', async (given, expected) => {
  expect((await resolver().requirement(given, 'Other')).requirement.id).toBe(ids[expected])
})

test('a test has the same spellings, and its exact title', async () => {
  for (const given of ['TC2', 'tc 2', '2', 'Rule 2 (theirs): 100 % of "it"']) {
    expect((await resolver().test(given, 'Other')).test.id).toBe(ids['theirs TC-2'])
  }
})

test('a part of a title names nothing, and a title that two rows have is ambiguous', async () => {
  const text = await refusal(resolver().requirement('Rule 2', 'Other'))
  expect(text).toContain('requirement not found')
  expect(text).toContain('next: list_requirements {"product":"2","match":"Rule 2"}')
  await using twice = await startApp()
  for (const _ of ['one', 'other']) {
    await twice.api.createRequirement({ product_id: twice.productId, title: 'A rule' })
  }
  const both = createResolver({ api: twice.api, pinned: undefined, signal: new AbortController().signal })
  const several = await refusal(both.requirement('A rule'))
  expect(several).toContain('(ambiguous_name)')
  expect(several).toContain('one of the keys REQ-1, REQ-2')
})

test('a key of another kind of thing leads to the tool that reads it', async () => {
  const issue = await refusal(resolver().requirement('app-7', 'Other'))
  expect(issue).toMatch(/^error: APP-7 is the key of an error issue, not of a requirement \(wrong_id_kind\)\n/)
  expect(issue).toContain('next: get_error_issue {"issue":"APP-7"}')
  const requirement = await refusal(resolver().test('REQ-1', 'Other'))
  expect(requirement).toContain('REQ-1 is the key of a requirement, not of a test (wrong_id_kind)')
  expect(requirement).toContain('next: get_requirement {"product":"2","requirement":"REQ-1"}')
  expect(await refusal(resolver().issue('REQ-1'))).toContain('REQ-1 is the key of a requirement, not of an error issue')
  expect(await refusal(resolver('Other').issue('TC-1'))).toContain('next: get_test {')
})

test('an id determines its product', async () => {
  const found = await resolver().requirement(ids['theirs REQ-1'] ?? '')
  expect(found.product.name).toBe('Other')
  expect((await resolver().test(ids['theirs TC-2'] ?? '')).product.name).toBe('Other')
})

test('a key belongs to the pinned product', async () => {
  expect((await resolver('Other').requirement('REQ-1')).requirement.id).toBe(ids['theirs REQ-1'])
  expect((await resolver('Other').test('TC-1')).test.id).toBe(ids['theirs TC-1'])
})

test('a key without a product is ambiguous with several products', async () => {
  expect(await refusal(resolver().requirement('REQ-1'))).toContain('several products: say which (ambiguous_name)')
})

test.each([
  ['a key that the product does not have', 'REQ-2', 'My product'],
  ['the id of another product', 'theirs REQ-1', 'My product'],
  ['an id that nobody has', '0192f7a0-0000-7000-8000-000000000000', undefined],
  ['what is no id', '../requirements', 'My product'],
])('%s is not found', async (_, given, product) => {
  const text = await refusal(resolver().requirement(ids[given] ?? given, product))
  expect(text).toContain('requirement not found')
  expect(text).toContain('expected: a requirement key such as REQ-12')
  // Of several products, the call that lists requirements needs one.
  expect(text).toContain(product === undefined ? 'next: get_workspace_context {}' : 'next: list_requirements {')
})

test('under a pin, rows of another product are not found, by id or key', async () => {
  for (const given of [ids['theirs REQ-2'] ?? '', 'REQ-2']) {
    expect(await refusal(resolver('My product').requirement(given))).toContain('requirement not found')
  }
  for (const given of [ids['theirs TC-2'] ?? '', 'TC-2']) {
    expect(await refusal(resolver('My product').test(given))).toContain('test not found')
  }
})

test('a deployment that ignores the filter or omits the product never yields a wrong row', async () => {
  const { requirements } = await app.api.listRequirements({ product_id: otherId })
  const odd = createResolver({
    api: {
      ...app.api,
      listRequirements: () =>
        Promise.resolve({ requirements, next_page_token: '', pagination: undefined, reading: whole }),
      getRequirement: ({ id }) => Promise.resolve({ requirement: { id }, children: [], links: [] }),
    },
    pinned: undefined,
    signal: new AbortController().signal,
  })
  expect(await refusal(odd.requirement('REQ-9', 'Other'))).toContain('requirement not found')
  expect(await refusal(odd.requirement('REQ-1', 'My product'))).toContain('requirement not found')
  expect(await refusal(odd.requirement(ids['mine REQ-1'] ?? ''))).toContain('(upstream_shape_unknown')
})

test('without a product, what has to be looked up in one of several leads to the products', async () => {
  for (const found of [
    () => resolver().test('0192f7a0-0000-7000-8000-000000000000', undefined),
    () => resolver().requirement('REQ-?1', undefined),
    () => resolver().issue('REQ-1'),
  ])
    expect(await refusal(found())).toContain('next: get_workspace_context {}')
  // None is open there, so that a list of branches would lead nowhere.
  const branches = await refusal(resolver().requirement('REQ-?1', 'Other'))
  expect(branches).toContain(`next: list_requirements {"product":"${otherId}"}`)
})
