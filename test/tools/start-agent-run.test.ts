import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { sayYes, yesTo } from '../mcp/say-yes.ts'
import { configure, heldProbe, probe, reach, startAgentApp } from '../service/agents/probes.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

const options = { toolsets: ['default', 'agents'] }

let app: App
beforeAll(async () => {
  const writing = probe(undefined, {
    id: 'link_suggester',
    title: 'Suggest links',
    writes: ['link_proposals', 'branches'],
  })
  const judging = probe(undefined, { id: 'gate_watch', title: 'Watch the gate', writes: ['verdicts'] })
  app = await startAgentApp({ agentTypes: [probe(), writing, judging] })
  await configure(app, { name: 'Nightly', input: { limit: 3 } })
  await configure(app, { name: 'Links', agent_type_id: 'link_suggester' })
  await configure(app, { name: 'Gate', agent_type_id: 'gate_watch' })
})
afterAll(() => app.close())

const idIn = (structured: unknown) => (structured as { data: { run: { id: string } } }).data.run.id

test('start_agent_run tells a person what the agent may write, and starts it once they agree', async () => {
  const asked: string[] = []
  await using agent = await connect(app.api, { options, user: yesTo(asked) })
  const { text, structured } = await agent.call('start_agent_run', { config: 'Links', input_json: '{"limit":7}' })
  expect(asked[0]?.split('\n').slice(0, 7)).toMatchInlineSnapshot(`
    [
      "Start a run of the agent Links",
      "product: My product (id 1)",
      "agent type: link_suggester",
      "what it does: Does what a test says.",
      "may write: link proposals, branches",
      "input that the agent adds: {"limit":7}",
      "may take: 300 s",
    ]
  `)
  expect(text).toMatch(/^Started\. The agent run of Links \(link_suggester\) /)
  const run = await reach(app, idIn(structured))
  expect(run).toMatchObject({ state: 'AGENT_RUN_STATE_SUCCEEDED', input: { limit: 7 } })
})

test('the answer comes at once, with the call that waits for the run', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  await configure(app, { name: 'Nightly' })
  await using agent = await connect(app.api, { options, user: sayYes })
  const { text, structured } = await agent.call('start_agent_run', { config: 'Nightly' })
  expect(text).toContain(`- get_agent_run {"run":"${idIn(structured)}",`)
  expect(text).toContain(`- cancel_agent_run {"run":"${idIn(structured)}"}`)
  held.release()
})

test('with wait_seconds the answer is that of the run that has ended', async () => {
  await using agent = await connect(app.api, { options, user: sayYes })
  const { text } = await agent.call('start_agent_run', { config: 'Nightly', wait_seconds: 25 })
  expect(text).toMatch(/^Started\. The agent run of Nightly \(probe\) succeeded\./)
  expect(text).toContain('| summary: Found 3.')
})

test.each([
  ['that only reads', 'Nightly'],
  ['that stores verdicts', 'Gate'],
])('an agent %s is started without a question', async (_, config) => {
  const asked: string[] = []
  await using agent = await connect(app.api, { options, user: yesTo(asked) })
  const { text } = await agent.call('start_agent_run', { config, wait_seconds: 20 })
  expect(text).toMatch(/^Started\. The agent run of \w+ \(\w+\) succeeded/)
  expect(asked).toEqual([])
})

test('without a yes nothing is started, and a preview starts nothing either', async () => {
  await using decliner = await connect(app.api, { options, user: () => ({ action: 'decline' }) })
  const { agent_runs: before } = await listRuns('Links')
  expect((await decliner.call('start_agent_run', { config: 'Links' })).text).toContain('declined, or never shown')
  const { text } = await decliner.call('start_agent_run', { config: 'Links', dry_run: true })
  expect(text).toMatch(/^Preview, nothing written: would start a run of the agent Links/)
  expect(text).toContain('may write: link proposals, branches')
  expect((await listRuns('Links')).agent_runs).toHaveLength(before.length)
})

async function listRuns(name: string) {
  const { agent_configs: configs } = await app.api.listAgentConfigs({ product_id: app.productId })
  return app.api.listAgentRuns({ agent_config_id: configs.find((config) => config.name === name)?.id ?? '' })
}

test('an agent that is running already is followed instead of started twice', async () => {
  const held = heldProbe()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  await configure(app, { name: 'Nightly' })
  await using agent = await connect(app.api, { options, user: sayYes })
  const first = await agent.call('start_agent_run', { config: 'Nightly' })
  const { text } = await agent.call('start_agent_run', { config: 'Nightly' })
  expect(text).toContain('a run of this agent config is active already (failed_precondition: RUN_ALREADY_ACTIVE')
  expect(text).toContain(`next: get_agent_run {"run":"${idIn(first.structured)}","wait_seconds":20}`)
  held.release()
})

test('a disabled config and an input that does not fit say what to do', async () => {
  await configure(app, { name: 'Off', enabled: false })
  await using agent = await connect(app.api, { options, user: sayYes })
  expect((await agent.call('start_agent_run', { config: 'Off' })).text).toMatch(
    /disabled .*CONFIG_DISABLED[^]*next: start another one/,
  )
  const { text } = await agent.call('start_agent_run', { config: 'Nightly', input_json: '{"limit":0}' })
  expect(text).toMatch(/expected: input\.limit[^]*next: get_agent_config \{"product":"1","config":"Nightly"\}/)
  expect((await agent.call('start_agent_run', { config: 'Nightly', input_json: '[1]' })).text).toContain(
    'input_json is not a JSON object (invalid_argument)',
  )
})

test('a reply that is lost leaves the outcome unknown: the run is started once, and the runs of the config show it', async () => {
  await using elsewhere = await connectElsewhere(app, (send) => losing(send, '502'))
  const { text } = await elsewhere.call('start_agent_run', { config: 'Nightly' })
  expect(text).toContain('(outcome_unknown')
  expect(text).toContain('next: get_agent_run {"product":"1","config":"Nightly"}')
  expect(elsewhere.writes().filter((write) => write.endsWith('/runs'))).toHaveLength(1)
})

test('a start stays a success where the run cannot be read afterwards', async () => {
  await using elsewhere = await connectElsewhere(app, (send) =>
    reshaped(send, 'noRoute:getAgentRun', 'noRoute:listAgentRunEvents', 'noRoute:streamAgentRunEvents'),
  )
  await configure(app, { name: 'Weekly' })
  expect((await elsewhere.call('start_agent_run', { config: 'Weekly', wait_seconds: 5 })).text).toMatch(
    /^Started\. The agent run of Weekly \(probe\) is queued/,
  )
})
