import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { openShopWithGaps, vitestReport, type GapShop, type ReportedTest } from './gap-shop.ts'

let shop: GapShop
let agent: Connected
beforeAll(async () => {
  shop = await openShopWithGaps()
  agent = await connect(shop.api, { options: { toolsets: ['default', 'requirements'] } })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

const criteria = [{ text: 'German' }, { text: 'English' }]
const file = 'test/mail.test.ts'

async function report(...tests: Omit<ReportedTest, 'file'>[]) {
  const text = vitestReport(
    tests.map((one) => ({ file, ...one })),
    '',
  )
  return (await agent.call('ingest_test_report', { report: text })).text
}

async function read(tool: 'get_test_context' | 'get_requirement', requirement: string) {
  const { structured, text } = await agent.call(tool, { requirement })
  const { data } = structured as { data: { criteria: { covered: string; tests?: string }[]; how_to?: string[] } }
  return { sentence: text.slice(0, text.indexOf('\n')), how: data.how_to, rows: data.criteria }
}

test('a criterion is covered by the tests that name it, once they pass', async () => {
  const [german, english] = [{ name: 'is in German [REQ-1.1]' }, { name: 'is in English [REQ-1.2]' }]
  await report(german, { ...english, status: 'failed' })
  for (const tool of ['get_test_context', 'get_requirement'] as const) {
    const { sentence, rows } = await read(tool, 'REQ-1')
    expect(sentence).toContain('1 of 2 acceptance criteria covered')
    expect(rows).toMatchObject([{ covered: 'yes' }, { covered: 'no' }])
  }
  expect((await read('get_test_context', 'REQ-1')).rows).toMatchObject([{ tests: 'TC-1' }, { tests: 'TC-2' }])
  await report(german, english)
  expect((await read('get_test_context', 'REQ-1')).sentence).toMatch(/^REQ-1 is verified; 2 of 2 acceptance criteria/)
})

test('a criterion that does not exist links nothing, and the reference is named', async () => {
  const key = await shop.require('A mail has a footer', { acceptance_criteria: criteria })
  expect(await report({ name: `has one [${key}.3]` })).toContain(`${key}.3`)
  expect(await shop.stateOf(key)).toBe('no_test')
})

test('where no test names a criterion it is said that nobody knows which are covered', async () => {
  const key = await shop.require('A mail is in the language of the customer', { acceptance_criteria: criteria })
  await report({ name: `speaks [${key}]` })
  for (const tool of ['get_test_context', 'get_requirement'] as const) {
    const { sentence, rows } = await read(tool, key)
    expect(sentence).toContain(`${key} is verified`)
    expect(sentence).toContain('2 acceptance criteria (which of them its tests cover is not recorded)')
    expect(rows).toMatchObject([{ covered: 'unknown' }, { covered: 'unknown' }])
  }
  expect((await read('get_test_context', key)).how?.join()).toContain(`(for its criterion 1; ${key} alone proves none)`)
})

test('record_tests links a test to criteria by their numbers', async () => {
  const key = await shop.require('A mail has a sender', { acceptance_criteria: criteria })
  const tests = (...ids: string[]) => [{ title: 'has a sender', file, requirement_ids: ids }]
  const missing = await agent.call('record_tests', { tests: tests(`${key}.3`) })
  expect(missing.text).toContain(`${key} failed (it has 2 acceptance criteria, and no criterion 3)`)
  await agent.call('record_tests', { tests: tests(`${key}.1`) })
  await report({ name: 'has a sender' })
  const { sentence, rows } = await read('get_test_context', key)
  expect(sentence).toContain('1 of 2 acceptance criteria covered')
  expect(rows).toMatchObject([{ covered: 'yes' }, { covered: 'no' }])
  const again = await agent.call('record_tests', { tests: tests(`${key}.1`) })
  expect(again.text).toContain(`${key} already`)
})

test('a title of many cases makes none, and the answer says how to link them', async () => {
  const key = await shop.require('A mail has a subject')
  const title = 'has a subject in $language'
  const { text, isError } = await agent.call('record_tests', { tests: [{ title, file, requirement_ids: [key] }] })
  expect(isError).toBe(true)
  expect(text).toContain('put the key of the requirement into it, as in [REQ-12], and send the report')
  expect(await shop.stateOf(key)).toBe('no_test')
})

test('a requirement whose own tests pass names the one below it as the reason of its state', async () => {
  const key = await shop.require('A mail is sent')
  await report({ name: `is sent [${key}]` })
  await shop.require('It is sent once', { parent_id: await shop.idOf(key) })
  for (const tool of ['get_test_context', 'get_requirement'] as const)
    expect((await read(tool, key)).sentence).toContain(`${key} is no_test because of a requirement below it`)
  expect((await read('get_test_context', key)).how?.join()).not.toContain('it is verified')
})
