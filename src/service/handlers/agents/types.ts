import type { AgentDefinition } from '../../agents/define.ts'
import { viewType } from '../../agents/configs/type-view.ts'
import { cutPage, readPage } from '../../shared/paging.ts'
import type { Handlers } from '../../shared/context.ts'

/** Handlers of agent types. */
export function agentTypeHandlers({ types }: { types: readonly AgentDefinition[] }) {
  return {
    listAgentTypes(input, call) {
      const page = readPage(call, input)
      const start = types.findIndex(({ id }) => id === page.after?.id) + 1
      const rows = types.slice(start, start + page.size + 1)
      const cut = cutPage(page, rows, types.length, ({ id }) => ({ sortValue: '', id }))
      return Promise.resolve({ agent_types: cut.rows.map(viewType), ...cut.paging })
    },
  } satisfies Handlers<'listAgentTypes'>
}
