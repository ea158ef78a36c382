import * as z from 'zod'
import { parseTruncationNote } from '../src/contract/base/truncation-note.ts'
import { reportFormatList } from '../src/contract/test-ingest.ts'
import { counted } from '../src/lib/counted.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { branchLabel } from '../src/mcp/resolve/find-branch.ts'
import { issueName } from '../src/mcp/resolve/ids.ts'
import { isNotOffered, notOffered } from '../src/mcp/resolve/offered.ts'
import type { Branch } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { explainMissingBranch, isBranchGone, namedBranch, onBranch } from './support/named-branch.ts'
import { keyOrId } from './support/columns.ts'
import { openRequirements, readKnownCases, readStates } from './support/quality/coverage-change.ts'
import { cutNames, kept } from './support/cuts.ts'
import { isTracegate } from './support/is-tracegate.ts'
import {
  countChanges,
  countResults,
  describeEffect,
  describeWarnings,
  failingTests,
  notRunNow,
  type Ingest,
  outsideErrors,
  renamedTests,
  reportOutcome,
  unresolvedReferences,
  ROWS,
  isFailing,
  shownCounts,
  withoutNewKeys,
} from './support/report/outcome.ts'
import { explainRefusal, noPreview } from './support/report/refusal.ts'
import { readReport, type ReportSource } from './support/report/source.ts'
import { testReport } from './support/test-names.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, isLost } from './support/writes/outcome.ts'

const input = z.strictObject({
  product: parameters.Product,
  path: z.string().min(1).max(4096).optional().describe('Report file in the workspace (stdio only).'),
  report: z.string().min(1).optional().describe('Its text, when there is no path.'),
  environment: parameters.named('Where it ran, e.g. ci.', z.string().trim().min(1).max(64).optional()),
  release: parameters.named('Version under test.', z.string().trim().min(1).max(250).optional()),
  branch: z.string().optional().describe('Quality branch: links become proposals.'),
  dry_run: parameters.DryRun,
})

export const ingestTestReport = defineTool({
  name: 'ingest_test_report',
  toolset: 'default',
  // The same report again is the same run, and counts once.
  effect: 'update',
  title: 'Send a test run',
  description:
    'Upload test results: send the report of a test run (' +
    `${reportFormatList}) so that gaps close. ` +
    'Matches or creates test cases, follows requirement tags such as [REQ-12], reports the coverage effect. ' +
    'Give path for a local file, or report with its text. Run the tests yourself first.',
  input,
  output: reportOutcome,
  cuts: [
    { path: 'renamed_tests', least: 3 },
    { path: 'warnings', least: 3 },
    { path: 'unresolved_references', least: 5 },
    { path: 'requirements', least: 5 },
    { path: 'failing_tests', least: 5 },
  ],

  async run(args, context) {
    const { dry_run: dryRun } = args
    const product = await context.resolve.product(args.product, { write: true })
    const [source, before, isOurs, branch] = await Promise.all([
      readReport(args, context),
      dryRun ? undefined : openRequirements(product.id, context),
      dryRun && isTracegate(context),
      namedBranch(args.branch, product.id, context),
    ])
    if (dryRun && !isOurs) throw noPreview()
    const sent = await send({ ...args, branch }, product.id, source, context)
    const ingest = dryRun ? withoutNewKeys(sent) : sent
    const known = await readKnownCases(product.id, ingest.cases ?? [], context)
    const changed = dryRun ? [] : await readStates(product.id, [...known.links.values()].flat(), before, context)
    const failing = await failingTests(ingest, known, context.local)
    const renamed = await renamedTests(ingest, context.local)
    const [unresolved, warnings] = [unresolvedReferences(ingest), describeWarnings(ingest)]
    const { results_recorded: recorded, results_duplicate: again } = ingest.summary ?? {}
    const requirement = failing.find(({ row }) => row?.requirements !== undefined)?.row?.requirements?.split(', ')[0]
    const [outside] = outsideErrors(ingest)
    const products = await context.resolve.products()
    const fix = [...known.issues].find(([test, { status }]) => status !== 'resolved' && isFailing(ingest, test))?.[1]
    return {
      answer: outcomeSentence(ingest, dryRun) + proposedWords(branch),
      product,
      data: {
        dry_run: dryRun,
        totals: countResults(ingest),
        results: dryRun ? undefined : { recorded, known_already: again || undefined },
        coverage: describeEffect(ingest),
        requirements: changed.slice(0, ROWS).map((row) => ({
          ...row.requirement,
          ...row.requirement.coverage,
          id: keyOrId(row.requirement),
          was: row.was,
        })),
        failing_tests: failing.flatMap(({ row }) => row ?? []),
        unresolved_references: unresolved.flatMap(({ row }) => row ?? []),
        tests: countChanges(ingest, known),
        renamed_tests: renamed.flatMap(({ row }) => row ?? []),
        warnings: warnings.map(({ row }) => row),
        secrets_in_report: secretWords(source),
        // A preview leaves the verdict as new as it was.
        gate: ingest.gate_stale === true && !dryRun ? gateWords(context) : undefined,
      },
      untrusted: {
        ...testReport,
        content: {
          failing_tests: failing.map(({ reported }) => reported),
          unresolved_references: unresolved.map(({ reported }) => reported),
          renamed_tests: renamed.map(({ reported }) => reported),
          warnings: warnings.map(({ reported }) => reported),
        },
      },
      cut: [...cutNames([], { requirements: kept(changed, ROWS), ...shownCounts(ingest) }), ...cutSignals(ingest)],
      howToGetMore: sentencesOffered('All failing tests: list_tests with status failed.', context.offers) || undefined,
      next: dryRun
        ? []
        : [
            fix &&
              nextCall('get_fix_context', { issue: issueName(fix, products) }, 'the code that a red test asks to fix'),
            requirement === undefined
              ? undefined
              : nextCall(
                  'get_test_context',
                  { product: product.id, requirement },
                  'what the requirement of the first failing test says',
                ),
            outside?.key
              ? nextCall(
                  'get_test',
                  { product: product.id, test: outside.key },
                  'why the run failed outside of its tests',
                )
              : undefined,
            nextCall('find_coverage_gaps', { product: product.id, ...onBranch(branch) }, 'what is still open'),
          ],
    }
  },
})

