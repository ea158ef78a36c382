import { expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { configure, heldProbe, probe, reach, start, startAgentApp, until } from '../service/agents/probes.ts'
import { shown } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

const options = { toolsets: ['default', 'agents'] }

/** A run that does not end by itself. */
async function startHeld() {
  let ids = 0
  const held = heldProbe()
  const newId = () => `00000000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}`
  const app = await startAgentApp({
    agentTypes: [held.type],
    platform: { now: () => Date.UTC(2026, 10, 21, 12), newId },
  })
  const run = await start(app, await configure(app))
  await until(() => held.started[0])
  return { app, run, release: held.release }
}

test('cancel_agent_run asks for the end of a run, and a second call changes nothing', async () => {
  const { app, run, release } = await startHeld()
  await using _ = app
  await using agent = await connect(app.api, { options })
  expect(shown(await agent.call('cancel_agent_run', { run, reason: 'wrong input' }))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "The run is being cancelled; it ends at its next step.",
        "data": {
          "outcome": "cancelling",
          "run": {
            "id": "00000000-0000-7000-8000-000000000009",
            "state": "cancelling",
            "type": "probe",
          },
        },
        "next_actions": [
          {
            "args": {
              "run": "00000000-0000-7000-8000-000000000009",
              "wait_seconds": 5,
            },
            "tool": "get_agent_run",
            "why": "how it ended",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "The run is being cancelled; it ends at its next step.
    product: My product (id 1)
    outcome: cancelling
    run: id=00000000-0000-7000-8000-000000000009, state=cancelling, type=probe
    Next:
    - get_agent_run {"run":"00000000-0000-7000-8000-000000000009","wait_seconds":5} (how it ended)",
    }
  `)
  expect((await agent.call('cancel_agent_run', { run })).text).toMatch(/^The run was cancelled already/)
  release()
  expect((await reach(app, run)).state).toBe('AGENT_RUN_STATE_CANCELLED')
  expect((await agent.call('get_agent_run', { run })).text).toMatch(/^The agent run of Probe \(probe\) was cancelled\./)
})

test('a preview cancels nothing', async () => {
  const { app, run, release } = await startHeld()
  await using _ = app
  await using agent = await connect(app.api, { options })
  expect((await agent.call('cancel_agent_run', { run, dry_run: true })).text).toMatch(
    /^Preview, nothing written: would cancel the run/,
  )
  release()
  expect((await reach(app, run)).state).toBe('AGENT_RUN_STATE_SUCCEEDED')
})

test('a run that has ended cannot be cancelled, and its result is the next call', async () => {
  await using app = await startAgentApp({ agentTypes: [probe()] })
  await using agent = await connect(app.api, { options })
  const run = await start(app, await configure(app))
  await reach(app, run)
  const { text } = await agent.call('cancel_agent_run', { run })
  expect(text).toContain('the run has ended already: succeeded (failed_precondition: RUN_FINISHED')
  expect(text).toContain(`next: get_agent_run {"run":"${run}"}`)
})

test('a reply that is lost is looked for by a read', async () => {
  const { app, run, release } = await startHeld()
  await using _ = app
  await using elsewhere = await connectElsewhere(app, (send) => losing(send, '502'))
  const { text } = await elsewhere.call('cancel_agent_run', { run })
  expect(text).toMatch(/cancelled.*read again, it is done\./)
  release()
})
