import * as z from 'zod'
import { keyOf, stateOf, teamLine, whyOf } from './support/coverage-text.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import { cutsOf } from './support/fix-facts.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { noteText } from '../src/mcp/text/note-text.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { contextLimits, readTestContext } from './support/read-test-context.ts'
import type { Product } from '../src/mcp/resolve/types.ts'
import {
  codeFiles,
  conventionsOf,
  criterionRows,
  pastFailures,
  relatedIssues,
  similarRows,
  suggestionsOf,
  testRow,
  type ToldTestContext,
} from './support/test-facts.ts'

/** What follows the writing; a sentence with a tool that is not offered is left out. */
const REGISTER =
  'To register: record_tests with file, suite and title as in the code, unless its name or tag names the requirement. ' +
  'To send the report: ingest_test_report.'

const input = z.strictObject({
  product: parameters.Product,
  requirement: z.string().min(1).describe('Requirement key or id. From find_coverage_gaps.'),
  branch: z.string().optional().describe('Quality-branch id.'),
  detail: parameters.Detail,
})

export const getTestContext = defineTool({
  name: 'get_test_context',
  toolset: 'default',
  effect: 'read',
  title: 'Context for writing tests',
  description:
    'Get the context to write or generate tests for one requirement: what they must prove (acceptance criteria), ' +
    'existing linked tests, code files that implement it, conventions and suggested cases. ' +
    'Changes no test; write it in the repository. Then register it with record_tests.',
  input,
  output: z.object({
    requirement: z.object({
      id: z.string(),
      title: z.string().optional(),
      state: z.string().optional(),
      failing: z.boolean().optional(),
      suspect: z.boolean().optional(),
      kind: z.string().optional(),
      priority: z.string().optional(),
      risk: z.string().optional(),
    }),
    statement: z.string().optional(),
    rationale: z.string().optional(),
    criteria: z
      .array(
        z.object({
          nr: z.int(),
          covered: z.boolean().optional(),
          criterion: z.string().optional(),
          tests: z.string().optional(),
        }),
      )
      .optional(),
    tests: z
      .array(
        z.object({
          id: z.string(),
          title: z.string().optional(),
          file: z.string().optional(),
          last: z.string(),
          status: z.string().optional(),
          quarantined: z.boolean().optional(),
        }),
      )
      .optional(),
    past_failures: z
      .array(z.object({ test: z.string().optional(), at: z.string().optional(), release: z.string().optional() }))
      .optional(),
    code_files: z
      .array(
        z.object({
          file: z.string(),
          why: z.string().optional(),
          component: z.string().optional(),
          issues: z.string().optional(),
        }),
      )
      .optional(),
    code_files_note: z.string().optional(),
    conventions: z
      .object({
        framework: z.string().optional(),
        files: z.string().optional(),
        suites: z.string().optional(),
        case_names: z.array(z.string()).optional(),
      })
      .optional(),
    similar_tests: z
      .array(z.object({ id: z.string(), title: z.string().optional(), file: z.string().optional() }))
      .optional(),
    related_issues: z
      .array(z.object({ id: z.string(), level: z.string().optional(), times_seen: z.int().optional() }))
      .optional(),
    suggested: z
      .object({
        file: z.string().optional(),
        suite: z.string().optional(),
        name_like: z.string().optional(),
        cases: z
          .array(
            z.object({
              technique: z.string().optional(),
              criterion: z.int().optional(),
              title: z.string().optional(),
              notes: z.string().optional(),
            }),
          )
          .optional(),
      })
      .optional(),
    how_to: z.array(z.string()).optional(),
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

  async run({ product: given, requirement: named, branch, detail }, context) {
    const { requirement, product } = await context.resolve.requirement(named, given)
    const limit = contextLimits[detail]
    const { told, unresolved } = await readTestContext({ requirement, product, branch, detail }, context)
    const products = await context.resolve.products()
    const files = await codeFiles(told, { local: context.local, products, detail })
    const shownFiles = files.slice(0, limit.files)
    const failures = pastFailures(told, limit.failures)
    const issues = relatedIssues(told, { products, detail })
    const id = keyOf(requirement)
    const own = {
      code_files: { shown: shownFiles.length, total: files.length },
      past_failures: { shown: failures.length, total: told.past_failures?.length ?? 0 },
    }
    return {
      answer: answerLine(id, told),
      product,
      data: {
        requirement: {
          id,
          title: teamLine(requirement.title, 200),
          ...stateOf(told.coverage ?? requirement.coverage),
          kind: withoutPrefix(requirement.kind, 'REQUIREMENT_KIND_'),
          priority: withoutPrefix(requirement.priority, 'PRIORITY_'),
          risk: withoutPrefix(requirement.risk, 'RISK_LEVEL_'),
        },
        statement: noteText(requirement.statement, limit.text),
        ...(detail === 'full' && { rationale: noteText(requirement.rationale, limit.text) }),
        criteria: criterionRows(told, limit.criterion),
        tests: (told.linked_tests ?? []).map(testRow),
        past_failures: failures.map(({ row }) => row),
        code_files: shownFiles.flatMap(({ row }) => row ?? []),
        code_files_note: filesNote(shownFiles, unresolved),
        conventions: conventionsOf(told, detail),
        similar_tests: similarRows(told).slice(0, limit.similar),
        related_issues: issues.map(({ row }) => row),
        suggested: suggestionsOf(told, detail),
        how_to: howTo(told, context),
      },
      untrusted: {
        source: 'error event or test report',
        writableBy: 'anyone with the public DSN, or whoever ran the tests',
        content: {
          code_files: shownFiles.flatMap(({ said }) => said ?? []),
          past_failures: failures.map(({ said }) => said),
          related_issues: issues.map(({ said }) => said),
        },
      },
      cut: cutsOf(told.truncation_signals ?? [], own),
      next: nextOf(told, issues[0]?.row.id, product),
    }
  },
})

function answerLine(
  id: string,
  { coverage, gap, acceptance_criteria: criteria = [], linked_tests: tests = [] }: ToldTestContext,
) {
  const state = coverage?.state ?? 'of unknown coverage'
  const why = gap === null || gap === undefined ? undefined : whyOf(gap)
  const covered = criteria.filter((criterion) => criterion.covered === true).length
  const share =
    criteria.length === 0
      ? 'no acceptance criteria'
      : `${String(covered)} of ${String(criteria.length)} acceptance criteria covered`
  return `${id} is ${state}${why === undefined ? '' : `: ${why}`}; ${share}, ${counted(tests.length, 'linked test')}.`
}

function filesNote(files: Awaited<ReturnType<typeof codeFiles>>, unresolved: readonly string[]): string | undefined {
  const unmatched = files.filter(({ row }) => row === undefined).length
  const globs = unresolved.slice(0, 5).flatMap((glob) => teamLine(glob, 120) ?? [])
  const notes = [
    ...(files.length === 0 ? ['the requirement names no code: find it by its words'] : []),
    ...(globs.length === 0 ? [] : [`no file of this machine matches ${globs.join(', ')}`]),
    ...(unmatched === 0 ? [] : [`${counted(unmatched, 'file')} named only by stack frames: find before reading`]),
  ]
  return notes.length === 0 ? undefined : notes.join('; ')
}

function howTo({ guidance = [] }: ToldTestContext, { offers }: Context): string[] {
  const sentences = guidance.flatMap((sentence) => teamLine(sentence, 300) ?? [])
  return [...sentences, sentencesOffered(REGISTER, offers)].filter((sentence) => sentence !== '')
}

function nextOf({ coverage }: ToldTestContext, issue: string | undefined, { id: product }: Product) {
  return [
    ...(issue === undefined
      ? []
      : [{ tool: 'get_fix_context', why: 'the crash that a regression test reproduces', args: { issue } }]),
    ...(coverage?.state === 'verified'
      ? [{ tool: 'find_coverage_gaps', why: 'what is not verified yet', args: { product } }]
      : []),
  ]
}
