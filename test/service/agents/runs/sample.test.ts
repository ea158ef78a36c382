import { expect, test } from 'vitest'
import { agentTypes } from '../../../../src/service/agents/types/list.ts'
import { startSampleApp } from '../../../sample-app.ts'
import { reach, readKinds, start, type Config } from '../probes.ts'

test('every agent of the sample shop succeeds with its own input, and reports progress', async () => {
  await using app = await startSampleApp()
  const path = `/v1/products/${app.productId}/agent-configs`
  const { agent_configs: configs } = (await app.request<{ agent_configs: Config[] }>('GET', path)).body
  expect(configs.map((config) => [config.agent_type_id, config.name])).toEqual(
    agentTypes.map(({ id, title }) => [id, title]),
  )
  const ids = await Promise.all(configs.map(({ id }) => start(app, id)))
  for (const id of ids) {
    const run = await reach(app, id)
    expect([run.agent_type_id, run.state, run.error]).toEqual([run.agent_type_id, 'AGENT_RUN_STATE_SUCCEEDED', null])
    expect(run.summary).not.toBe('')
    expect(await readKinds(app, id)).toContain('PROGRESS')
  }
  expect(app.logged).toEqual([])
})
