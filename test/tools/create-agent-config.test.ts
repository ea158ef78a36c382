import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { sayYes, yesTo } from '../mcp/say-yes.ts'
import { probe, startAgentApp } from '../service/agents/probes.ts'
import { shown } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

const options = { toolsets: ['default', 'agents'] }
const args = { type: 'probe', name: 'Nightly', input_json: '{"limit":3}', timeout_seconds: 60 }

let app: App
beforeAll(async () => {
  let ids = 0
  const newId = () => `00000000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}`
  const platform = { now: () => Date.UTC(2026, 10, 21, 12), newId }
  app = await startAgentApp({ agentTypes: [probe(undefined, { writes: ['link_proposals'] })], platform })
})
afterAll(() => app.close())

const names = async () =>
  (await app.api.listAgentConfigs({ product_id: app.productId })).agent_configs.map(({ name }) => name)

test('a preview and a no create nothing', async () => {
  await using agent = await connect(app.api, { options, user: () => ({ action: 'decline' }) })
  expect((await agent.call('create_agent_config', { ...args, dry_run: true })).text).toMatch(
    /^Preview, nothing written: would create agent config Nightly/,
  )
  expect((await agent.call('create_agent_config', args)).text).toContain('declined, or never shown')
  expect(await names()).toEqual([])
})

test('create_agent_config tells a person what its runs may write, and creates it once they agree', async () => {
  const asked: string[] = []
  await using agent = await connect(app.api, { options, user: yesTo(asked) })
  expect(shown(await agent.call('create_agent_config', args))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Created agent config Nightly. Nothing runs before start_agent_run.",
        "data": {
          "config": {
            "id": "00000000-0000-7000-8000-000000000032",
            "input": "{"limit":3}",
            "name": "Nightly",
            "timeout_seconds": 60,
            "type": "probe",
          },
          "may_write": "link proposals",
          "outcome": "created",
          "undo": "delete_agent_config",
        },
        "next_actions": [
          {
            "args": {
              "config": "Nightly",
              "product": "1",
            },
            "tool": "start_agent_run",
            "why": "its first run, if the user wants it",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Created agent config Nightly. Nothing runs before start_agent_run.
    product: My product (id 1)
    outcome: created
    config: id=00000000-0000-7000-8000-000000000032, name=Nightly, type=probe, timeout_seconds=60, input={"limit":3}
    may_write: link proposals
    undo: delete_agent_config
    Next:
    - start_agent_run {"product":"1","config":"Nightly"} (its first run, if the user wants it)",
    }
  `)
  expect(asked[0]?.split('\n').slice(0, 8)).toMatchInlineSnapshot(`
          [
            "Create the agent config Nightly",
            "product: My product (id 1)",
            "agent type: probe",
            "what it does: Does what a test says.",
            "its runs may write: link proposals",
            "input that the agent gives: {"limit":3}",
            "a run may take: 60 s",
            "recorded as: Owner (user 00000000-0000-7000-8000-000000000002)",
          ]
        `)
  const again = await agent.call('create_agent_config', args)
  expect(again.text).toMatch(/already_exists[^]*existing: id 0{8}-/)
})

test('a type that is not there, and an input that does not fit, name what is valid', async () => {
  await using agent = await connect(app.api, { options, user: sayYes })
  expect((await agent.call('create_agent_config', { type: 'bisect' })).text).toMatch(
    /agent type not found \(not_found\)[^]*expected: one of probe/,
  )
  const { text } = await agent.call('create_agent_config', { type: 'probe', input: { limit: 0 } })
  expect(text).toMatch(/expected: input\.limit[^]*next: get_agent_config \{\}/)
})

test('a reply that is lost is looked for in the list', async () => {
  await using elsewhere = await connectElsewhere(app, (send) => losing(send, '502'))
  const other = { ...args, name: 'Weekly' }
  const asked = await elsewhere.call('create_agent_config', other)
  const [, confirmation = ''] = /^confirmation: (\S+)$/m.exec(asked.text) ?? []
  const { text } = await elsewhere.call('create_agent_config', { ...other, confirmation })
  expect(text).toMatch(/^Created agent config Weekly\. .*read again, it is done\./)
  expect(elsewhere.writes().filter((write) => write.endsWith('/agent-configs'))).toHaveLength(1)
})
