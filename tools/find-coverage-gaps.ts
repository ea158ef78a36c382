import * as z from 'zod'
import { gapRow, hotFile, keyOf, type GapPage, type ToldGap } from './support/coverage-text.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { errorEvent } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import { describePage, type Page } from '../src/mcp/result/page.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { tellBranch } from './support/quality-branch.ts'
import type { Component, Product } from '../src/mcp/resolve/types.ts'
import { quoted } from '../src/mcp/text/untrusted.ts'

const input = z.strictObject({
  product: parameters.Product,
  branch: z.string().optional().describe('Quality-branch id (not a git branch).'),
  component: z.string().optional().describe('Component id or name.'),
  limit: parameters.Limit,
  cursor: parameters.Cursor,
})

export const findCoverageGaps = defineTool({
  name: 'find_coverage_gaps',
  toolset: 'default',
  effect: 'read',
  title: 'Find requirements without working tests',
  description:
    'Find untested requirements: coverage gaps with no test (no_test) or tests that have not run or fail (not_run), ' +
    'worst first by risk and live errors, and files with errors that no requirement claims. ' +
    'Use for "what should I test next" or missing test coverage. Follow with get_test_context for one requirement.',
  input,
  output: z.object({
    counts: z.object({
      total: z.int().optional(),
      no_test: z.int().optional(),
      not_run: z.int().optional(),
      files: z.int().optional(),
    }),
    rows: z.array(
      z.object({
        id: z.string(),
        title: z.string().optional(),
        state: z.string().optional(),
        gap: z.string().optional(),
        why: z.string().optional(),
        score: z.number().optional(),
        component: z.string().optional(),
        tests: z.int().optional(),
        do: z.string().optional(),
        issues: z.string().optional(),
      }),
    ),
    hot_files: z
      .array(
        z.object({
          rank: z.int().optional(),
          file: z.string().optional(),
          matched: z.string().optional(),
          score: z.number().optional(),
          why: z.string().optional(),
          component: z.string().optional(),
          issues: z.string().optional(),
        }),
      )
      .optional(),
  }),
  cuts: [{ path: 'rows' }, { path: 'hot_files' }],

  async run(args, context) {
    const product = await context.resolve.product(args.product)
    const component =
      args.component === undefined ? undefined : await context.resolve.component(product.id, args.component)
    const response = await readGaps(args, product, component, context)
    const { coverage_gaps: gaps } = response
    const page = describePage(response, gaps.length, args.cursor)
    const products = await context.resolve.products()
    const untested = gaps.filter((gap) => gap.requirement !== null && gap.requirement !== undefined)
    const files = await Promise.all(
      gaps.filter((gap) => !untested.includes(gap)).map((gap) => hotFile(gap, products, context.local)),
    )
    const counts = countsOf(response)
    return {
      answer: answerLine(
        { page, isPart: (page.cursor ?? args.cursor) !== undefined, counts, component, product },
        context,
      ),
      product,
      data: {
        counts,
        rows: untested.map((gap) => gapRow(gap, products)),
        hot_files: files.map(({ row }) => row),
      },
      untrusted: {
        ...errorEvent,
        content: {
          hot_files: files.flatMap(({ path, row }) =>
            row.file === undefined ? [{ rank: row.rank, file_untrusted: quoted`${path}`.cut(200) }] : [],
          ),
        },
      },
      page,
      next: nextOf(
        untested,
        files.map(({ row }) => row.issues),
        product,
      ),
    }
  },
})

function readGaps(
  { branch, limit, cursor }: z.output<typeof input>,
  product: Product,
  component: Component | undefined,
  { api, signal }: Context,
): Promise<GapPage> {
  return api
    .listCoverageGaps(
      {
        product_id: product.id,
        page_size: limit,
        ...(component !== undefined && { component_id: component.id }),
        ...(branch !== undefined && { branch_id: branch }),
        ...(cursor !== undefined && { page_token: cursor }),
      },
      { signal },
    )
    .catch(tellBranch(branch))
}

interface Counts {
  total: number | undefined
  no_test: number | undefined
  not_run: number | undefined
  files: number | undefined
}

function countsOf({ summary }: GapPage): Counts {
  const { total, by_state: states, by_type: types } = summary ?? {}
  return {
    total,
    no_test: states?.no_test,
    not_run: states?.not_run,
    files: types?.GAP_TYPE_UNCLAIMED_HOT_FILE,
  }
}

interface Found {
  page: Page
  counts: Counts
  component: Component | undefined
  product: Product
  /** There are more pages, before or after. */
  isPart: boolean
}

function answerLine(
  { page: { shown, range }, counts, component, product, isPart }: Found,
  { offers }: Context,
): string {
  const where = component === undefined ? '' : ` of ${component.name ?? 'the component'}`
  if (shown === 0 && isPart) return 'No coverage gaps on this page: there are no more.'
  if (shown === 0 && product.counts?.requirements === 0) {
    const how = sentencesOffered('Ask the user what it must do; save_requirement records that.', offers)
    return `The product has no requirement yet, so nothing can be uncovered. ${how}`.trim()
  }
  if (shown === 0) return `No coverage gaps${where}: every requirement that needs a test is verified.`
  const parts: readonly [number | undefined, string, string][] = [
    [counts.no_test, 'requirement', 'without a test (no_test)'],
    [counts.not_run, 'requirement', 'with tests that prove nothing yet (not_run)'],
    [counts.files, 'file', 'with errors that no requirement claims'],
  ]
  const words = parts.flatMap(([count = 0, noun, what]) => (count === 0 ? [] : [`${counted(count, noun)} ${what}`]))
  const total = counts.total === undefined ? 'Coverage gaps' : counted(counts.total, 'coverage gap')
  const kinds = words.length === 0 ? '' : `: ${words.join(', ')}`
  return `${total}${where}, worst first${kinds}; ${range}.`
}

function nextOf([worst]: readonly ToldGap[], issues: readonly (string | undefined)[], { id: product }: Product) {
  if (worst?.requirement) {
    const why = 'what a test of the first row has to show'
    return [{ tool: 'get_test_context', why, args: { product, requirement: keyOf(worst.requirement) } }]
  }
  const issue = issues.find((one) => one !== undefined)?.split(', ')[0]
  if (issue === undefined) return []
  return [{ tool: 'get_error_issue', why: 'the loudest error in the first file', args: { issue } }]
}
