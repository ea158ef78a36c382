import { expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import { connect } from '../clients.ts'

const pages = [
  ['an HTML page', '<!doctype html><h1>404 Not Found</h1>'],
  ['a proxy', '{"message":"no Route matched with those values"}'],
  ['plain text', '404 page not found'],
] as const

test.each(pages)('a 404 of a server that is not the service is not told as a fact: %s', async (_, body) => {
  const send = () => Promise.resolve({ status: 404, headers: {}, body })
  await using agent = await connect(createApi({ send, baseUrl: 'https://wrong.example', token: 't' }), {
    options: { toolsets: ['all'] },
  })
  for (const [tool, args] of [
    ['set_error_issue_status', { issues: ['0192a'], status: 'resolved', reason: 'fixed' }],
    ['get_error_issue', { issue: '0192a' }],
    ['get_requirement', { requirement: '0192a' }],
    ['get_workspace_context', {}],
  ] as const) {
    const { text, isError } = await agent.call(tool, args)
    expect(isError).toBe(true)
    expect(text).toContain('or the base address is wrong (feature_disabled, not retryable)')
    expect(text).not.toMatch(/not found|not_found|Route matched|<h1>/i)
  }
})
