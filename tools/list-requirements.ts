import * as z from 'zod'
import { Requirement } from '../src/contract/requirements.ts'
import { defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { pick, rows } from '../src/mcp/result/output.ts'
import { describePage } from '../src/mcp/result/page.ts'
import { explainMissingBranch, listedSentence, namedBranch, onBranch } from './support/named-branch.ts'
import { coverageState, keyOrId, rowTitle } from './support/columns.ts'
import { searchSentence } from './support/words.ts'

export const listRequirements = defineTool({
  name: 'list_requirements',
  toolset: 'requirements',
  effect: 'read',
  title: 'List requirements',
  description:
    "List or search a product's requirements: what the product must do, with status (drafts, approved), priority and coverage state. " +
    'To find the untested ones use find_coverage_gaps instead.',
  input: z.strictObject({
    product: parameters.Product,
    match: z.string().describe('Words of key, title, text or tags.').optional(),
    branch: parameters.Branch,
    limit: parameters.Limit,
    cursor: parameters.Cursor,
  }),
  output: z.object({
    rows: rows({
      id: z.string(),
      title: rowTitle,
      kind: Requirement.shape.kind,
      parent: z.string(),
      ...pick(Requirement, 'status', 'priority'),
      ...coverageState,
      tests: z.int(),
    }),
  }),
  cuts: [{ path: 'rows' }],

  async run({ product: given, match, branch: branchNamed, limit, cursor }, context) {
    const { api, resolve, signal, offers } = context
    const product = await resolve.product(given)
    const branch = await namedBranch(branchNamed, product.id, context)
    const filter = { product_id: product.id, branch_id: branch?.id, q: match }
    const response = await api
      .listRequirements({ ...filter, view: 'REQUIREMENT_VIEW_BASIC', page_size: limit, page_token: cursor }, { signal })
      .catch(explainMissingBranch(branch))
      .catch(
        explainNotOffered('the list of requirements', {
          hint: 'get_requirement still works with the id of a requirement.',
        }),
      )
    const page = describePage(response, response.requirements.length, cursor)
    const found = response.requirements.map((requirement) => ({
      ...requirement,
      ...requirement.coverage,
      id: keyOrId(requirement),
      kind: requirement.kind === 'REQUIREMENT_KIND_GROUP' ? requirement.kind : undefined,
      parent: requirement.path?.at(-1),
      tests: requirement.coverage?.linked_test_count,
    }))
    const on = { product: product.id, ...onBranch(branch) }
    const [first] = found
    return {
      answer:
        searchSentence(page, {
          noun: 'requirement',
          order: 'in tree order',
          match,
          cursor,
          whenEmpty: 'Ask the user what it must do; save_requirement records that.',
          offers,
        }) + listedSentence(branch, response.reading),
      product,
      data: { rows: found },
      page,
      next: first && [
        nextCall('get_requirement', { ...on, requirement: first.id }, 'the first row in full'),
        nextCall('find_coverage_gaps', on, 'those without working tests, worst first'),
      ],
    }
  },
})
