import * as z from 'zod'
import { ServiceError } from '../src/errors.ts'
import type { JsonObject } from '../src/lib/objects.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { defineTool, type Context, type Question } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { configArgument, configLabel } from '../src/mcp/resolve/find-agent.ts'
import { mayBeId } from '../src/mcp/resolve/ids.ts'
import { isNotOffered, notOffered } from '../src/mcp/resolve/offered.ts'
import type { AgentConfig, AgentRun, Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { flag, teamLine, upTo } from '../src/mcp/result/output.ts'
import { USUAL_ROWS } from '../src/mcp/result/page.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { followRun } from './support/agents/follow.ts'
import { InputJson, inputRefused, inputText, readInput } from './support/agents/input-json.ts'
import { WAIT_SECONDS } from './support/agents/next-steps.ts'
import { runCuts, runOutput } from './support/agents/run-output.ts'
import { runTask } from './support/agents/run-task.ts'
import { describeRun, showRun } from './support/agents/show-run.ts'
import { needsPerson, onceConfirmed, readTypes, writesWords, type AgentType } from './support/agents/types.ts'
import { factList } from './support/deleting/remove.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, mayBeDone, unknownOutcome } from './support/writes/outcome.ts'

const input = z.strictObject({
  product: parameters.Product,
  config: z.string().describe('Its name, id or agent type.'),
  input_json: InputJson,
  wait_seconds: parameters.WaitSeconds,
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})
type Arguments = z.output<typeof input>

export const startAgentRun = defineTool({
  name: 'start_agent_run',
  toolset: 'agents',
  effect: 'create',
  unconfirmed: 'ask the user to start it in the web interface',
  title: 'Start an agent run',
  description:
    'Start (trigger, kick off) a background agent run: bisect a regression to its first bad release, triage, scan gaps, ' +
    'flaky tests or source maps, lint requirements, suggest links between tests and requirements. Only when the user asked; one that may write needs a confirmation. ' +
    'Follow it with get_agent_run.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    would_start: z.array(upTo(teamLine, 600)).optional(),
    ...runOutput.shape,
  }),
  cuts: runCuts,
  task: runTask,

  async confirm(args, context) {
    const starting = await readStarting(args, context)
    const { config, product, type, given } = starting
    return {
      asks: `Start a run of the agent ${configLabel(config)}`,
      product,
      facts: startFacts(starting),
      key: configLabel(config),
      undo: 'cancel_agent_run while it runs; the result of a finished run names what it wrote',
      state: stateDigest([config.id, config.etag, config.input, type?.version, type?.writes, given]),
    }
  },

  async run({ dry_run: dryRun, wait_seconds: seconds, ...args }, context) {
    const starting = await readStarting(args, context)
    const { config, product } = starting
    if (dryRun) {
      return {
        answer: `${PREVIEW}would start a run of the agent ${configLabel(config)}${onceConfirmed(starting.type)}.`,
        product,
        data: { dry_run: true, would_start: startFacts(starting).map(({ label, value }) => `${label}: ${value}`) },
      }
    }
    if (needsPerson(starting.type)) context.requirePerson("a run that may write needs a person's confirmation")
    const run = await start(starting, context)
    // It is started: what cannot be read afterwards is no reason to report a failure.
    const followed = seconds === 0 ? undefined : await ifReadable(follow(run, { product, seconds }, context))
    const shown = followed ?? describeRun({ run, product, config, events: undefined })
    return { ...shown, answer: `Started. ${shown.answer}` }
  },
})

async function follow(run: AgentRun, { product, seconds }: { product: Product; seconds: number }, context: Context) {
  return showRun({ run: await followRun(run, seconds, context), product, limit: USUAL_ROWS }, context)
}

interface Starting {
  config: AgentConfig
  product: Product
  /** Undefined where the deployment does not say it. */
  type: AgentType | undefined
  /** What the caller adds to the input of the config. */
  given: JsonObject | undefined
}

async function readStarting(
  args: Pick<Arguments, 'product' | 'config' | 'input_json'>,
  context: Context,
): Promise<Starting> {
  const given = readInput(args.input_json)
  const { config, product } = await context.resolve.agentConfig(args.config, args.product)
  const type = (await readTypes(context))?.find(({ id }) => id === config.agent_type_id)
  return { config, product, type, given }
}

/** What a person is shown. */
function startFacts({ config, type, given }: Starting): Question['facts'] {
  return factList({
    'agent type': config.agent_type_id,
    'what it does': type?.description,
    'may write': type === undefined ? 'not stated' : writesWords(type),
    'input of the config': inputText(config.input),
    'input that the agent adds': inputText(given),
    'may take': config.timeout_seconds === undefined ? undefined : `${String(config.timeout_seconds)} s`,
  })
}

/** Starts the run, once: a reply that is lost leaves its outcome unknown. */
async function start({ config, product, given }: Starting, { api, signal, confirmed }: Context): Promise<AgentRun> {
  const request = {
    agent_config_id: config.id,
    ...(given !== undefined && { input: given }),
    ...(confirmed !== undefined && { request_id: confirmed.nonce }),
  }
  const place = { product: product.id, config: configArgument(config) }
  try {
    return (await api.startAgentRun(request, { signal })).agent_run
  } catch (error) {
    if (mayBeDone(error)) throw unknownOutcome(error, { next: nextCall('get_agent_run', place, 'lists its runs') })
    if (error instanceof ServiceError) throw explainRefusal(error, place)
    throw error
  }
}

function explainRefusal(error: ServiceError, place: Readonly<Record<string, string>>): Error {
  const { code, reason, violations, metadata } = error
  const details = { reason, violations, metadata, cause: error }
  const { run_id: active } = metadata
  switch (reason) {
    case 'RUN_ALREADY_ACTIVE': {
      const wait = { run: active, wait_seconds: WAIT_SECONDS }
      const hasId = active !== undefined && mayBeId(active)
      const next = hasId
        ? nextCall('get_agent_run', wait, 'follows it')
        : nextCall('get_agent_run', place, 'lists its runs')
      return new TeachingError(code, 'a run of this agent config is active already', { next }, details)
    }
    case 'INPUT_SCHEMA':
      return inputRefused(error, nextCall('get_agent_config', place, 'what it takes'))
    case 'CONFIG_DISABLED':
      return new TeachingError(
        code,
        'this agent config is disabled',
        { hint: 'start another one, or create one with create_agent_config.' },
        details,
      )
    case 'TOO_MANY_RUNS':
      return new TeachingError(
        code,
        'too many runs of this product wait to be started',
        { next: nextCall('get_agent_run', place, 'lists its runs'), hint: 'start it later.' },
        details,
      )
    default:
      return isNotOffered(error) ? notOffered('the start of agent runs', START_ELSEWHERE, error) : error
  }
}

const START_ELSEWHERE = { hint: 'ask the user to start it in the web interface.' }
