import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../app.ts'
import { connect, type Connected } from '../mcp/clients.ts'
import { sayYes } from '../mcp/say-yes.ts'

let app: App
let agent: Connected
beforeAll(async () => {
  app = await startApp()
  const { api } = app
  const { workspaces } = await api.listWorkspaces({})
  const { product } = await api.createProduct({ workspace_id: workspaces[0]?.id ?? '', name: 'Other' })
  // Both have things of the same names and keys.
  for (const product_id of [app.productId, product.id]) {
    const { requirement } = await api.createRequirement({ product_id, title: 'The cart shows its total' })
    const { branch } = await api.createBranch({ product_id, name: 'pricing' })
    await api.updateRequirement({ id: requirement.id, title: 'The cart shows its total at once', branch_id: branch.id })
    await api.updateRequirement({ id: requirement.id, title: 'The cart shows its sum' })
    await api.createAgentConfig({ product_id, agent_type_id: 'coverage_gap_scan', name: 'scan' })
  }
  agent = await connect(api, { options: { toolsets: ['all'] }, user: sayYes })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app.close()
})

const nowhere = '0192f7a0-0000-7000-8000-000000000000'
const reason = 'as the user decided'

test.each([
  ['create_quality_branch', { product: 'Other', name: 'pricing' }],
  ['merge_quality_branch', { product: 'Other', branch: 'pricing', reason, dry_run: true }],
  ['decide_link_proposals', { product: 'Other', branch: 'pricing', accept: [nowhere] }],
  ['set_error_issue_status', { issues: [nowhere, 'no such issue'], status: 'resolved', reason }],
  ['get_requirement', { requirement: nowhere }],
  ['get_requirement', { requirement: 'REQ-?1' }],
  ['get_test', { test: nowhere }],
  ['get_error_issue', { issue: 'REQ-1' }],
  ['get_agent_config', {}],
  ['get_agent_config', { config: 'none of this name' }],
  ['start_agent_run', { product: 'Other', config: 'scan' }],
])('with several products the calls that %s with %j names first can be made', async (tool, args) => {
  const { text } = await agent.call(tool, args)
  const [, name = '', given = ''] = /^(?:next:|Next:\n-) (\w+) (\{.*\})/m.exec(text) ?? []
  expect(text).toContain(`${name} ${given}`)
  const next = await agent.call(name, JSON.parse(given) as Record<string, unknown>)
  expect(next.text).not.toMatch(/^error/)
})
