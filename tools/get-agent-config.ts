import * as z from 'zod'
import { AgentConfig as ConfigSchema, AgentType as TypeSchema } from '../src/contract/agents.ts'
import { counted } from '../src/lib/counted.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { configLabel, configsCall } from '../src/mcp/resolve/find-agent.ts'
import { inOneProduct } from '../src/mcp/resolve/find-product.ts'
import type { Product } from '../src/mcp/resolve/types.ts'
import { ifOffered, notOfferedSentence } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, pick, rows, teamLine, upTo } from '../src/mcp/result/output.ts'
import { inputText } from './support/agents/input-json.ts'
import { agentRun, runRow, runState, runSummary } from './support/agents/run-output.ts'
import { inputNames, inputRows, readTypes, requireTypes, writesWords, type AgentType } from './support/agents/types.ts'

/** Runs that are shown of one config. */
const RUNS = 5

export const getAgentConfig = defineTool({
  name: 'get_agent_config',
  toolset: 'agents',
  effect: 'read',
  title: 'Agent configs and agent types',
  description:
    'Show one agent config with its agent type, input and last runs; without config the agent types there are: what each ' +
    'background agent is for, what it writes and which input it takes.',
  input: z.strictObject({
    product: parameters.Product,
    config: parameters.named('Agent config by name or id.', z.string().optional()),
  }),
  output: z.object({
    config: fields({
      ...pick(ConfigSchema, 'id', 'name'),
      type: ConfigSchema.shape.agent_type_id,
      ...pick(ConfigSchema, 'enabled', 'timeout_seconds', 'created_at'),
      created_by: ConfigSchema.shape.created_by.shape.display_name,
      input: upTo(teamLine, 1_000),
    }).optional(),
    type: fields({ ...pick(TypeSchema, 'title', 'description', 'version'), may_write: z.string() }).optional(),
    input_members: rows({ name: z.string(), type: z.string(), usual: z.string(), meaning: z.string() }).optional(),
    runs: rows(runState).optional(),
    types: rows({ ...pick(TypeSchema, 'id', 'description'), may_write: z.string(), input: z.string() }).optional(),
  }),

  async run({ product: given, config: named }, context) {
    if (named === undefined) return listTypes(given, context)
    const { api, resolve, signal } = context
    const { config, product } = await resolve.agentConfig(named, given)
    const [types, runs] = await Promise.all([
      readTypes(context),
      ifOffered(api.listAgentRuns({ agent_config_id: config.id, page_size: RUNS }, { signal })),
    ])
    const type = types?.find(({ id }) => id === config.agent_type_id)
    const last = runs?.agent_runs.slice(0, RUNS) ?? []
    const missing = notOfferedSentence([types === undefined && 'agent types', runs === undefined && 'lists of runs'])
    return {
      answer: `Agent config ${configLabel(config)}${lastWords(runs && last.length)}.${missing}`,
      product,
      data: {
        config: {
          ...config,
          type: config.agent_type_id,
          created_by: config.created_by?.display_name,
          input: inputText(config.input),
        },
        type: type && { ...type, may_write: writesWords(type) },
        input_members: type && inputRows(type),
        runs: last.map(runRow),
      },
      untrusted: {
        ...agentRun,
        content: { runs: last.map(runSummary) },
      },
      next: [last[0] && nextCall('get_agent_run', { run: last[0].id }, 'its newest run with the output')],
    }
  },
})

function lastWords(count: number | undefined): string {
  if (count === undefined) return ''
  return count === 0
    ? '; it has not run yet'
    : `; its last ${count === 1 ? 'run is' : `${String(count)} runs are`} shown`
}

async function listTypes(given: string | undefined, context: Context) {
  const product = given === undefined ? undefined : await context.resolve.product(given)
  const [types, products] = await Promise.all([requireTypes(context), ifOffered(context.resolve.products())])
  return {
    answer: `${counted(types.length, 'agent type')}. Runs are started from a config of one of these types.`,
    product,
    data: { types: types.map(typeRow) },
    next: [await nextOfTypes(types, { product, products, context })],
  }
}

interface Listed {
  product: Product | undefined
  products: readonly Product[] | undefined
  context: Context
}

/** The configs of the product; without any, the call that makes the first one. */
async function nextOfTypes(types: readonly AgentType[], { product, products = [], context }: Listed) {
  const only = product ?? (products.length === 1 ? products[0] : undefined)
  const configs = only && (await ifOffered(context.resolve.agentConfigs(only.id)))
  if (only !== undefined && configs?.rows.length === 0 && context.offers('create_agent_config')) {
    const args = { product: only.id, type: types[0]?.id }
    return nextCall('create_agent_config', args, 'the product has no config yet; with the type that the user needs')
  }
  return inOneProduct(configsCall(product?.id), product, products)
}

function typeRow(type: AgentType) {
  return { ...type, may_write: writesWords(type), input: inputNames(type) }
}
