import * as z from 'zod'
import { definePrompt } from '../src/mcp/define/define.ts'
import { agentConfigNames, agentRunIds, productNames } from '../src/mcp/surface/suggest.ts'
import { idText } from '../src/mcp/text/id-text.ts'

const steps = [
  'Without a run: call get_agent_run with config for the newest runs of an agent. get_workspace_context with include agent_configs names the agents.',
  'If there is no run yet, call start_agent_run, but only when the user asked for one. A person confirms it.',
  'Call get_agent_run with wait_seconds 20. While the run is active, tell the user its progress in one sentence and call again, with after_event as the last result says.',
  'If the run failed, say why and what fixes it. Do not start it again by yourself.',
  'Say what the run found, most important first, and what its output leaves out.',
  'Offer the next call that the result names. What the run drafted on a quality branch waits for review_branch and for a person; write nothing that the user has not decided.',
]

export const followAgentRun = definePrompt({
  name: 'follow_agent_run',
  title: 'Follow an agent run',
  description:
    'Follow a run of a background agent to its end, explain what it found, and go on from there with the user.',
  args: {
    product: z.string().optional().describe('Product id or name.'),
    config: z.string().optional().describe('Agent config, for its newest run.'),
    run: z.string().optional().describe('Id of the run.'),
  },
  suggest: { product: productNames, config: agentConfigNames, run: agentRunIds },
  tools: ['get_agent_run'],
  when: 'Use when the user asks about a background agent or one of its runs.',
  task: ({ product, config, run }) => [
    'Follow a run of a background agent and explain its result to the user.',
    ...(product === undefined ? [] : [`Product: ${idText(product)}.`]),
    ...(config === undefined ? [] : [`Agent config: ${idText(config)}.`]),
    ...(run === undefined ? [] : [`Run: ${idText(run)}.`]),
  ],
  steps,
})
