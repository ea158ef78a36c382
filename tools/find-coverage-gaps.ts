import * as z from 'zod'
import { counted } from '../src/lib/counted.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import type { Branch, Component, Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { counts, fields, inAnswer } from '../src/mcp/result/output.ts'
import { describePage, type Page } from '../src/mcp/result/page.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { teamText } from '../src/mcp/text/team.ts'
import { quoted } from '../src/mcp/text/untrusted.ts'
import { branchSentence, explainMissingBranch, namedBranch, onBranch } from './support/named-branch.ts'
import { keyOrId } from './support/columns.ts'
import {
  gapCounts,
  gapRow,
  gapRows,
  hotFile,
  hotFileRows,
  issueToFix,
  notRunWords,
  type Gap,
  type GapPage,
  type GapTypes,
} from './support/quality/gaps.ts'
import { errorEvent } from './support/errors/issues.ts'
import { countWords } from './support/words.ts'

export const findCoverageGaps = defineTool({
  name: 'find_coverage_gaps',
  toolset: 'default',
  effect: 'read',
  title: 'Find requirements without working tests',
  description:
    'Find untested requirements: coverage gaps with no test (no_test) or tests that have not run or fail (not_run), ' +
    'worst first by risk and live errors, and files with errors that no requirement claims. ' +
    'Use for "what should I test next" or missing test coverage. Follow with get_test_context for one requirement.',
  input: z.strictObject({
    product: parameters.Product,
    branch: parameters.Branch,
    component: parameters.named('Component id or name.', z.string().optional()),
    limit: parameters.Limit,
    cursor: parameters.Cursor,
  }),
  output: z.object({
    counts: inAnswer(fields(counts('total', 'no_test', 'not_run', 'failing', 'suspect', 'files'))),
    rows: gapRows,
    hot_files: hotFileRows.optional(),
  }),
  cuts: [{ path: 'rows' }, { path: 'hot_files' }],

  async run({ product: given, branch: branchNamed, component: named, limit, cursor }, context) {
    const { api, resolve, signal, local } = context
    const product = await resolve.product(given)
    const branch = await namedBranch(branchNamed, product.id, context)
    const component = named === undefined ? undefined : await resolve.component(product.id, named)
    const filter = { product_id: product.id, component_id: component?.id, branch_id: branch?.id }
    const answer = await api
      .listCoverageGaps({ ...filter, page_size: limit, page_token: cursor }, { signal })
      .catch(explainMissingBranch(branch))
      .catch(
        explainNotOffered('coverage gaps', {
          next: nextCall('list_requirements', { product: product.id }, 'each with its coverage'),
          hint: 'get_test_context still reads one requirement.',
        }),
      )
    const response = { ...answer, summary: answer.summary ?? (cursor === undefined ? countGaps(answer) : undefined) }
    const isFiltered = !response.reading.notApplied.includes('component_id')
    const numbers = gapCounts(response)
    const page = describePage(response, response.coverage_gaps.length, cursor)
    const products = await resolve.products()
    const [untested, hot] = partition(response)
    const files = await Promise.all(hot.map((gap) => hotFile(gap, products, local)))
    return {
      answer: `${gapSentence(
        {
          page,
          isFirst: cursor === undefined,
          numbers,
          types: response.summary?.by_type,
          component: isFiltered ? component : undefined,
          branch,
          isOfBranch: !response.reading.notApplied.includes('branch_id'),
          product,
        },
        context,
      )} ${page.notes}`.trim(),
      product,
      data: {
        counts: numbers,
        rows: untested.map((gap) => gapRow(gap, products)),
        hot_files: files.map(({ row }) => row),
      },
      untrusted: {
        ...errorEvent,
        content: {
          hot_files: files
            .filter(({ row }) => row.file === undefined)
            .map(({ path, row }) => ({ rank: row.rank, file: quoted`${path}`.cut(200) })),
        },
      },
      page: { ...page, lists: ['rows', 'hot_files'] },
      next: [nextStep({ product, branch }, untested[0], products, files.find(({ row }) => row.issues)?.row.issues)],
    }
  },
})

