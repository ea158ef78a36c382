import { defineResourceTemplate } from '../src/mcp/define/define.ts'
import { branchNames } from '../src/mcp/surface/suggest.ts'

export const branch = defineResourceTemplate({
  name: 'branch',
  uriTemplate: 'tracegate://branch/{branch}',
  title: 'Quality branch',
  description: 'What is drafted on a quality branch and what its merge still needs, as review_branch shows it.',
  tool: 'review_branch',
  args: ({ branch: named }) => ({ branch: named }),
  suggest: { branch: branchNames },
  async watch({ branch: named = '' }, { resolve }) {
    const { state, head_revision: head, main_revision: main } = await resolve.branch(named, undefined)
    return { value: [state, head, main] }
  },
})
