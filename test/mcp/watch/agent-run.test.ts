import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { configure, heldProbe, reach, start, startAgentApp, until } from '../../service/agents/probes.ts'
import { virtualClock } from '../../virtual-clock.ts'
import { connect } from '../clients.ts'

test('who subscribes to an agent run hears of its end within two seconds, and reads it then', async () => {
  const held = heldProbe()
  const clock = virtualClock()
  await using app = await startAgentApp({ agentTypes: [held.type] })
  await using agent = await connect(app.api, { era: '2025-11-25', clock })
  const client = agent.client as Client
  const updates: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri))
  const run = await start(app, await configure(app))
  await until(() => held.started[0])
  const uri = `tracegate://agent-run/${run}`
  await client.subscribeResource({ uri })
  held.release()
  await reach(app, run)
  clock.pass(2_000)
  await expect.poll(() => updates).toEqual([uri])
  const { contents } = await client.readResource({ uri })
  expect((contents[0] as { text: string }).text).toMatch(/^The agent run of Probe \(probe\) succeeded\./)
})
