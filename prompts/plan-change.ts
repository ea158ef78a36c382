import * as z from 'zod'
import { definePrompt } from '../src/mcp/define/define.ts'
import { idText } from '../src/mcp/text/id-text.ts'
import { branchNames, productNames } from '../src/mcp/surface/suggest.ts'

const steps = [
  "Call distill_intent with the change in the user's own words, the whole text and not your summary of it. It drafts on a quality branch; the main requirements stay as they are.",
  'Call review_branch. Tell the user in a few lines what is new, what changes, what is retired and what was left out.',
  'Ask the user about each change that needs a decision, with what holds now and what would hold then, and about each open question, in their words. Decide nothing yourself and invent no number.',
  'Write what they answer with save_requirement on the branch, then call review_branch again.',
  'Once the user says that the branch is right, call merge_quality_branch with their decisions. A person confirms it; the merge approves the requirements.',
  'Call find_coverage_gaps: what was merged is a gap until a test proves it. Offer to write the tests, worst first, with get_test_context for each.',
]

const WITHOUT_MERGE =
  'This server does not offer merging: when the branch is right, tell the user to merge it with the toolset branches.'

export const planChange = definePrompt({
  name: 'plan_change',
  title: 'Plan a change',
  description:
    'Turn a change that the user describes into reviewed requirements on a quality branch, decide with them what is open, and merge when they say so.',
  args: {
    product: z.string().optional().describe('Product id or name.'),
    branch: z.string().optional().describe('Quality branch to go on with; else a new one.'),
  },
  suggest: { product: productNames, branch: branchNames },
  tools: ['distill_intent', 'review_branch'],
  when: 'Use when the user describes a new or changed requirement.',
  task: ({ product, branch }) => [
    'Plan a change of the product with the user. Ask for the change if they have not described it.',
    ...(product === undefined ? [] : [`Product: ${idText(product)}.`]),
    ...(branch === undefined ? [] : [`Quality branch: ${idText(branch)}.`]),
  ],
  steps,
  without: { tool: 'merge_quality_branch', say: WITHOUT_MERGE },
})
