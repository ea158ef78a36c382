import * as z from 'zod'
import { Actor, CodeRef, Coverage } from '../src/contract/base/common.ts'
import { LinkRole, LinkState } from '../src/contract/links.ts'
import { Requirement } from '../src/contract/requirements.ts'
import { defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { counts, fields, flag, manyLines, pick, rows, teamLine, upTo } from '../src/mcp/result/output.ts'
import { knownName, quoted } from '../src/mcp/text/untrusted.ts'
import { coverageState, keyOrId, rowTitle } from './support/columns.ts'
import { cutNames } from './support/cuts.ts'
import { branchSentence, explainMissingBranch, namedBranch, onBranch } from './support/named-branch.ts'
import { criterionText } from './support/quality/criteria.ts'
import {
  componentNames,
  coveredCriteria,
  describeLink,
  readRequirement,
  requirementSentence,
  withResults,
} from './support/quality/requirement-in-full.ts'
import { describeSource, requirementSource } from './support/requirement-source.ts'
import { testReport } from './support/test-names.ts'
import { testColumns } from './support/quality/tests.ts'

/** As much as the contract allows: what does not fit is cut where the result is written, and named there. */
const TEXT = 20_000
const CRITERION = 4000

export const getRequirement = defineTool({
  name: 'get_requirement',
  toolset: 'requirements',
  effect: 'read',
  title: 'Read one requirement',
  description:
    'Read or open one requirement, such as REQ-12, in full, with all details: statement, acceptance criteria, code files, the tests ' +
    'linked to it with their last result, and what is below it. To write a test for it use get_test_context.',
  input: z.strictObject({
    product: parameters.Product,
    requirement: z.string().min(1).describe('Requirement key or id. From list_requirements.'),
    branch: parameters.Branch,
    detail: parameters.Detail,
  }),
  output: z.object({
    requirement: fields({
      ...pick(Requirement, 'id', 'title', 'kind', 'status', 'priority', 'risk', 'normative', 'version'),
      parent: z.string(),
      components: upTo(teamLine, 1000),
      tags: upTo(teamLine, 300),
      updated_at: Requirement.shape.updated_at,
      updated_by: Actor.shape.display_name,
    }),
    coverage: fields({
      ...coverageState,
      flaky: flag,
      ...counts('tests', 'passed', 'failed', 'not_run'),
      last_verified_at: Coverage.shape.last_verified_at,
      last_verified_release: z.string(),
    }).optional(),
    statement: manyLines(Requirement.shape.statement, TEXT).optional(),
    rationale: manyLines(Requirement.shape.rationale, TEXT).optional(),
    source: requirementSource.optional(),
    // The id only with full detail: no tool takes it.
    criteria: rows({
      nr: z.int(),
      id: z.string().optional(),
      covered: z.enum(['yes', 'no', 'unknown']),
      criterion: upTo(teamLine, CRITERION),
    }).optional(),
    code_files: rows({
      file: CodeRef.shape.path,
      ...pick(CodeRef, 'symbol'),
      lines: z.string(),
      ...pick(CodeRef, 'source'),
    }).optional(),
    tests: rows({ ...testColumns, status: z.string(), role: LinkRole, link: LinkState }).optional(),
    children: rows({ id: z.string(), title: rowTitle }).optional(),
  }),
  cuts: [
    { path: 'children', least: 5 },
    { path: 'tests', least: 5 },
    { path: 'code_files', least: 5 },
    { path: 'rationale', least: 200 },
    { path: 'criteria', least: 8 },
    { path: 'statement', least: 800 },
  ],

  async run({ product: given, requirement: named, branch: branchNamed, detail }, context) {
    const { resolve, local } = context
    const scope = given === undefined ? undefined : (await resolve.product(given)).id
    const branch = await namedBranch(branchNamed, scope, context)
    const { requirement: found, product } = await resolve.requirement(named, branch?.product_id ?? scope, branch?.id)
    const read = await readRequirement({ requirement: found, product, branch }, context).catch(
      explainMissingBranch(branch),
    )
    const { requirement, children = [], links = [], tests } = read
    const { coverage, normative, code_refs: codeRefs = [] } = requirement
    const isProved = requirement.kind === 'REQUIREMENT_KIND_GROUP' || coverage?.state === 'verified'
    const criteria = coveredCriteria(read)
    const linkedTests = await Promise.all(links.map((link) => describeLink(link, tests, local)))
    const release = knownName(coverage?.last_verified_release, coverage?.last_verified_release_known)
    return {
      answer: requirementSentence(read) + read.missing + branchSentence(branch),
      product,
      data: {
        requirement: {
          ...requirement,
          id: keyOrId(requirement),
          normative: normative === false ? normative : undefined,
          parent: requirement.path?.at(-1),
          components: (await componentNames(requirement.component_ids, product.id, context)).join(', '),
          tags: requirement.tags?.join(', '),
          updated_by: requirement.updated_by?.display_name,
        },
        coverage: coverage && {
          ...coverage,
          tests: coverage.linked_test_count,
          passed: coverage.passed_count,
          failed: coverage.failed_count,
          not_run: coverage.not_run_count,
          last_verified_release: release,
        },
        statement: requirement.statement,
        rationale: requirement.rationale,
        source: describeSource(requirement),
        criteria: criteria?.map(({ criterion, covered }, index) => ({
          nr: index + 1,
          id: detail === 'full' ? criterion.id : undefined,
          covered,
          criterion: criterionText(criterion),
        })),
        code_files: codeRefs.map(({ path: file, symbol, source, start_line: start = 0, end_line: end }) => ({
          file,
          symbol,
          lines: start === 0 ? undefined : lineWords(start, end),
          source: source === 'CODE_REF_SOURCE_DECLARED' ? undefined : source,
        })),
        tests: linkedTests.map(({ row }) => row),
        children: children.map((child) => ({ id: keyOrId(child), title: child.title })),
      },
      untrusted: {
        ...testReport,
        content: {
          last_verified_release:
            release === undefined ? quoted`${coverage?.last_verified_release}`.cut(120) : undefined,
          tests: linkedTests.map(({ reported }) => reported),
        },
      },
      // Where none was read, the answer says so.
      cut: tests.length === 0 ? [] : cutNames([], { 'last results of tests': withResults(links, tests) }),
      next: [
        isProved
          ? nextCall('find_coverage_gaps', { product: product.id, ...onBranch(branch) }, 'what is not verified yet')
          : nextCall(
              'get_test_context',
              { product: product.id, requirement: keyOrId(requirement), ...onBranch(branch) },
              'what a test of it has to show',
            ),
      ],
    }
  },
})

/** `3-9`, `3` of one line; where the end is not stated `from 3`. */
function lineWords(start: number, end: number | undefined): string {
  if (end === undefined) return `from ${start}`
  return end > start ? `${start}-${end}` : `${start}`
}
