import * as z from 'zod'
import { Requirement } from '../src/contract/requirements.ts'
import { TestContext as TestContextSchema } from '../src/contract/test-context.ts'
import { counted } from '../src/lib/counted.ts'
import { defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, manyLines, pick, rows, teamLine, upTo } from '../src/mcp/result/output.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { firstNames } from '../src/mcp/text/block-notes.ts'
import { teamText } from '../src/mcp/text/team.ts'
import { isProvisional } from '../src/mcp/resolve/ids.ts'
import { describeSource, requirementSource } from './support/requirement-source.ts'
import { coverageState, keyOrId, repositoryPath, rowTitle } from './support/columns.ts'
import { cutNames, kept, totalBefore } from './support/cuts.ts'
import { branchSentence, namedBranch, onBranch } from './support/named-branch.ts'
import { criteriaWords } from './support/quality/criteria.ts'
import { gapReasons, issueToFix } from './support/quality/gaps.ts'
import { proposedTests } from './support/quality/proposed-links.ts'
import { contextLimits, readTestContext, type ReadTestContext } from './support/quality/read-test-context.ts'
import {
  codeFileRows,
  conventions,
  describeCodeFiles,
  describeConventions,
  describeSuggestions,
  describeTarget,
  numberCriteria,
  pastFailures,
  relatedIssues,
  similarTests,
  suggestions,
  type TestContext,
} from './support/quality/test-context.ts'
import { isWorseBelow, linkedWords } from './support/quality/requirement-in-full.ts'
import { describeTest, testColumns } from './support/quality/tests.ts'
import { eventOrReport } from './support/test-names.ts'

/** What the answer calls members of the contract. */
const NAMES = { linked_tests: 'tests', 'suggestions.cases': 'suggested.cases' }

/** Globs named that match no file. */
const GLOBS = 5

/** What follows the writing; a sentence with a tool that is not offered is left out. */
const REGISTER =
  'Where the name cannot hold the key: record_tests with file, suite and title as in the code. ' +
  'To send the report: ingest_test_report.'

/** The same where the name must not hold the key, because the merge gives the requirement another one. */
const PROPOSE =
  'To link it: record_tests with branch, and file, suite and title as in the code; the user decides the link. ' +
  'To send the report: ingest_test_report.'

const criterion = upTo(teamLine, contextLimits.full.criterion)
const { past_failures: failure, related_issues: issue } = TestContextSchema.shape

