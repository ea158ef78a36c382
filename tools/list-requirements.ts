import * as z from 'zod'
import { keyOf, stateOf } from './support/coverage-text.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { noteLine, withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import type { Requirement } from '../src/mcp/resolve/types.ts'
import { describePage, type Page } from '../src/mcp/result/page.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import * as parameters from '../src/mcp/define/parameters.ts'

const input = z.strictObject({
  product: parameters.Product,
  match: z.string().describe('Words of key, title, text or tags.').optional(),
  limit: parameters.Limit,
  cursor: parameters.Cursor,
})

export const listRequirements = defineTool({
  name: 'list_requirements',
  toolset: 'requirements',
  effect: 'read',
  title: 'List requirements',
  description:
    "List or search a product's requirements: what the product must do, with status, priority and coverage state. " +
    'To find the untested ones use find_coverage_gaps instead.',
  input,
  output: z.object({
    rows: z.array(
      z.object({
        id: z.string(),
        title: z.string().optional(),
        kind: z.string().optional(),
        parent: z.string().optional(),
        status: z.string().optional(),
        priority: z.string().optional(),
        state: z.string().optional(),
        failing: z.boolean().optional(),
        suspect: z.boolean().optional(),
        tests: z.int().optional(),
      }),
    ),
  }),
  cuts: [{ path: 'rows' }],

  async run(args, context) {
    const product = await context.resolve.product(args.product)
    const { match, limit, cursor } = args
    const response = await context.api.listRequirements(
      {
        product_id: product.id,
        view: 'REQUIREMENT_VIEW_BASIC',
        page_size: limit,
        ...(match !== undefined && { q: match }),
        ...(cursor !== undefined && { page_token: cursor }),
      },
      { signal: context.signal },
    )
    const { requirements } = response
    const page = describePage(response, requirements.length, cursor)
    return {
      answer: answerLine(requirements, args, page, context),
      product,
      data: { rows: requirements.map(rowOf) },
      page,
      next: nextOf(requirements, product.id),
    }
  },
})

function rowOf(requirement: Requirement) {
  const kind = withoutPrefix(requirement.kind, 'REQUIREMENT_KIND_')
  return {
    id: keyOf(requirement),
    title: noteLine(requirement.title, 120),
    ...(kind === 'group' && { kind }),
    parent: requirement.path?.at(-1),
    status: withoutPrefix(requirement.status, 'REQUIREMENT_STATUS_'),
    priority: withoutPrefix(requirement.priority, 'PRIORITY_'),
    ...stateOf(requirement.coverage),
    tests: requirement.coverage?.linked_test_count,
  }
}

function answerLine(
  rows: readonly Requirement[],
  { match, cursor }: z.output<typeof input>,
  { total, range }: Page,
  { offers }: Context,
): string {
  if (rows.length > 0) {
    const what = total === undefined ? 'Requirements' : counted(total, 'requirement')
    return `${what}${match === undefined ? ', in tree order' : ' matching, best first'}; ${range}.`
  }
  if (cursor !== undefined) return 'No requirements on this page: there are no more.'
  if (match !== undefined) return 'No requirement has all these words. Try fewer, or none for the whole list.'
  return `The product has no requirement yet. ${sentencesOffered('Ask the user what it must do; save_requirement records that.', offers)}`.trim()
}

function nextOf([first]: readonly Requirement[], product: string) {
  if (first === undefined) return []
  return [
    { tool: 'get_requirement', why: 'the first row in full', args: { product, requirement: keyOf(first) } },
    { tool: 'find_coverage_gaps', why: 'those without working tests, worst first', args: { product } },
  ]
}
