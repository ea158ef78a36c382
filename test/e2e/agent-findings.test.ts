import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { origin } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { startSampleApp } from '../sample-app.ts'

const options = { toolsets: ['default', 'agents'], readOnly: false }

/** The sample, and an agent whose answers are never reshaped: those of a stream would arrive whole, at its end. */
async function startAgent() {
  const app = await startSampleApp()
  const api = createApi({ send: app.service.direct, baseUrl: origin, token: app.token, via: 'mcp' })
  const agent = await connect(api, { options })
  return {
    ...agent,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]()
      await app.close()
    },
  }
}

test('an agent starts a bisection in chat, sees its progress, and gets the release that broke the checkout', async () => {
  await using agent = await startAgent()
  const reported: { progress: number; message?: string | undefined }[] = []
  const { structuredContent } = await (agent.client as Client).callTool(
    {
      name: 'start_agent_run',
      arguments: { config: 'regression_bisect', input_json: '{"issue":"SHOP-7"}', wait_seconds: 20 },
    },
    { onprogress: ({ progress, message }) => void reported.push({ progress, message }) },
  )
  expect(structuredContent).toMatchObject({
    untrusted: {
      output: {
        issues: [{ first_bad: { version: 'shop@1.4.1' }, last_good: { version: 'shop@1.4.0' } }],
      },
    },
    next_actions: [{ tool: 'get_fix_context', args: { issue: 'SHOP-7' } }],
  })
  expect(reported.map(({ message }) => message)).toContain('1 of 1')
  expect(reported.map(({ progress }) => progress)).toEqual(
    reported.map(({ progress }) => progress).toSorted((one, other) => one - other),
  )
})

test('an agent finds in chat why the frames of the newest release stay minified, and the command that repairs it', async () => {
  await using agent = await startAgent()
  const { text } = await agent.call('start_agent_run', { config: 'sourcemap_doctor', wait_seconds: 20 })
  // The pipeline of the sample forgot what browsers load of this release.
  expect(text).toContain('NO_UPLOAD')
  expect(text).toMatch(/file: ~\/assets\/app-\w+\.js/)
  expect(text).toContain("tracegate sourcemaps upload DIR --release 'shop@1.4.1' --url-prefix '~/assets/'")
})
