import * as z from 'zod'
import { definePrompt } from '../src/mcp/define/define.ts'
import { idText } from '../src/mcp/text/id-text.ts'
import { environmentNames, productNames } from '../src/mcp/surface/suggest.ts'

const steps = [
  'Call find_error_issues for these, sorted by times_seen, then again for issues first seen recently.',
  'Judge from the rows: state, counts, users, cause, release. Call get_error_issue only for an issue that matters and that its row leaves in doubt, once, never per occurrence.',
  'For each say in one line what breaks, for how many, since which release, and how strong its evidence is.',
  'Propose for each: fix now, fix later, ignore with a reason (for a time, a count or until another release), or resolved already. Change a status only after the user agreed.',
  'For issues to fix now, get_fix_context has the files, the stack and the coverage.',
]

export const triageErrors = definePrompt({
  name: 'triage_errors',
  title: 'Triage error issues',
  description: 'Go through the unresolved error issues of a product and propose what to do with each.',
  args: {
    product: z.string().optional().describe('Product id or name.'),
    environment: z.string().optional().describe('Environment id or name, e.g. production.'),
  },
  suggest: { product: productNames, environment: environmentNames },
  tools: ['find_error_issues', 'get_error_issue'],
  when: 'Use when the user asks what is broken or what to do about errors.',
  task: ({ product, environment }) => [
    'Triage the unresolved error issues.',
    ...(product === undefined ? [] : [`Product: ${idText(product)}.`]),
    ...(environment === undefined ? [] : [`Environment: ${idText(environment)}.`]),
  ],
  steps,
})
