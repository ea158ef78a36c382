import * as z from 'zod'
import { AgentType } from '../src/contract/agents.ts'
import { defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { pick, rows } from '../src/mcp/result/output.ts'
import { describePage } from '../src/mcp/result/page.ts'

export const listAgentTypes = defineTool({
  name: 'list_agent_types',
  toolset: 'agents',
  effect: 'read',
  title: 'List built-in agent types',
  description: 'List the kinds of built-in agents that a configuration can use, each with what it reads and writes.',
  input: z.strictObject({ limit: parameters.Limit, cursor: parameters.Cursor }),
  output: z.object({ rows: rows({ id: AgentType.shape.id, ...pick(AgentType, 'title', 'description') }) }),
  cuts: [{ path: 'rows' }],

  async run({ limit, cursor }, { api, signal }) {
    const response = await api.listAgentTypes({ page_size: limit, page_token: cursor }, { signal })
    const types = response.agent_types
    return {
      answer: `${types.length} agent types.`,
      data: { rows: types.map(({ id, title, description }) => ({ id, title, description })) },
      page: describePage(response, types.length, cursor),
    }
  },
})
