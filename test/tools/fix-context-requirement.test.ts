import { expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { openShop } from './shop.ts'

test('get_fix_context leads to the tests of a requirement that claims the crashing file, not of one on the way', async () => {
  await using shop = await openShop()
  await using agent = await connect(shop.api)
  const frame = (filename: string) => ({ function: 'run', filename, lineno: 3, in_app: true })
  const frames = [frame('src/orders/page.ts'), frame('src/mail/send.ts')]
  await shop.crash(5, { exception: { values: [{ type: 'MailError', value: 'refused', stacktrace: { frames } }] } })
  const require = (title: string, path: string) =>
    shop.api.createRequirement({ product_id: shop.productId, title, code_refs: [{ path }] })
  await require('Orders are listed', 'src/orders/page.ts')
  const passing = await agent.call('get_fix_context', { issue: 'APP-1' })
  expect(passing.text).toContain('REQ-1')
  expect(passing.text).not.toContain('get_test_context')
  await require('A refused mail is sent again', 'src/mail/send.ts')
  const crashing = await agent.call('get_fix_context', { issue: 'APP-1' })
  expect(crashing.text).toContain('- get_test_context {"product":"1","requirement":"REQ-2"}')
})

test('get_fix_context leads to a requirement whose test fails before one that has no test', async () => {
  await using shop = await openShop()
  await using agent = await connect(shop.api)
  const frames = [{ function: 'run', filename: 'src/mail/send.ts', lineno: 3, in_app: true }]
  await shop.crash(5, { exception: { values: [{ type: 'MailError', value: 'refused', stacktrace: { frames } }] } })
  for (const title of ['A refused mail is sent again', 'A guest gets a mail']) {
    await shop.api.createRequirement({ product_id: shop.productId, title, code_refs: [{ path: 'src/mail/send.ts' }] })
  }
  const report =
    '<testsuite><testcase name="[REQ-2] is sent" file="test/mail.test.ts"><failure/></testcase></testsuite>'
  await agent.call('ingest_test_report', { report })
  const { text } = await agent.call('get_fix_context', { issue: 'APP-1' })
  expect(text).toMatch(/^REQ-1 \| no_test/m)
  expect(text).toContain('- get_test_context {"product":"1","requirement":"REQ-2"}')
})
