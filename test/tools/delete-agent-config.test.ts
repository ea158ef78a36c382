import { expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { yesTo } from '../mcp/say-yes.ts'
import { configure, heldProbe, reach, start, startAgentApp, until } from '../service/agents/probes.ts'
import { shown } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

const options = { toolsets: ['default', 'agents'] }
const args = { config: 'Nightly', reason: 'no longer needed' }

async function startConfigured() {
  let ids = 0
  const held = heldProbe()
  const newId = () => `00000000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}`
  const platform = { now: () => Date.UTC(2026, 10, 21, 12), newId }
  const app = await startAgentApp({ agentTypes: [held.type], platform })
  return { app, held, config: await configure(app, { name: 'Nightly', input: { limit: 3 } }) }
}

test('delete_agent_config shows a person what is deleted, and cancels its active runs', async () => {
  const { app, held, config } = await startConfigured()
  await using _ = app
  const run = await start(app, config)
  await until(() => held.started[0])
  const asked: string[] = []
  await using agent = await connect(app.api, { options, user: yesTo(asked) })
  expect(shown(await agent.call('delete_agent_config', args))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Deleted agent config Nightly; its active runs are cancelled.",
        "data": {
          "config": {
            "id": "00000000-0000-7000-8000-000000000006",
            "name": "Nightly",
            "type": "probe",
          },
          "outcome": "deleted",
        },
        "next_actions": [
          {
            "args": {
              "include": [
                "agent_configs",
              ],
              "product": "1",
            },
            "tool": "get_workspace_context",
            "why": "lists agent configs",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Deleted agent config Nightly; its active runs are cancelled.
    product: My product (id 1)
    outcome: deleted
    config: id=00000000-0000-7000-8000-000000000006, name=Nightly, type=probe
    Next:
    - get_workspace_context {"product":"1","include":["agent_configs"]} (lists agent configs)",
    }
  `)
  expect(asked[0]?.split('\n').slice(0, 9)).toMatchInlineSnapshot(`
          [
            "Delete the agent config Nightly",
            "product: My product (id 1)",
            "agent type: probe",
            "input: {"limit":3}",
            "last run: running",
            "cancelled: its runs that have not ended",
            "recorded as: Owner (user 00000000-0000-7000-8000-000000000002)",
            "undo: create_agent_config with the same input",
            "reason that the agent gives: "no longer needed"",
          ]
        `)
  held.release()
  expect((await reach(app, run)).state).toBe('AGENT_RUN_STATE_CANCELLED')
  expect((await agent.call('delete_agent_config', args)).text).toContain('there is no agent config yet')
})

test('a preview and a no delete nothing', async () => {
  const { app } = await startConfigured()
  await using _ = app
  await using agent = await connect(app.api, { options, user: () => ({ action: 'decline' }) })
  expect((await agent.call('delete_agent_config', { ...args, dry_run: true })).text).toMatch(
    /^Preview, nothing written: would delete agent config Nightly/,
  )
  expect((await agent.call('delete_agent_config', args)).text).toContain('declined, or never shown')
  expect((await app.api.listAgentConfigs({ product_id: app.productId })).agent_configs).toHaveLength(1)
})

test('a reply that is lost is looked for by a read', async () => {
  const { app } = await startConfigured()
  await using _ = app
  await using elsewhere = await connectElsewhere(app, (send) => losing(send, '502'))
  const asked = await elsewhere.call('delete_agent_config', args)
  const [, confirmation = ''] = /^confirmation: (\S+)$/m.exec(asked.text) ?? []
  const { text } = await elsewhere.call('delete_agent_config', { ...args, confirmation })
  expect(text).toMatch(/^Deleted agent config Nightly; .*read again, it is done\./)
})