export const getTestContext = defineTool({
  name: 'get_test_context',
  toolset: 'default',
  effect: 'read',
  title: 'Context for writing tests',
  description:
    'Get the context to write or generate tests for one requirement: what they must prove (acceptance criteria), ' +
    'existing linked tests, code files that implement it, conventions and suggested cases. ' +
    'Changes no test; write it in the repository. Then register it with record_tests.',
  input: z.strictObject({
    product: parameters.Product,
    requirement: z.string().min(1).describe('Requirement key or id. From find_coverage_gaps.'),
    branch: parameters.Branch,
    detail: parameters.Detail,
  }),
  output: z.object({
    requirement: fields({
      ...pick(Requirement, 'id', 'title'),
      ...coverageState,
      ...pick(Requirement, 'kind', 'priority', 'risk'),
    }),
    statement: manyLines(Requirement.shape.statement, contextLimits.full.text).optional(),
    rationale: manyLines(Requirement.shape.rationale, contextLimits.full.text).optional(),
    source: requirementSource.optional(),
    criteria: rows({ nr: z.int(), covered: z.enum(['yes', 'no', 'unknown']), criterion, tests: z.string() }).optional(),
    tests: rows(testColumns).optional(),
    past_failures: rows({ test: z.string(), at: failure.element.shape.executed_at, release: z.string() }).optional(),
    code_files: codeFileRows.optional(),
    code_files_note: upTo(teamLine, 1000).optional(),
    conventions: conventions.optional(),
    similar_tests: rows({ id: z.string(), title: rowTitle, file: repositoryPath }).optional(),
    related_issues: rows({ id: z.string(), level: issue.element.shape.level, times_seen: z.int() }).optional(),
    suggested: suggestions.optional(),
    how_to: z.array(upTo(teamLine, 300)).optional(),
  }),
  cuts: [
    { path: 'similar_tests' },
    { path: 'code_files.*.excerpt', least: 120 },
    { path: 'past_failures' },
    { path: 'related_issues' },
    { path: 'suggested.cases', least: 4 },
    { path: 'code_files', least: 4 },
    { path: 'tests', least: 4 },
    { path: 'criteria', least: 4 },
    { path: 'statement', least: 300 },
    { path: 'conventions.case_names' },
  ],

  async run({ product: given, requirement: named, branch: branchNamed, detail }, context) {
    const { resolve, local, offers } = context
    const scope = given === undefined ? undefined : (await resolve.product(given)).id
    const branch = await namedBranch(branchNamed, scope, context)
    const { requirement, product } = await resolve.requirement(named, branch?.product_id ?? scope, branch?.id)
    const limit = contextLimits[detail]
    const {
      testContext,
      unresolved,
      notPermitted,
      madeFrom = '',
    } = await readTestContext({ requirement, product, branch, detail }, context)
    const { truncation_signals: signals = [], past_failures: allFailures = [] } = testContext
    const showing = { local, products: await resolve.products(), detail }
    const allFiles = await describeCodeFiles(testContext, showing)
    const files = allFiles.slice(0, limit.files)
    const failures = pastFailures(testContext, limit.failures)
    const issues = relatedIssues(testContext, showing)
    const tests = await Promise.all((testContext.linked_tests ?? []).map((test) => describeTest(test, local)))
    const similar = await similarTests(testContext, limit.similar, local)
    const written = describeConventions(testContext, detail)
    const target = await describeTarget(testContext, local)
    const proposed = await proposedTests(requirement, branch, context)
    const register = isProvisional(requirement.key) ? PROPOSE : REGISTER
    const fix = testContext.gap ? issueToFix(testContext.gap, showing.products) : undefined
    // Only a crash in the requirement's own files is one that its tests should reproduce.
    const crash = issues.find(({ row }) => isReproduced(row.id, testContext))
    return {
      answer: contextSentence(keyOrId(requirement), testContext) + (madeFrom || branchSentence(branch)),
      product,
      data: {
        requirement: { ...requirement, ...(testContext.coverage ?? requirement.coverage), id: keyOrId(requirement) },
        statement: teamText(requirement.statement ?? testContext.requirement?.statement ?? '', {
          characters: limit.text,
          manyLines: true,
        }),
        rationale: detail === 'full' ? requirement.rationale : undefined,
        source: describeSource(testContext.requirement ?? requirement),
        criteria: numberCriteria(testContext)?.map((row) => ({
          ...row,
          criterion: teamText(row.criterion, { characters: limit.criterion }),
        })),
        tests: tests.map(({ row }) => row),
        past_failures: failures.map(({ row }) => row),
        code_files: files.flatMap(({ row }) => row ?? []),
        code_files_note: filesNote(testContext.code_files && files, { unresolved, notPermitted }),
        conventions: written.facts,
        similar_tests: similar.flatMap(({ row }) => row ?? []),
        related_issues: issues.map(({ row }) => row),
        suggested: { ...target.facts, ...describeSuggestions(testContext, detail) },
        how_to: [
          ...(proposed === undefined ? [] : [proposed]),
          ...(testContext.guidance ?? []),
          sentencesOffered(register, offers),
        ],
      },
      untrusted: {
        ...eventOrReport,
        content: {
          tests: tests.map(({ reported }) => reported),
          code_files: files.map(({ untrusted }) => untrusted),
          past_failures: failures.map(({ untrusted }) => untrusted),
          conventions: written.reported,
          similar_tests: similar.map(({ reported }) => reported),
          related_issues: issues.map(({ untrusted }) => untrusted),
          suggested: target.reported,
        },
      },
      cut: cutNames(
        signals,
        { code_files: kept(allFiles, limit.files), past_failures: kept(allFailures, limit.failures) },
        NAMES,
      ),
      next: [
        fix === undefined
          ? undefined
          : nextCall('get_fix_context', { issue: fix }, 'the code that its red test asks to fix'),
        crash && nextCall('get_fix_context', { issue: crash.row.id }, 'the crash that a regression test reproduces'),
        testContext.coverage?.state === 'verified'
          ? nextCall('find_coverage_gaps', { product: product.id, ...onBranch(branch) }, 'what is not verified yet')
          : undefined,
        branch && proposed !== undefined
          ? nextCall(
              'review_branch',
              { product: product.id, ...onBranch(branch) },
              'the links that wait for a decision',
            )
          : undefined,
      ],
    }
  },
})

function contextSentence(id: string, context: TestContext) {
  const { coverage, gap, linked_tests: tests, truncation_signals: signals = [] } = context
  const why = gap ? gapReasons(gap) : undefined
  const below = isWorseBelow(coverage) ? ' because of a requirement below it' : ''
  const state = `${coverage?.state ?? 'of a coverage that is not stated'}${below}${why === undefined ? '' : `: ${why}`}`
  const covered = numberCriteria(context)?.map((criterion) => criterion.covered)
  return `${id} is ${state}; ${criteriaWords(covered)}, ${linkedWords(tests && totalBefore(signals, 'linked_tests', tests))}.`
}

function isReproduced(issue: string, { suggestions }: TestContext): boolean {
  const regressions = suggestions?.cases?.filter(({ technique }) => technique === 'regression') ?? []
  return regressions.some(({ title }) => title?.split(' ').includes(issue) === true)
}

function filesNote(
  files: readonly { row: object | undefined; reason: string | undefined }[] | undefined,
  { unresolved, notPermitted }: Pick<ReadTestContext, 'unresolved' | 'notPermitted'>,
): string | undefined {
  const claimed = files?.filter(({ row }) => row === undefined) ?? []
  const unmatched = claimed.length
  const by = claimed.every(({ reason }) => reason === 'stack_frame') ? 'only by stack frames' : 'by what is not stated'
  const notes = [
    files === undefined && 'not stated',
    files?.length === 0 && 'the requirement names no code: find it by its words',
    unresolved.length > 0 && `no file of this machine matches ${firstNames(unresolved, GLOBS)}`,
    notPermitted === true && 'globs stay globs: resolving them needs a token with the scope write',
    unmatched > 0 && `${counted(unmatched, 'file')} named ${by}: find before reading`,
  ].filter((note) => note !== false)
  return notes.length === 0 ? undefined : notes.join('; ')
}
