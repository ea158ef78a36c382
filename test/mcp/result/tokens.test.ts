import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { estimateTokens } from '../../../src/mcp/result/tokens.ts'
import type { App } from '../../app.ts'
import { startSampleApp } from '../../sample-app.ts'
import { connect, type Connected } from '../clients.ts'

let app: App
let agent: Connected
beforeAll(async () => {
  app = await startSampleApp()
  agent = await connect(app.api)
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app.close()
})

const ratio = (text: string) => estimateTokens(text) / countTokens(text)

test('for what results hold, the estimate is what o200k counts, 6 % less to 25 % more', async () => {
  const calls: [string, Record<string, unknown>][] = [
    ['get_workspace_context', { include: ['environments', 'components', 'releases', 'setup'] }],
    ['find_error_issues', {}],
    ['find_error_issues', { limit: 50, status: 'any' }],
    ...Array.from({ length: 25 }, (_, index): [string, Record<string, unknown>] => [
      'get_error_issue',
      {
        issue: `SHOP-${String(index + 1)}`,
        detail: index % 2 === 0 ? 'full' : 'concise',
        include: ['stats', 'events'],
      },
    ]),
  ]
  const ratios: number[] = []
  for (const [tool, args] of calls) {
    const { text, structured } = await agent.call(tool, args)
    ratios.push(ratio(text), ratio(JSON.stringify(structured)))
  }
  expect(Math.min(...ratios)).toBeGreaterThan(0.94)
  expect(Math.max(...ratios)).toBeLessThan(1.25)
})

const pick = (letters: string, count: number) =>
  Array.from({ length: count }, (_, index) => letters[(index * 7919 + ((index * index) >> 3)) % letters.length]).join(
    '',
  )
const small = 'abcdefghijklmnopqrstuvwxyz'

test.each([
  ['hex digits', pick('0123456789abcdef', 2000)],
  ['base64', pick(`${small}${small.toUpperCase()}0123456789+/`, 2000)],
  ['small letters', pick(small, 2000)],
  ['marks', pick('!@#$%^&*()_+{}|:"<>?[];,./`~', 2000)],
  ['Chinese', '支付页面在提交订单时崩溃了因为地址没有填写'.repeat(40)],
  ['German', 'Die Prüfung der übergebenen Größe ist nicht möglich. '.repeat(40)],
  ['emoji', '🔥🚀💥 '.repeat(200)],
])('for %s it is at least four fifths of what o200k counts', (_, text) => {
  expect(ratio(text)).toBeGreaterThan(0.8)
})
