import { expect, test } from 'vitest'
import { eras } from '../../mcp/clients.ts'
import { connectHttp } from '../../mcp/http/http-server.ts'
import { serveHere } from '../run.ts'

/** Words in place of what senders and callers write; none may be in a log. */
const words = {
  message: 'zebra-message',
  file: 'zebra-file.ts',
  tag: 'zebra-tag',
  refused: 'zebra-refused-body',
  argument: 'zebra-argument',
  unknownTool: 'zebra_tool',
  title: 'zebra-title',
  token: `tg_${'zebra'.repeat(8)}`,
  path: 'zebra-path',
  header: 'zebra-header',
}

test('the log of a whole run has each call, and nothing that a sender or a caller wrote', async () => {
  await using app = await serveHere({ env: { TRACEGATE_LOG_LEVEL: 'debug', TRACEGATE_TOOLSETS: 'all' } })
  const { rest, mcp, token, dsn, product_id: product } = app.endpoints
  const key = new URL(dsn).username
  const store = (body: string, query = `svc_key=${key}`) =>
    fetch(`${rest}/api/${product}/store/?${query}`, { method: 'POST', body })
  const frames = [{ function: words.message, filename: words.file, lineno: 1, in_app: true }]
  const exception = { values: [{ type: 'TypeError', value: words.message, stacktrace: { frames } }] }
  await store(JSON.stringify({ exception, tags: { name: words.tag }, user: { email: `${words.tag}@shop.test` } }))
  await store(words.refused)
  await store(`{"message":"${words.refused}"`)
  await store('{}', `svc_key=${words.token}`)
  for (const era of eras) {
    await using agent = await connectHttp(mcp, token, era, { 'X-Words': words.header })
    const found = await agent.call('find_error_issues', { query: words.argument })
    expect(found.isError).toBe(false)
    await agent.call('find_error_issues', {})
    await agent.call('get_error_issue', { issue: words.argument })
    await agent.call('find_error_issues', { [words.argument]: words.argument })
    await agent.call('save_requirement', { title: words.title, body: words.argument })
    await agent.call('delete_requirement', { requirement: 'REQ-1', reason: words.argument })
    await agent.call(words.unknownTool, {}).catch(() => undefined)
    await agent.client.readResource({ uri: `tracegate://${words.path}` }).catch(() => undefined)
  }
  for (const authorization of [`Bearer ${words.token}`, `Basic ${words.token}`]) {
    await fetch(mcp, { method: 'POST', headers: { authorization }, body: '{}' })
    await fetch(`${rest}/v1/issues/${words.path}?q=${words.argument}`, { headers: { authorization } })
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await fetch(mcp, { method: 'POST', headers, body: `{"${words.argument}` })
  await fetch(`${rest}/v1/issues/${words.path}?q=${words.argument}`, { headers })
  await fetch(`${rest}/v1/products/${product}/requirements`, {
    method: 'POST',
    headers,
    body: `{"x":"${words.title}"}`,
  })
  await fetch(`${rest}/confirm?t=${words.token}`)
  await fetch(`${rest}/${words.path}`)
  const log = app.output()
  expect(log.match(/"msg":"tool call"/g)?.length).toBeGreaterThanOrEqual(eras.length * 6)
  expect(log).toContain('"tool":"find_error_issues","outcome":"ok"')
  const lines = log.split('\n').filter((line) => line.startsWith('{'))
  for (const word of [...Object.values(words), token, key]) {
    expect(lines.filter((line) => line.includes(word))).toEqual([])
  }
})