/** The counts of a list that is here as a whole; undefined for a part of one. */
function countGaps({
  coverage_gaps: gaps,
  reading,
}: GapPage & { reading: { isComplete: boolean | undefined } }): GapPage['summary'] {
  if (reading.isComplete !== true || gaps.some(({ type }) => type === undefined)) return undefined
  const countBy = (values: readonly (string | null | undefined)[]) =>
    values.reduce<Record<string, number>>((counts, value) => {
      if (typeof value === 'string') counts[value] = (counts[value] ?? 0) + 1
      return counts
    }, {})
  return {
    total: gaps.length,
    by_state: countBy(gaps.map(({ coverage_state: state }) => state)),
    by_type: countBy(gaps.map(({ type }) => type)),
  }
}

/** Gaps of requirements, and files that no requirement claims. */
function partition({ coverage_gaps: gaps }: GapPage) {
  const isRequirement = ({ requirement, type }: GapPage['coverage_gaps'][number]) =>
    requirement === undefined ? type !== undefined && type !== 'GAP_TYPE_UNCLAIMED_HOT_FILE' : requirement !== null
  return [gaps.filter(isRequirement), gaps.filter((gap) => !isRequirement(gap))] as const
}

interface Found {
  page: Page
  isFirst: boolean
  numbers: ReturnType<typeof gapCounts>
  types: GapTypes
  branch: Branch | undefined
  /** Whether the rows are of the branch that was asked for. */
  isOfBranch: boolean
  component: Component | undefined
  product: Product
}

function gapSentence(found: Found, context: Context): string {
  return gapWords(found, context) + (found.isOfBranch ? branchSentence(found.branch) : '')
}

function gapWords(
  { page, isFirst, numbers, types, component, isOfBranch, product }: Found,
  { offers }: Context,
): string {
  const where = component === undefined ? '' : ` of ${teamText(component.name ?? 'the component')}`
  if (page.shown === 0) {
    if (page.cursor !== undefined) return 'No coverage gaps so far; the next page searches on.'
    if (!isFirst) return 'No coverage gaps on this page: there are no more.'
    if (!isOfBranch) return `Coverage gaps${where} on this branch: not stated.`
    if (numbers.total === undefined) return `No coverage gaps${where} listed; how many there are is not stated.`
    if (product.counts?.requirements !== 0)
      return `No coverage gaps${where}: every requirement that needs a test is verified.`
    const how = sentencesOffered('Ask the user what it must do; save_requirement records that.', offers)
    return `The product has no requirement yet, so nothing can be uncovered. ${how}`.trim()
  }
  const kinds = countWords([
    [numbers.no_test, 'requirement', 'without a test (no_test)'],
    [numbers.not_run, 'requirement', `with tests that prove nothing yet (not_run${notRunWords(types)})`],
    [numbers.files, 'file', 'with errors that no requirement claims'],
  ])
  const total = numbers.total === undefined ? 'Coverage gaps' : counted(numbers.total, 'coverage gap')
  return `${total}${where}, worst first${kinds === '' ? '' : `: ${kinds}`}; ${page.range}.`
}

function nextStep(
  { product: { id: product }, branch }: { product: Product; branch: Branch | undefined },
  worst: Gap | undefined,
  products: readonly Product[],
  issues: string | undefined,
) {
  const broken = worst && issueToFix(worst, products)
  if (broken !== undefined)
    return nextCall('get_fix_context', { issue: broken }, 'the code that the red test of the first row asks to fix')
  if (worst?.requirement) {
    const args = { product, requirement: keyOrId(worst.requirement), ...onBranch(branch) }
    return nextCall('get_test_context', args, 'what a test of the first row has to show')
  }
  const [issue] = issues?.split(', ') ?? []
  return issue === undefined ? undefined : nextCall('get_error_issue', { issue }, 'the loudest error in the first file')
}
