import { expect, test } from 'vitest'
import { tracegate, talk } from '../run.ts'

const clientInfo = { name: 'test', version: '1.0.0' }
const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message })
const opening = [
  line({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } }),
  line({ method: 'notifications/initialized' }),
]

test.each([
  [{ TRACEGATE_BASE_URL: 'https://q.example' }, 'TRACEGATE_BASE_URL is set but TRACEGATE_API_TOKEN is not'],
  [{ TRACEGATE_API_TOKEN: 'tg_x' }, 'TRACEGATE_API_TOKEN is set but TRACEGATE_BASE_URL is not'],
  [
    { TRACEGATE_BASE_URL: 'https://q.example', TRACEGATE_API_TOKEN: '${user_config.api_token}' },
    'TRACEGATE_BASE_URL is set but TRACEGATE_API_TOKEN is not',
  ],
])('a server with %j lists its tools, and answers each call with what mends it', async (env, sentence) => {
  const call = { name: 'find_error_issues', arguments: {} }
  const answers = await talk(
    [...opening, line({ id: 2, method: 'tools/list' }), line({ id: 3, method: 'tools/call', params: call })],
    { env },
  )
  expect(answers.find((answer) => answer.includes('"id":2'))).toContain('"find_error_issues"')
  const called = answers.find((answer) => answer.includes('"id":3'))
  expect(called).toContain(sentence)
  expect(called).toContain('"isError":true')
})

test('a setting that is still a reference is named once on stderr, and not with what others wrote', async () => {
  const { stdout, stderr } = await tracegate(['install', 'codex'], { TRACEGATE_PRODUCT: '${user_config.product}' })
  expect(stderr).toBe(
    'tracegate: TRACEGATE_PRODUCT: still a reference such as ${NAME}, which the client did not replace; counts as unset\n',
  )
  expect(stdout).not.toContain('--product')
})
