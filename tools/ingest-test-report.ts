import * as z from 'zod'
import { ServiceError } from '../src/errors.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import { parseTruncationNote } from '../src/contract/base/truncation-note.ts'
import {
  coverageOf,
  failingRows,
  renamed,
  requirementRow,
  resultsOf,
  testsOf,
  totalsOf,
  unresolved,
  warningsOf,
  withoutNewKeys,
  type Ingest,
} from './support/ingest-facts.ts'
import { isTracegate } from './support/is-tracegate.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { requireBranch } from './support/quality-branch.ts'
import { readReport, type ReportSource } from './support/report-source.ts'
import { linkedRequirements, openRequirements, readStates, type Changed } from './support/state-change.ts'
import { shapeOf, TeachingError } from '../src/mcp/result/teach.ts'

/** Rows of each list in the answer. */
const ROWS = 30

const input = z.strictObject({
  product: parameters.Product,
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Report file in the workspace, e.g. reports/junit.xml (stdio only).'),
  report: z.string().min(1).optional().describe("The report's text, when there is no path."),
  environment: z.string().trim().min(1).max(64).optional().describe('Where it ran, e.g. ci.'),
  release: z.string().trim().min(1).max(250).optional().describe('Version under test.'),
  branch: z.string().optional().describe('Quality-branch id: links become proposals.'),
  dry_run: parameters.DryRun,
})

export const ingestTestReport = defineTool({
  name: 'ingest_test_report',
  toolset: 'default',
  // The same report again is the same run, and counts once.
  effect: 'update',
  title: 'Send a test run',
  description:
    'Upload test results: send the report of a test run (JUnit XML, CTRF, Vitest, Jest, Playwright or TAP) so that gaps close. ' +
    'Matches or creates test cases, follows requirement tags such as [REQ-12], tells the coverage effect. ' +
    'Give path for a local file, or report with its text. Run the tests yourself first.',
  input,
  output: z.object({
    dry_run: z.boolean().optional(),
    totals: z.object({
      tests: z.int(),
      passed: z.int().optional(),
      failed: z.int().optional(),
      errors: z.int().optional(),
      flaky: z.int().optional(),
      skipped: z.int().optional(),
    }),
    results: z.object({ recorded: z.int().optional(), known_already: z.int().optional() }).optional(),
    coverage: z
      .object({ verified: z.string().optional(), not_run: z.string().optional(), no_test: z.string().optional() })
      .optional(),
    requirements: z
      .array(
        z.object({
          id: z.string(),
          was: z.string().optional(),
          state: z.string().optional(),
          failing: z.boolean().optional(),
          suspect: z.boolean().optional(),
          title: z.string().optional(),
        }),
      )
      .optional(),
    failing_tests: z
      .array(
        z.object({
          id: z.string().optional(),
          status: z.string().optional(),
          name: z.string().optional(),
          file: z.string().optional(),
          requirements: z.string().optional(),
        }),
      )
      .optional(),
    unresolved_references: z.array(z.object({ reference: z.string(), test: z.string().optional() })).optional(),
    tests: z
      .object({
        created: z.int().optional(),
        renamed: z.int().optional(),
        updated: z.int().optional(),
        links_made: z.int().optional(),
        links_proposed: z.int().optional(),
        without_requirement: z.int().optional(),
      })
      .optional(),
    renamed_tests: z
      .array(z.object({ id: z.string(), name: z.string().optional(), file: z.string().optional() }))
      .optional(),
    warnings: z
      .array(
        z.object({
          code: z.string().optional(),
          message: z.string().optional(),
          file: z.string().optional(),
          line: z.int().optional(),
        }),
      )
      .optional(),
    secrets_in_report: z.string().optional(),
    gate: z.string().optional(),
  }),
  cuts: [
    { path: 'renamed_tests', least: 3 },
    { path: 'warnings', least: 3 },
    { path: 'unresolved_references', least: 5 },
    { path: 'requirements', least: 5 },
    { path: 'failing_tests', least: 5 },
  ],

  async run(args, context) {
    const product = await context.resolve.product(args.product, { write: true })
    await requireBranch(args.branch, product.id, context)
    const source = await readReport(args, context)
    if (args.dry_run && !(await isTracegate(context))) throw noPreview()
    const before = args.dry_run ? undefined : await openRequirements(product.id, context)
    const { ingest: told } = await send(args, product.id, source, context)
    const ingest = args.dry_run ? withoutNewKeys(told) : told
    const links = await linkedRequirements(product.id, ingest.cases ?? [], context)
    const changed = args.dry_run ? [] : await readStates(product.id, [...links.values()].flat(), before, context)
    const failing = failingRows(ingest, links)
    return {
      answer: answerLine(ingest, args.dry_run),
      product,
      data: {
        ...(args.dry_run && { dry_run: true }),
        totals: totalsOf(ingest),
        ...(!args.dry_run && { results: resultsOf(ingest) }),
        coverage: coverageOf(ingest),
        requirements: changed.slice(0, ROWS).map(requirementRow),
        failing_tests: failing.slice(0, ROWS),
        unresolved_references: unresolved(ingest).slice(0, ROWS),
        tests: testsOf(ingest, links),
        renamed_tests: renamed(ingest).slice(0, ROWS),
        warnings: warningsOf(ingest).slice(0, ROWS),
        secrets_in_report: secretsOf(source),
        gate: ingest.gate_stale === true ? gateWords(context) : undefined,
      },
      cut: cutNames(ingest, changed),
      next: args.dry_run ? [] : nextOf(failing, product.id),
    }
  },
})

