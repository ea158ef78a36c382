import * as z from 'zod'
import { Test } from '../src/contract/tests.ts'
import { defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { rows } from '../src/mcp/result/output.ts'
import { describePage } from '../src/mcp/result/page.ts'
import { listed } from './support/columns.ts'
import { explainMissingBranch, listedSentence, namedBranch, onBranch } from './support/named-branch.ts'
import { testReport } from './support/test-names.ts'
import { describeTest, testColumns } from './support/quality/tests.ts'
import { searchSentence } from './support/words.ts'

const { id, title, ...columns } = testColumns

/** A test that the run failed around is one that proved nothing. */
const endings = {
  failed: ['RESULT_STATUS_FAILED', 'RESULT_STATUS_ERROR'],
  passed: ['RESULT_STATUS_PASSED'],
  flaky: ['RESULT_STATUS_FLAKY'],
  skipped: ['RESULT_STATUS_SKIPPED', 'RESULT_STATUS_BLOCKED'],
} as const

export const listTests = defineTool({
  name: 'list_tests',
  toolset: 'tests',
  effect: 'read',
  title: 'List registered tests',
  description:
    'List or search the registered test suites and cases of a product, each with its file, last result and the ' +
    'requirements it is linked to.',
  input: z.strictObject({
    product: parameters.Product,
    match: z.string().describe('Words of key, title or file.').optional(),
    status: z.enum(['failed', 'passed', 'flaky', 'skipped']).describe('How they ended last.').optional(),
    branch: parameters.Branch,
    limit: parameters.Limit,
    cursor: parameters.Cursor,
  }),
  output: z.object({
    rows: rows({ id, title, kind: Test.shape.kind, ...columns, requirements: z.string() }),
  }),
  cuts: [{ path: 'rows' }],

  async run({ product: given, match, status, branch: branchNamed, limit, cursor }, context) {
    const { api, resolve, signal, offers, local } = context
    const product = await resolve.product(given)
    const branch = await namedBranch(branchNamed, product.id, context)
    const response = await api
      .listTests(
        {
          product_id: product.id,
          branch_id: branch?.id,
          view: 'TEST_VIEW_BASIC',
          q: match,
          result_status: status && [...endings[status]],
          page_size: limit,
          page_token: cursor,
        },
        { signal },
      )
      .catch(explainMissingBranch(branch))
      .catch(explainNotOffered('the list of tests', { hint: 'get_test still works with the id of a test.' }))
    const page = describePage(response, response.tests.length, cursor)
    const found = await Promise.all(
      response.tests.map(async (test) => {
        const { row, reported } = await describeTest(test, local)
        const requirements = listed(test.requirement_keys ?? [])
        // A suite has the results of its cases.
        const suite = test.kind === 'TEST_KIND_SUITE' && { kind: test.kind, last: undefined }
        return { row: { ...row, ...suite, requirements }, reported }
      }),
    )
    const [first] = found
    const none = status === undefined || page.shown > 0 ? undefined : `No test ${status} in its newest run.`
    const sentence = searchSentence(page, {
      noun: 'test',
      order: 'by key',
      match,
      cursor,
      whenEmpty: 'ingest_test_report takes those of a report.',
      offers,
    })
    return {
      answer: (none ?? sentence) + listedSentence(branch, response.reading),
      product,
      data: { rows: found.map(({ row }) => row) },
      untrusted: { ...testReport, content: { rows: found.map(({ reported }) => reported) } },
      page,
      next: first && [
        nextCall('get_test', { product: product.id, ...onBranch(branch), test: first.row.id }, 'the first row in full'),
      ],
    }
  },
})
