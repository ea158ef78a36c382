import { setImmediate } from 'node:timers/promises'
import type { Api } from '../../src/client/api.ts'
import type { AgentRun } from '../../src/mcp/resolve/types.ts'
import { isOver } from '../../tools/support/agents/states.ts'

/** Starts a run of a config and resolves to it once it has ended. */
export async function finishedRun(
  api: Pick<Api, 'startAgentRun' | 'getAgentRun'>,
  configId: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<AgentRun> {
  const { agent_run: started } = await api.startAgentRun({ agent_config_id: configId, input })
  for (;;) {
    const { agent_run: run } = await api.getAgentRun({ id: started.id })
    if (isOver(run)) return run
    await setImmediate()
  }
}

/** A run of every agent type there is, each of a config of its own. */
export async function runEveryType(api: Api, productId: string): Promise<AgentRun[]> {
  const { agent_types: types } = await api.listAgentTypes({})
  const runs: AgentRun[] = []
  for (const { id: type } of types) {
    const request = { product_id: productId, agent_type_id: type, name: `every ${type}` }
    const { agent_config: config } = await api.createAgentConfig(request)
    runs.push(await finishedRun(api, config.id))
  }
  return runs
}
