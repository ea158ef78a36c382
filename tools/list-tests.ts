import * as z from 'zod'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import type { Test } from '../src/mcp/resolve/types.ts'
import { describePage, type Page } from '../src/mcp/result/page.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { testRow } from './support/test-facts.ts'

const input = z.strictObject({
  product: parameters.Product,
  match: z.string().describe('Words of key, title or file.').optional(),
  limit: parameters.Limit,
  cursor: parameters.Cursor,
})

export const listTests = defineTool({
  name: 'list_tests',
  toolset: 'tests',
  effect: 'read',
  title: 'List registered tests',
  description:
    'List or search the registered test suites and cases of a product, each with its file, last result and the ' +
    'requirements it is linked to.',
  input,
  output: z.object({
    rows: z.array(
      z.object({
        id: z.string(),
        title: z.string().optional(),
        kind: z.string().optional(),
        file: z.string().optional(),
        last: z.string().optional(),
        status: z.string().optional(),
        quarantined: z.boolean().optional(),
        requirements: z.string().optional(),
      }),
    ),
  }),
  cuts: [{ path: 'rows' }],

  async run(args, context) {
    const product = await context.resolve.product(args.product)
    const { match, limit, cursor } = args
    const response = await context.api.listTests(
      {
        product_id: product.id,
        view: 'TEST_VIEW_BASIC',
        page_size: limit,
        ...(match !== undefined && { q: match }),
        ...(cursor !== undefined && { page_token: cursor }),
      },
      { signal: context.signal },
    )
    const { tests } = response
    const page = describePage(response, tests.length, cursor)
    const rows = tests.map(rowOf)
    return {
      answer: answerLine(rows.length, args, page, context),
      product,
      data: { rows },
      page,
      next: rows
        .slice(0, 1)
        .map(({ id }) => ({ tool: 'get_test', why: 'the first row in full', args: { product: product.id, test: id } })),
    }
  },
})

function rowOf(test: Test) {
  const { id, title, last, ...rest } = testRow(test)
  const keys = test.requirement_keys ?? []
  const isSuite = test.kind === 'TEST_KIND_SUITE'
  return {
    id,
    title,
    ...(isSuite && { kind: withoutPrefix(test.kind, 'TEST_KIND_') }),
    // A suite has the results of its cases.
    ...(!isSuite && { last }),
    ...rest,
    requirements: keys.length === 0 ? undefined : keys.join(', '),
  }
}

function answerLine(
  rows: number,
  { match, cursor }: z.output<typeof input>,
  { total, range }: Page,
  { offers }: Context,
): string {
  if (rows > 0) {
    const what = total === undefined ? 'Tests' : counted(total, 'test')
    return `${what}${match === undefined ? ', by key' : ' matching, best first'}; ${range}.`
  }
  if (cursor !== undefined) return 'No tests on this page: there are no more.'
  if (match !== undefined) return 'No test has all these words. Try fewer, or none for the whole list.'
  return `The product has no test yet. ${sentencesOffered('ingest_test_report takes those of a report.', offers)}`.trim()
}
