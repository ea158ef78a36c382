import { expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { startSampleApp } from '../sample-app.ts'
import { report } from '../service/agents/types/link-suggester/projects.ts'

const options = { toolsets: ['default', 'requirements', 'branches', 'agents'], readOnly: false }

/** A test of the second criterion of REQ-32; that of the first one is in the sample. Neither names the requirement. */
const secondTest = {
  file_path: 'e2e/delivery.spec.ts',
  suite_path: ['delivery day'],
  name: 'asks again when the visitor types what is no date',
}

/** What the test reads of the structured results. */
interface Result {
  data: {
    coverage: { state: string }
    run: { id: string; state: string }
    proposals: { id: string; requirement: string }[]
  }
}

test('links that an agent suggests are reviewed and merged in chat, and verify a requirement that had no test', async () => {
  await using app = await startSampleApp()
  await using agent = await connect(app.api, {
    options,
    user: () => ({ action: 'accept', content: { decision: 'confirm', type_to_confirm: 'Link suggestions' } }),
  })
  const call = async (tool: string, args: Record<string, unknown>) => {
    const { text, structured } = await agent.call(tool, args)
    return { text, ...(structured as Result) }
  }
  const stateOf = async (requirement: string) => (await call('get_requirement', { requirement })).data.coverage.state
  await report(app, secondTest)

  await call('create_agent_config', { type: 'link_suggester', name: 'Links' })
  const started = await call('start_agent_run', { config: 'Links' })
  const run = await call('get_agent_run', { run: started.data.run.id, wait_seconds: 20 })
  expect(run.data.run.state).toBe('succeeded')
  expect(run.text).toContain('Proposed 2 links for 1 of 7 requirements on quality branch "Link suggestions".')
  expect(await stateOf('REQ-32')).toBe('no_test')

  const review = await call('review_branch', { branch: 'Link suggestions' })
  expect(review.data.proposals.map(({ requirement }) => requirement)).toEqual(['REQ-32', 'REQ-32'])
  const accept = review.data.proposals.map(({ id }) => id)
  const decided = await call('decide_link_proposals', { branch: 'Link suggestions', accept })
  expect(decided.text).toMatch(/^2 proposals accepted\./)
  const merged = await call('merge_quality_branch', { branch: 'Link suggestions', reason: 'Both tests fit.' })
  expect(merged.text).toMatch(/^Merged quality branch Link suggestions: 2 links applied\./)
  expect(await stateOf('REQ-32')).toBe('verified')
})
