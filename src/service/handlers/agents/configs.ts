import type { AgentDefinition } from '../../agents/define.ts'
import { parseInput, requireType } from '../../agents/configs/input.ts'
import { createConfig, deleteConfig, listConfigRows, requireConfig } from '../../agents/configs/store.ts'
import { viewConfigs } from '../../agents/configs/view.ts'
import { cancelActiveRuns } from '../../agents/runs/cancel.ts'
import type { Handlers } from '../../shared/context.ts'
import { readPage } from '../../shared/paging.ts'
import { requireProduct } from '../../workspace/access.ts'

interface ConfigOptions {
  types: readonly AgentDefinition[]
  /** Called after the cancellation of a run was committed. */
  onCancelled: (runId: string) => void
}

/** Handlers of agent configs. */
export function agentConfigHandlers({ types, onCancelled }: ConfigOptions) {
  return {
    async listAgentConfigs(input, call) {
      const { db, principal } = call
      const product = await requireProduct(db.read, principal, input.product_id)
      const { rows, paging } = await listConfigRows(db.read, { productId: product.id, page: readPage(call, input) })
      return { agent_configs: await viewConfigs(db.read, rows), ...paging }
    },

    async getAgentConfig({ id }, call) {
      const { config: row } = await requireConfig(call.db.read, call.principal, id)
      const [config] = await viewConfigs(call.db.read, [row])
      return { agent_config: config! }
    },

    async createAgentConfig({ product_id: productId, agent_type_id: typeId, ...facts }, call) {
      return call.db.write(async (rows) => {
        const product = await requireProduct(rows, call.principal, productId)
        const type = requireType(types, typeId)
        parseInput(type, facts.input ?? {})
        const row = await createConfig(rows, call, { ...facts, product, type })
        const [config] = await viewConfigs(rows, [row])
        return { agent_config: config! }
      })
    },

    async deleteAgentConfig({ id, etag }, call) {
      const cancelled = await call.db.write(async (rows, prepare) => {
        const { config } = await requireConfig(rows, call.principal, id)
        await deleteConfig(rows, call, { config, etag })
        return cancelActiveRuns({ rows, prepare }, call, { configId: id, reason: 'the agent config was deleted' })
      })
      for (const runId of cancelled) onCancelled(runId)
      return {}
    },
  } satisfies Handlers<'listAgentConfigs' | 'getAgentConfig' | 'createAgentConfig' | 'deleteAgentConfig'>
}
