import { defineResourceTemplate } from '../src/mcp/define/define.ts'
import { agentRunIds } from '../src/mcp/surface/suggest.ts'

export const agentRun = defineResourceTemplate({
  name: 'agent-run',
  uriTemplate: 'tracegate://agent-run/{run}',
  title: 'Agent run',
  description: 'How an agent run stands, with its newest events and its output, as get_agent_run shows it.',
  tool: 'get_agent_run',
  args: ({ run }) => ({ run }),
  suggest: { run: agentRunIds },
  async watch({ run: named = '' }, { resolve }) {
    const { run } = await resolve.agentRun(named, undefined)
    return { value: [run.state, run.last_sequence, run.finished_at, run.progress], isMoving: run.finished_at === null }
  },
})