async function send(
  { environment, release, branch, dry_run: dryRun, ...given }: z.output<typeof input>,
  productId: string,
  { draft, rootDir }: ReportSource,
  { api, signal }: Context,
) {
  const run = { ...(environment !== undefined && { environment }), ...(release !== undefined && { release }) }
  const options = {
    link_annotations: true,
    ...(rootDir !== undefined && { root_dir: rootDir }),
    ...(branch !== undefined && { branch_id: branch }),
  }
  const request = { product_id: productId, draft, run, options, ...(dryRun && { validate_only: true }) }
  return api.ingestTests(request, { signal }).catch((error: unknown) => {
    throw inOurWords(error, given)
  })
}

const UNREADABLE: Readonly<Record<string, string>> = {
  REPORT_UNPARSABLE: 'the report cannot be read',
  FORMAT_UNKNOWN: 'the report has a form that is not known',
  REPORT_EMPTY: 'the report names no test',
}

/** What is wrong with the report, with the format and the line that the service names. */
function inOurWords(
  error: unknown,
  { path, report }: { path?: string | undefined; report?: string | undefined },
): unknown {
  if (!(error instanceof ServiceError)) return error
  const { code, reason, metadata } = error
  if (code === 'outcome_unknown') {
    const hint = 'send the same report again: it is the same run and counts once.'
    return new TeachingError(code, error.message, { hint }, { reason, cause: error })
  }
  const why = UNREADABLE[reason]
  if (why === undefined) return error
  const format = /^(?!REPORT_FORMAT_AUTO$)[A-Z_]{1,40}$/.test(metadata['format'] ?? '') ? metadata['format'] : undefined
  const line = /^[1-9]\d{0,9}$/.test(metadata['line'] ?? '') ? ` in line ${metadata['line'] ?? ''}` : ''
  const as = format === undefined ? '' : ` as ${withoutPrefix(format, 'REPORT_FORMAT_')?.replaceAll('_', ' ') ?? ''}`
  return new TeachingError(
    'invalid_argument',
    `${why}${as}${line}`,
    {
      sent: path === undefined ? `report = ${shapeOf(report)}` : `path = ${shapeOf(path)}`,
      expected: 'JUnit XML, CTRF, Vitest, Jest or Playwright JSON, or TAP, as the test runner wrote it',
      hint: 'run the tests again with one of these reporters and send the whole file.',
    },
    { reason, metadata, cause: error },
  )
}

function noPreview(): TeachingError {
  return new TeachingError('unimplemented', 'this deployment previews no report: it would record the results', {
    sent: 'dry_run = true',
    hint: 'ask the user, then call again without dry_run.',
  })
}

function secretsOf({ secrets }: ReportSource): string | undefined {
  const kinds = Object.entries(secrets).map(([kind, count]) => `${kind} ${String(count)}`)
  return kinds.length === 0 ? undefined : `${kinds.join(', ')}; sent as they are: tell the user`
}

function gateWords({ offers }: Context): string {
  return `stale: its verdict is older than these results. ${sentencesOffered('To judge anew: compute_quality_gate.', offers)}`.trim()
}

function cutNames({ truncation_signals: signals = [] }: Ingest, changed: readonly Changed[]) {
  const cut = changed.length > ROWS ? [`requirements: ${String(ROWS)} of ${String(changed.length)}`] : []
  const cases = signals.filter((signal) =>
    ['cases', 'unresolved_refs', 'warnings'].includes(parseTruncationNote(signal)?.member ?? ''),
  )
  return [...cut, ...cases]
}

function answerLine(ingest: Ingest, dryRun: boolean): string {
  const { tests, ...statuses } = totalsOf(ingest)
  const counts = Object.entries(statuses).flatMap(([status, count]) =>
    count > 0 ? [`${String(count)} ${status}`] : [],
  )
  const { before, after } = ingest.coverage_effect ?? {}
  const effect = effectWords(before?.verified, after?.verified, dryRun)
  const again =
    ingest.summary?.results_recorded === 0 && (ingest.summary.results_duplicate ?? 0) > 0
      ? ' All of these results were known already.'
      : ''
  return `${dryRun ? 'Preview, nothing written: ' : ''}${counted(tests, 'test')}, ${counts.join(', ')}; ${effect}.${again}`
}

function effectWords(from: number | undefined, to: number | undefined, dryRun: boolean): string {
  if (from === undefined || to === undefined) return 'the coverage effect is not stated'
  const change = to - from
  const would = dryRun ? 'would be ' : ''
  if (change === 0) return `verified requirements ${would}unchanged at ${String(to)}`
  return `verified requirements ${would}${String(from)} -> ${String(to)}`
}

function nextOf(failing: ReturnType<typeof failingRows>, product: string) {
  const requirement = failing.find((row) => row.requirements !== undefined)?.requirements?.split(', ')[0]
  const why = 'what the requirement of the first failing test says'
  return [
    ...(requirement === undefined ? [] : [{ tool: 'get_test_context', why, args: { product, requirement } }]),
    { tool: 'find_coverage_gaps', why: 'what is still open', args: { product } },
  ]
}
