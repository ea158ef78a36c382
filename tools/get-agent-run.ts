import * as z from 'zod'
import { counted } from '../src/lib/counted.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { configArgument, configLabel } from '../src/mcp/resolve/find-agent.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { rows } from '../src/mcp/result/output.ts'
import { describePage, MOST_ROWS, USUAL_ROWS } from '../src/mcp/result/page.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { followRun } from './support/agents/follow.ts'
import { agentRun, runCuts, runOutput, runRow, runState, runSummary } from './support/agents/run-output.ts'
import { showRun } from './support/agents/show-run.ts'

export const getAgentRun = defineTool({
  name: 'get_agent_run',
  toolset: 'default',
  effect: 'read',
  title: 'Follow an agent run',
  description:
    'Follow a run of a background agent (bisect, triage, scan, link suggestions): is it done, why did it stop or fail, ' +
    'progress, latest events, result; or list the newest runs of an agent config. wait_seconds waits until it ends.',
  input: z.strictObject({
    product: parameters.Product,
    run: z.string().optional().describe('Run id, as start_agent_run or get_agent_run with config gives it.'),
    config: z.string().optional().describe('To list its newest runs.'),
    after_event: z.int().min(0).max(1_000_000_000).optional().describe('last_event of the previous result.'),
    wait_seconds: parameters.WaitSeconds,
    detail: parameters.Detail,
  }),
  output: z.object({ ...runOutput.shape, runs: rows(runState).optional() }),
  cuts: runCuts,

  async run({ run: given, config, product, after_event: after, wait_seconds: seconds, detail }, context) {
    const limit = detail === 'full' ? MOST_ROWS : USUAL_ROWS
    if (given !== undefined && config === undefined) {
      const found = await context.resolve.agentRun(given, product)
      return showRun({ ...found, run: await followRun(found.run, seconds, context), after, limit }, context)
    }
    if (config !== undefined && given === undefined) return listRuns(config, product, { limit, context })
    throw new TeachingError('invalid_argument', 'pass either run or config', {
      sent: given === undefined ? 'neither run nor config' : 'run and config',
      expected: 'run to follow one run, or config to list the newest runs of an agent config',
    })
  },
})

const HOW_TO_START = 'Call start_agent_run if the user wants one.'

/** The newest runs of a config. */
async function listRuns(
  given: string,
  productGiven: string | undefined,
  { limit, context }: { limit: number; context: Context },
) {
  const { api, resolve, signal } = context
  const { config, product } = await resolve.agentConfig(given, productGiven)
  const response = await api
    .listAgentRuns({ agent_config_id: config.id, page_size: limit }, { signal })
    .catch(explainNotOffered('the list of agent runs', { hint: 'get_agent_run still reads a run by its id.' }))
  const runs = response.agent_runs.slice(0, limit)
  const page = describePage(response, runs.length, undefined)
  const label = configLabel(config)
  const what = page.total === undefined ? 'Agent runs' : counted(page.total, 'agent run')
  const none = `Agent config ${label} has no runs yet. ${sentencesOffered(HOW_TO_START, context.offers)}`
  return {
    answer: (runs.length === 0 ? none : `${what} of ${label}, newest first; ${page.range}. ${page.notes}`).trim(),
    product,
    data: { runs: runs.map(runRow) },
    untrusted: { ...agentRun, content: { runs: runs.map(runSummary) } },
    next: [
      runs[0]
        ? nextCall('get_agent_run', { run: runs[0].id }, 'the newest with its output')
        : nextCall('get_agent_config', { product: product.id, config: configArgument(config) }, 'what it does'),
    ],
  }
}
