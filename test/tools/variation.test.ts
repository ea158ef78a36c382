import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { startApp } from '../app.ts'
import { openShop, type Shop } from './shop.ts'

/** 80 crashes that look alike; in the breadcrumbs of three the amount is written in another way. */
const odd = new Set([5, 33, 61])

const callers = Array.from({ length: 9 }, (_, nr) => ({
  function: `step${String(nr)}`,
  filename: `src/server/step-${String(nr)}.ts`,
  lineno: 10 + nr,
  in_app: true,
  context_line: `  return await step${String(nr + 1)}(request, sheet)`,
}))

let shop: Shop
let agent: Connected
beforeAll(async () => {
  shop = await openShop()
  for (let nr = 0; nr < 80; nr += 1) {
    const amount = odd.has(nr) ? `1.${String(200 + nr)},50` : `${String(nr)}.50`
    await shop.crash(80 - nr, {
      exception: {
        values: [
          {
            type: 'AmountError',
            value: 'the amount cannot be read',
            stacktrace: {
              frames: [
                ...callers,
                { function: 'importSheet', filename: 'src/import/sheet.ts', lineno: 40, in_app: true },
                { function: 'readAmount', filename: 'src/import/amount.ts', lineno: 12, in_app: true },
              ],
            },
          },
        ],
      },
      tags: { browser: nr % 3 === 0 ? 'Chrome' : 'Firefox' },
      breadcrumbs: [
        { category: 'navigation', message: '/sheets', timestamp: 1 },
        {
          category: 'http',
          data: { method: 'GET', url: `https://shop.example/api/sheets/${String(nr)}`, status_code: 200 },
          timestamp: 2,
        },
        { category: 'import', message: `row ${String(nr * 7)} has the amount "${amount}"`, timestamp: 3 },
      ],
    })
  }
  agent = await connect(shop.api)
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

test('one call says what differs between 80 occurrences, within the budget of a fix context', async () => {
  const { text } = await agent.call('get_fix_context', { issue: 'APP-1' })
  expect(text).toContain('compared: all 80 occurrences\n')
  expect(text).toMatch(/varies:\n\|\s+breadcrumb import: row \{\} has the amount \{\*\}: like "\d+.50" \(77\), /)
  expect(text).toContain('"1.205,50" or "1.233,50" or "1.261,50" (3, ')
  expect(text).toContain('tag browser: Firefox (53), Chrome (27, ')
  expect(text).toContain('src/server/step-0.ts:10')
  console.log(`fix context, 11 frames, 80 occurrences compared: ${String(countTokens(text))} tokens`)
  expect(countTokens(text)).toBeLessThanOrEqual(1300)
})

test('get_error_issue names what is the same, and what is different in each occurrence', async () => {
  const { text } = await agent.call('get_error_issue', { issue: 'APP-1', include: ['variation'] })
  expect(text).toContain('same_in_all: error, in-app stack, environment, release, level, handled\n')
  expect(text).toMatch(
    /different_in_each: .*breadcrumb import: row \{\*\} has the amount \{\} like \d+, \d+, \d+, \d+, \d+, 75 more/,
  )
})

test('an occurrence is named by the beginning of its id, by which get_error_issue finds it', async () => {
  await using app = await startApp()
  for (const amount of ['1.50', '2.50', '1,50']) {
    await app.ingest({ message: 'the amount cannot be read', tags: { amount } })
  }
  await using reader = await connect(app.api)
  const { text } = await reader.call('get_fix_context', { issue: 'APP-1' })
  const [, name = ''] = /tag amount: .*, ([0-9a-f-]{13,18})\)/.exec(text) ?? []
  const found = await reader.call('get_error_issue', { issue: 'APP-1', event: name })
  expect(found.text).toContain(`occurrence: id=${name}`)
  const other = await reader.call('get_error_issue', { issue: 'APP-1', event: '01234567-89ab' })
  expect(other.text).toContain('the issue has no such occurrence')
})

test('of an issue with large events only as many are read as fit into four megabytes', async () => {
  await using large = await openShop()
  for (let nr = 0; nr < 12; nr += 1) {
    await large.crash(nr, { message: 'large', extra: { [`part ${String(nr)}`]: 'x'.repeat(900_000) } })
  }
  await using reader = await connect(large.api)
  const { text } = await reader.call('get_error_issue', { issue: 'APP-1', include: ['variation'] })
  expect(text).toContain('compared: 6 occurrences of 12, 6 more were not read')
})