async function send(
  {
    environment,
    release,
    branch,
    dry_run: dryRun,
    ...given
  }: Omit<z.output<typeof input>, 'branch'> & { branch: Branch | undefined },
  productId: string,
  { draft, rootDir }: ReportSource,
  context: Context,
): Promise<Ingest> {
  const { api, signal } = context
  const options = { link_annotations: true, root_dir: rootDir, branch_id: branch?.id }
  const request = { product_id: productId, draft, run: { environment, release }, options }
  const sent = api.ingestTests({ ...request, validate_only: dryRun || undefined }, { signal })
  const { ingest } = await sent.catch(async (error: unknown) => {
    if (isNotOffered(error)) throw notOffered('the ingest of test reports', { hint: STILL_WORKS }, error)
    if (isBranchGone(error)) return explainMissingBranch(branch)(error)
    // Only our own service is known to count the same report once.
    const isOnce = isLost(error) && (await ifReadable(isTracegate(context))) === true
    throw explainRefusal(error, { ...given, productId, isOnce })
  })
  return ingest
}

const STILL_WORKS = 'record_tests still registers and links tests; tell the user that results cannot be sent.'

function secretWords({ secrets }: ReportSource): string | undefined {
  const kinds = Object.entries(secrets).map(([kind, count]) => `${kind} ${count}`)
  return kinds.length === 0 ? undefined : `${kinds.join(', ')}; sent as they are: tell the user`
}

function gateWords({ offers }: Context): string {
  return `stale: its verdict is older than these results. ${sentencesOffered('To judge again: compute_quality_gate.', offers)}`.trim()
}

/** What the service left out. */
function cutSignals({ truncation_signals: signals = [] }: Ingest): string[] {
  const shown = ['cases', 'unresolved_refs', 'warnings']
  return signals.filter((signal) => shown.includes(parseTruncationNote(signal)?.member ?? ''))
}

function outcomeSentence(ingest: Ingest, dryRun: boolean): string {
  const { results_recorded: recorded, results_duplicate: known = 0 } = ingest.summary ?? {}
  const again = recorded === 0 && known > 0 ? ' All of these results were known already.' : ''
  return `${dryRun ? PREVIEW : ''}${resultWords(ingest)}; ${effectWords(ingest, dryRun)}.${outsideWords(ingest)}${again}`
}

function resultWords(ingest: Ingest): string {
  const { tests, errors, ...statuses } = countResults(ingest)
  if (tests === undefined) return 'Report taken, its counts are not stated'
  const named = Object.entries(statuses).flatMap(([status, count]) => (count ? [`${count} ${status}`] : []))
  return [counted(tests, 'test'), ...(errors === undefined ? [] : [counted(errors, 'error')]), ...named].join(', ')
}

/** Tests, results and coverage are those of the main tree also where a branch is named (contract §5.2). */
function proposedWords(branch: Branch | undefined): string {
  if (branch === undefined) return ''
  return ` Counted in the main tree; new links are proposals on quality branch ${branchLabel(branch)}.`
}

function outsideWords(ingest: Ingest): string {
  const { length: count } = outsideErrors(ingest)
  if (count === 0) return ''
  const { blocked = 0 } = countResults(ingest)
  const taken =
    blocked === 0 ? '' : `, so that the passes in that place (${counted(blocked, 'blocked test')}) prove nothing`
  return ` The run failed outside of its tests (${counted(count, 'error')})${taken}.`
}

function effectWords(ingest: Ingest, dryRun: boolean): string {
  const { coverage_effect: effect } = ingest
  const [from, to] = [effect?.before?.verified, effect?.after?.verified]
  if (from === undefined || to === undefined) return 'the coverage effect is not stated'
  const would = dryRun ? 'would be ' : ''
  const notRun = effect?.after?.not_run ? `; not_run ${effect.after.not_run}${notRunNow(ingest)}` : ''
  return `verified requirements ${would}${from === to ? `unchanged at ${to}` : `${from} -> ${to}`}${notRun}`
}
