import { defineResourceTemplate } from '../src/mcp/define/define.ts'
import { requirementKeys } from '../src/mcp/surface/suggest.ts'

export const requirement = defineResourceTemplate({
  name: 'requirement',
  uriTemplate: 'tracegate://requirement/{id}',
  title: 'Requirement',
  description:
    'One requirement by key or id, as get_test_context shows it: criteria, tests, code files, conventions. ' +
    'With several products the id is needed.',
  tool: 'get_test_context',
  args: ({ id }) => ({ requirement: id }),
  suggest: { id: requirementKeys },
})
