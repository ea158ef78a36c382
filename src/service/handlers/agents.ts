import { agentTypes } from '../agents/types.ts'
import type { Handlers } from '../shared/context.ts'
import { cutPage, readPage } from '../shared/paging.ts'

export const agentHandlers = {
  async listAgentTypes(input) {
    const page = readPage(input)
    const { after } = page
    const left = agentTypes.filter(({ id }) => after === undefined || id > after.id)
    const { rows, paging } = cutPage(page, left, agentTypes.length, ({ id }) => ({ sortValue: id, id }))
    return { agent_types: rows, ...paging }
  },
} satisfies Handlers<'listAgentTypes'>
