import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLocalFiles } from '../../src/mcp/files/local-files.ts'
import type { NextAction } from '../../src/mcp/result/next-action.ts'
import { connect, eras, type Called, type Connected } from '../mcp/clients.ts'
import { openShopWithGaps, vitestReport, type GapShop } from './gap-shop.ts'

let shop: GapShop
let root: string
beforeEach(async () => {
  shop = await openShopWithGaps()
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-loop-')))
  write('src/checkout/mail.ts', 'export const mail = (order) => order.number')
})
afterEach(async () => {
  await shop.close()
  rmSync(root, { recursive: true, force: true })
})

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

interface Suggested {
  suggested: { file: string; suite: string }
}

const dataOf = <D>({ structured }: Called) => (structured as { data: D }).data
const nextOf = ({ structured }: Called) => (structured as { next_actions?: NextAction[] }).next_actions ?? []
const rowsOf = (called: Called) => dataOf<{ rows: { id: string }[] }>(called).rows.map(({ id }) => id)

/** The call that a result proposes, made as it stands. */
async function follow(agent: Connected, called: Called, tool: string): Promise<Called> {
  const action = nextOf(called).find((one) => one.tool === tool)
  expect({ tool, named: action !== undefined }).toEqual({ tool, named: true })
  return agent.call(tool, { ...action?.args })
}

test.each(eras)('from a gap to a verified requirement, each answer naming the next step, over %s', async (era) => {
  await using agent = await connect(shop.api, { era, local: createLocalFiles([root]) })

  const gaps = await agent.call('find_coverage_gaps')
  expect(rowsOf(gaps)).toEqual(['REQ-1', 'REQ-2'])

  const context = await follow(agent, gaps, 'get_test_context')
  expect(context.text).toContain('src/checkout/mail.ts')
  expect(context.text).toMatch(
    /^ {2}Where the name cannot hold the key: record_tests with file, suite and title as in the code/m,
  )
  // No test shows where tests are, so none is suggested.
  expect(dataOf<Suggested>(context).suggested).not.toHaveProperty('file')
  const [file, suite] = ['test/mail.test.ts', 'mail']

  // What the agent writes.
  const title = 'holds the order number'
  write(file, `describe('${suite}', () => test('${title}', () => {}))`)
  const tests = [{ title, file, suite, requirement_ids: ['REQ-1'] }]
  const recorded = await agent.call('record_tests', { tests })
  expect(recorded.text).toContain('1 test created, 1 link made.')
  expect(recorded.text).toContain('REQ-1 | An order is confirmed by mail | not_run')
  expect(recorded.text).toContain('afterwards: Run the tests, then send their report with ingest_test_report')

  write('reports/vitest.json', vitestReport([{ file, suites: [suite], name: title }], root))
  const ingested = await agent.call('ingest_test_report', { path: 'reports/vitest.json', environment: 'ci' })
  expect(ingested.text).toMatch(/^1 test, 1 passed; verified requirements 0 -> 1\.\n/)
  expect(ingested.text).toContain('coverage: verified=0 -> 1, not_run=1 -> 0, no_test=1 -> 1')
  expect(ingested.text).toContain('REQ-1 | not_run | verified | An order is confirmed by mail')

  const left = await follow(agent, ingested, 'find_coverage_gaps')
  expect(rowsOf(left)).toEqual(['REQ-2'])
  expect(await shop.stateOf('REQ-1')).toBe('verified')
})

test('a requirement named in the test closes its gap by the report alone', async () => {
  await using agent = await connect(shop.api, { local: createLocalFiles([root]) })
  const context = await agent.call('get_test_context', { requirement: 'REQ-2' })
  expect(context.text).toContain('with [REQ-2] in the name of each case; the report then links it')
  const name = '[REQ-2] orders as a guest'
  write('report.json', vitestReport([{ file: 'test/guest.test.ts', name }], root))
  const ingested = await agent.call('ingest_test_report', { path: 'report.json' })
  expect(ingested.text).toContain('REQ-2 | no_test | verified | A customer can order without an account')
})

test('a requirement that is reworded is a gap again until its test is linked again', async () => {
  await using agent = await connect(shop.api, { local: createLocalFiles([root]) })
  const place = { file: 'test/guest.test.ts' }
  const tests = [{ title: 'orders', ...place, requirement_ids: ['REQ-2'] }]
  await agent.call('record_tests', { tests })
  const report = vitestReport([{ ...place, name: 'orders' }], root)
  await agent.call('ingest_test_report', { report })
  expect(await shop.stateOf('REQ-2')).toBe('verified')

  await shop.api.updateRequirement({ id: await shop.idOf('REQ-2'), statement: 'Also without an address.' })
  const gaps = await agent.call('find_coverage_gaps')
  expect(gaps.text).toContain('REQ-2 | A customer can order without an account | not_run | it has changed')
  const context = await agent.call('get_test_context', { requirement: 'REQ-2' })
  expect(context.text).toContain('compare them with the new text, then confirm their links, with the reason')
  const confirming = { tests, confirm_links: true, reason: 'it orders without an address' }
  const confirmed = await agent.call('record_tests', confirming)
  expect(confirmed.text).toContain('1 link confirmed.')
  expect(await shop.stateOf('REQ-2')).toBe('verified')
})
