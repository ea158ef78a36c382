import { expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { startSampleApp } from '../sample-app.ts'
import { configure, reach, start } from '../service/agents/probes.ts'
import { report } from '../service/agents/types/link-suggester/projects.ts'

const options = { toolsets: ['default', 'requirements', 'branches'], readOnly: false }

/** A test of the second criterion of REQ-32; that of the first one is in the sample. Neither names the requirement. */
const secondTest = {
  file_path: 'e2e/delivery.spec.ts',
  suite_path: ['delivery day'],
  name: 'asks again when the visitor types what is no date',
}

interface Proposal {
  id: string
  requirement: string
  confidence: number
}

test('links that an agent suggests are reviewed and merged in chat, and verify a requirement that had no test', async () => {
  await using app = await startSampleApp()
  await using agent = await connect(app.api, {
    options,
    user: () => ({ action: 'accept', content: { decision: 'confirm', type_to_confirm: 'Link suggestions' } }),
  })
  const stateOf = async (requirement: string) => {
    const { structured } = await agent.call('get_requirement', { requirement })
    return (structured as { data: { coverage: { state: string } } }).data.coverage.state
  }
  await report(app, secondTest)
  expect(await stateOf('REQ-32')).toBe('no_test')

  const run = await reach(app, await start(app, await configure(app, { agent_type_id: 'link_suggester' })))
  expect(run.summary).toMatch(/^Proposed 2 links for 1 of 7 requirements on quality branch "Link suggestions"\./)
  expect(await stateOf('REQ-32')).toBe('no_test')

  const review = await agent.call('review_branch', { branch: 'Link suggestions' })
  const { proposals } = (review.structured as { data: { proposals: Proposal[] } }).data
  expect(proposals.map(({ requirement }) => requirement)).toEqual(['REQ-32', 'REQ-32'])
  const accept = proposals.map(({ id }) => id)
  const decided = await agent.call('decide_link_proposals', { branch: 'Link suggestions', accept })
  expect(decided.text).toMatch(/^2 proposals accepted\./)
  const merged = await agent.call('merge_quality_branch', { branch: 'Link suggestions', reason: 'Both tests fit.' })
  expect(merged.text).toMatch(/^Merged quality branch Link suggestions: 2 links applied\./)
  expect(await stateOf('REQ-32')).toBe('verified')
})
