import * as z from 'zod'
import { TraceabilityRow } from '../../../src/contract/traceability.ts'
import type { RequestOf } from '../../../src/contract/index.ts'
import { counted } from '../../../src/lib/counted.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { explainNotOffered } from '../../../src/mcp/resolve/offered.ts'
import type { Product } from '../../../src/mcp/resolve/types.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { counts, fields, flag, rows } from '../../../src/mcp/result/output.ts'
import { describePage } from '../../../src/mcp/result/page.ts'
import { keyOrId, listed, rowTitle } from '../columns.ts'
import type { GateScope } from './scope.ts'

/** The traceability matrix as get_quality_gate shows it: tests and issues by their keys. */
export const matrixOutput = {
  requirements: rows({
    id: z.string(),
    title: rowTitle,
    state: TraceabilityRow.shape.coverage_state,
    failing: flag,
    suspect: flag,
    tests: z.string(),
    issues: z.string(),
    risks: z.int(),
  }).optional(),
  totals: fields(
    counts('requirements', 'verified', 'not_run', 'no_test', 'failing', 'suspect', 'tests', 'unlinked_tests'),
  ).optional(),
}

interface MatrixQuery {
  scope: GateScope
  product: Product
  filter: 'all' | 'holes' | 'suspect' | 'failing'
  limit: number
  cursor: string | undefined
}

/** Tests of one row; get_requirement lists all. */
const TESTS_SHOWN = 8

/** One page of the matrix, with the totals of the scope. */
export async function readMatrix({ scope, product, filter, limit, cursor }: MatrixQuery, { api, signal }: Context) {
  const request: RequestOf<'getTraceability'> = {
    ...scope.request,
    page_size: limit,
    page_token: cursor,
    ...(filter !== 'all' && { filter: [filter] }),
  }
  const response = await api.getTraceability(request, { signal }).catch(
    explainNotOffered('the traceability matrix', {
      next: nextCall('list_requirements', { product: product.id }, 'each with its coverage'),
      hint: 'find_coverage_gaps shows what is open.',
    }),
  )
  const { rows: stated, totals } = response.traceability_matrix
  const found = stated ?? []
  const page = stated && describePage(response, found.length, cursor)
  const first = found.find(({ coverage_state: state }) => state !== undefined && state !== 'verified')?.requirement
  return {
    answer: `${rowsSentence(filter, totals)}${scope.words}; ${pageWords(page)}`.trim(),
    product,
    data: {
      totals,
      requirements: stated?.map(
        ({ requirement, coverage_state: state, failing, suspect, tests = [], issues = [], risk_ids: risks = [] }) => ({
          id: requirement === undefined ? 'not stated' : keyOrId(requirement),
          title: requirement?.title,
          state,
          failing,
          suspect,
          tests: testList(tests),
          issues: listed(issues.map(({ short_id: key, id }) => key ?? id)),
          risks: risks.length === 0 ? undefined : risks.length,
        }),
      ),
    },
    ...(page && { page: { ...page, lists: ['requirements'] } }),
    next: [
      first &&
        nextCall(
          'get_test_context',
          { product: product.id, requirement: keyOrId(first) },
          'what a test of the first open row has to show',
        ),
    ],
  }
}

/** A page without rows says nothing of its range: whether there are others is not stated. */
function pageWords(page: ReturnType<typeof describePage> | undefined): string {
  if (page === undefined) return 'the rows are not stated.'
  const isSilent = page.shown === 0 && page.range !== 'all shown'
  return isSilent ? `whether there are more is not stated. ${page.notes}` : `${page.range}. ${page.notes}`
}

type MatrixRow = NonNullable<
  Awaited<ReturnType<Context['api']['getTraceability']>>['traceability_matrix']['rows']
>[number]

function testList(tests: NonNullable<MatrixRow['tests']>): string | undefined {
  const words = tests.slice(0, TESTS_SHOWN).map((test) => `${keyOrId(test)} ${testState(test)}`)
  const more = tests.length > TESTS_SHOWN ? [`${String(tests.length - TESTS_SHOWN)} more`] : []
  return listed([...words, ...more])
}

function testState({ link_state: link, last_result: result }: NonNullable<MatrixRow['tests']>[number]): string {
  if (link === 'LINK_STATE_SUSPECT') return 'suspect'
  if (result === null) return 'not run'
  return result?.status?.replace(/^RESULT_STATUS_/, '').toLowerCase() ?? 'not stated'
}

const filterWords = {
  all: 'Traceability',
  holes: 'Requirements that are not verified',
  suspect: 'Requirements whose tests are in doubt',
  failing: 'Requirements with failing tests',
}

function rowsSentence(
  filter: MatrixQuery['filter'],
  totals: { requirements?: number | undefined; verified?: number | undefined } | undefined,
) {
  const { requirements, verified } = totals ?? {}
  if (requirements === undefined || verified === undefined) return filterWords[filter]
  return `${filterWords[filter]}, ${String(verified)} of ${counted(requirements, 'requirement')} verified`
}
