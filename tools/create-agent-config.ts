import * as z from 'zod'
import { AgentConfig as ConfigSchema } from '../src/contract/agents.ts'
import type { InputOf } from '../src/contract/index.ts'
import { ServiceError } from '../src/errors.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { configArgument, configLabel, configsCall } from '../src/mcp/resolve/find-agent.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import type { AgentConfig, Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag, pick, teamLine, upTo } from '../src/mcp/result/output.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { teamText } from '../src/mcp/text/team.ts'
import { isSameName } from '../src/mcp/text/untrusted.ts'
import { InputJson, inputRefused, inputText, isInputRefused, readInput } from './support/agents/input-json.ts'
import { needsPerson, onceConfirmed, requireType, writesWords, type AgentType } from './support/agents/types.ts'
import { factList } from './support/deleting/remove.ts'
import { isTracegate } from './support/is-tracegate.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, mayBeDone, READ_BACK, unknownOutcome } from './support/writes/outcome.ts'

const input = z.strictObject({
  product: parameters.Product,
  type: z.string().min(1).max(60).describe('Agent type, from get_agent_config.'),
  name: parameters.named('Its name.', z.string().trim().min(1).max(120).optional()),
  input_json: InputJson,
  timeout_seconds: parameters.named('What a run may take.', z.int().min(1).max(1800).optional()),
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})
type Arguments = z.output<typeof input>

export const createAgentConfig = defineTool({
  name: 'create_agent_config',
  toolset: 'agents',
  effect: 'create',
  unconfirmed: 'ask the user to create it in the web interface',
  title: 'Create an agent config',
  description:
    'Create (set up, configure) a background agent for a product: an agent type with a name and input. One that may write needs a confirmation. ' +
    'It runs nothing yet.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['created', 'would_create']),
    config: fields({
      id: z.string().optional(),
      ...pick(ConfigSchema, 'name'),
      type: ConfigSchema.shape.agent_type_id,
      ...pick(ConfigSchema, 'timeout_seconds'),
      input: upTo(teamLine, 1_000),
    }),
    may_write: z.string().optional(),
    undo: z.string().optional(),
  }),

  async confirm(args, context) {
    const { product, type, request } = await readRequest(args, context)
    return {
      asks: `Create the agent config ${teamText(args.name ?? type.title ?? type.id)}`,
      product,
      facts: factList({
        'agent type': type.id,
        'what it does': type.description,
        'its runs may write': writesWords(type),
        'input that the agent gives': inputText(request.input),
        'a run may take': args.timeout_seconds === undefined ? undefined : `${String(args.timeout_seconds)} s`,
      }),
      key: args.name ?? type.id,
      undo: 'delete_agent_config',
      state: stateDigest([request, type.version, type.writes]),
    }
  },

  async run(args, context) {
    const { product, type, request } = await readRequest(args, context)
    if (args.dry_run) return previewAnswer({ product, type, request }, context)
    if (needsPerson(type)) context.requirePerson("an agent config whose runs may write needs a person's confirmation")
    const { config, isReadBack } = await create(request, product, context)
    const place = { product: product.id, config: configArgument(config) }
    return {
      answer:
        `Created agent config ${configLabel(config)}.${isReadBack ? READ_BACK : ''} ${sentencesOffered(HOW_TO_RUN, context.offers)}`.trim(),
      product,
      data: {
        outcome: 'created' as const,
        config: { ...config, type: config.agent_type_id, input: inputText(config.input) },
        may_write: writesWords(type),
        undo: context.offers('delete_agent_config') ? 'delete_agent_config' : undefined,
      },
      next: [nextCall('start_agent_run', place, 'its first run, if the user wants it')],
    }
  },
})

const HOW_TO_RUN = 'Nothing runs before start_agent_run.'

type Request = InputOf<'createAgentConfig'>

interface Creating {
  product: Product
  type: AgentType
  request: Request
}

/** What would be created. Our service checks it as well. */
async function previewAnswer({ product, type, request }: Creating, context: Context) {
  const { api, signal } = context
  const isChecked = (await ifReadable(isTracegate(context))) === true
  const checked = isChecked
    ? await api
        .createAgentConfig({ ...request, validate_only: true }, { signal })
        .catch((error: unknown) => explainRefusal(error, product))
    : undefined
  const { id: _, ...config } = checked?.agent_config ?? { id: '', ...request }
  return {
    answer: `${PREVIEW}would create agent config ${teamText(config.name ?? type.id)}${onceConfirmed(type)}.`,
    product,
    data: {
      dry_run: true,
      outcome: 'would_create' as const,
      config: { ...config, type: type.id, input: inputText(config.input) },
      may_write: writesWords(type),
    },
  }
}

async function readRequest(args: Arguments, context: Context): Promise<Creating> {
  const product = await context.resolve.product(args.product, { write: true })
  const type = await requireType(args.type, context)
  const given = readInput(args.input_json)
  const request = {
    product_id: product.id,
    agent_type_id: type.id,
    ...(args.name !== undefined && { name: args.name }),
    ...(given !== undefined && { input: given }),
    ...(args.timeout_seconds !== undefined && { timeout_seconds: args.timeout_seconds }),
  }
  return { product, type, request }
}

/** Creates it, once. Where the reply is lost, the config of this name in the list shows that it is done. */
async function create(
  request: Request,
  product: Product,
  context: Context,
): Promise<{ config: AgentConfig; isReadBack: boolean }> {
  const { api, signal, confirmed } = context
  const once = confirmed === undefined ? {} : { request_id: confirmed.nonce }
  try {
    const { agent_config: config } = await api.createAgentConfig({ ...request, ...once }, { signal })
    return { config, isReadBack: false }
  } catch (error) {
    if (!mayBeDone(error)) return explainRefusal(error, product)
    const list = await ifReadable(context.resolve.agentConfigs(product.id))
    const { name } = request
    const found = name === undefined ? undefined : list?.rows.find((row) => isSameName(row.name, name))
    if (found !== undefined) return { config: found, isReadBack: true }
    throw unknownOutcome(error, { next: configsCall(product.id) })
  }
}

function explainRefusal(error: unknown, product: Product): never {
  if (isInputRefused(error)) throw inputRefused(error, nextCall('get_agent_config', {}, 'what each agent type takes'))
  if (error instanceof ServiceError && error.code === 'already_exists') {
    const { code, message, reason, metadata } = error
    throw new TeachingError(code, message, { next: configsCall(product.id) }, { reason, metadata, cause: error })
  }
  return explainNotOffered('the creation of agent configs', {
    hint: 'ask the user to create it in the web interface.',
  })(error)
}
