import * as z from 'zod'
import { AgentConfig as ConfigSchema } from '../src/contract/agents.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { configLabel, configsCall } from '../src/mcp/resolve/find-agent.ts'
import type { AgentConfig, Product } from '../src/mcp/resolve/types.ts'
import { fields, flag, pick } from '../src/mcp/result/output.ts'
import { inputText } from './support/agents/input-json.ts'
import { stateWord } from './support/agents/states.ts'
import { factList, removeThing } from './support/deleting/remove.ts'
import { PREVIEW } from './support/words.ts'
import { READ_BACK } from './support/writes/outcome.ts'

export const deleteAgentConfig = defineTool({
  name: 'delete_agent_config',
  toolset: 'agents',
  effect: 'delete',
  unconfirmed: 'ask the user to delete it in the web interface',
  title: 'Delete an agent config',
  description: 'Delete (remove, get rid of) an agent config, once the user confirms. Its active runs are cancelled.',
  input: z.strictObject({
    product: parameters.Product,
    config: parameters.named('Agent config by name or id.', z.string()),
    reason: parameters.named('Why; people see it.', z.string().trim().min(1).max(1000)),
    dry_run: parameters.DryRun,
    confirmation: parameters.Confirmation,
  }),
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['deleted', 'would_delete']),
    config: fields({ ...pick(ConfigSchema, 'id', 'name'), type: ConfigSchema.shape.agent_type_id }),
  }),

  async confirm(args, context) {
    const { config, product } = await context.resolve.agentConfig(args.config, args.product)
    const { id, name, last_run: last } = config
    return {
      asks: `Delete the agent config ${configLabel(config)}`,
      product,
      facts: factList({
        'agent type': config.agent_type_id,
        input: inputText(config.input),
        'last run': last === undefined ? undefined : (stateWord(last?.state) ?? 'none'),
        cancelled: 'its runs that have not ended',
      }),
      key: name === undefined || name === '' ? id : name,
      undo: 'create_agent_config with the same input',
      state: stateDigest([id, config.etag, config.input, last?.id]),
    }
  },

  async run({ dry_run: dryRun, ...args }, context) {
    const { config, product } = await context.resolve.agentConfig(args.config, args.product)
    const isReadBack = !dryRun && (await remove(config, product, context))
    const label = configLabel(config)
    return {
      answer: dryRun
        ? `${PREVIEW}would delete agent config ${label} and cancel its active runs.`
        : `Deleted agent config ${label}; its active runs are cancelled.${isReadBack ? READ_BACK : ''}`,
      product,
      data: {
        dry_run: dryRun,
        outcome: dryRun ? ('would_delete' as const) : ('deleted' as const),
        config: { ...config, type: config.agent_type_id },
      },
      next: [configsCall(product.id)],
    }
  },
})

/** True where the reply was lost and a read shows that it is gone. */
function remove({ id, etag }: AgentConfig, product: Product, { api, signal }: Context): Promise<boolean> {
  return removeThing({
    noun: 'agent configs',
    remove: () => api.deleteAgentConfig({ id, ...(etag !== undefined && { etag }) }, { signal }),
    read: () => api.getAgentConfig({ id }, { signal }),
    check: configsCall(product.id),
  })
}
