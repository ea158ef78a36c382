import * as z from 'zod'
import { keyOf, stateOf } from './support/coverage-text.ts'
import { criterionText } from './support/criterion-text.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { noteLine, toMinute, vouched, withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import type { Requirement, Test } from '../src/mcp/resolve/types.ts'
import { noteText } from '../src/mcp/text/note-text.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { testRow } from './support/test-facts.ts'
import { hasText } from '../src/mcp/text/untrusted.ts'

/** Linked tests that are shown with their last result. */
const TESTS = 50
/** As much as the contract allows: what does not fit is cut where the result is written, and named there. */
const TEXT = 20_000
const CRITERION = 4000

const Listed = z.object({ id: z.string(), title: z.string().optional() })

export const getRequirement = defineTool({
  name: 'get_requirement',
  toolset: 'requirements',
  effect: 'read',
  title: 'Read one requirement',
  description:
    'Open and show one requirement, such as REQ-12, in full: statement, acceptance criteria, code files, the tests ' +
    'linked to it with their last result, and what is below it. To write a test for it use get_test_context.',
  input: z.strictObject({
    product: parameters.Product,
    requirement: z.string().min(1).describe('Requirement key or id. From list_requirements.'),
    detail: parameters.Detail,
  }),
  output: z.object({
    requirement: z.object({
      id: z.string(),
      key: z.string().optional(),
      title: z.string().optional(),
      kind: z.string().optional(),
      status: z.string().optional(),
      priority: z.string().optional(),
      risk: z.string().optional(),
      normative: z.boolean().optional(),
      version: z.int().optional(),
      parent: z.string().optional(),
      components: z.string().optional(),
      tags: z.string().optional(),
      updated_at: z.string().optional(),
      updated_by: z.string().optional(),
    }),
    coverage: z
      .object({
        state: z.string().optional(),
        failing: z.boolean().optional(),
        suspect: z.boolean().optional(),
        flaky: z.boolean().optional(),
        tests: z.int().optional(),
        passed: z.int().optional(),
        failed: z.int().optional(),
        not_run: z.int().optional(),
        last_verified_at: z.string().optional(),
        last_verified_release: z.string().optional(),
      })
      .optional(),
    statement: z.string().optional(),
    rationale: z.string().optional(),
    criteria: z
      .array(
        z.object({ nr: z.int(), id: z.string().optional(), covered: z.boolean(), criterion: z.string().optional() }),
      )
      .optional(),
    code_files: z
      .array(
        z.object({
          file: z.string().optional(),
          symbol: z.string().optional(),
          lines: z.string().optional(),
          source: z.string().optional(),
        }),
      )
      .optional(),
    tests: z
      .array(
        Listed.extend({
          file: z.string().optional(),
          last: z.string().optional(),
          status: z.string().optional(),
          quarantined: z.boolean().optional(),
          role: z.string().optional(),
          link: z.string().optional(),
        }),
      )
      .optional(),
    children: z.array(Listed).optional(),
  }),
  cuts: [
    { path: 'children', least: 5 },
    { path: 'tests', least: 5 },
    { path: 'code_files', least: 5 },
    { path: 'rationale', least: 200 },
    { path: 'criteria', least: 8 },
    { path: 'statement', least: 800 },
  ],

  async run({ product: given, requirement: named, detail }, context) {
    const { requirement: found, product } = await context.resolve.requirement(named, given)
    const { api, signal } = context
    const [read, { tests }] = await Promise.all([
      api.getRequirement({ id: found.id }, { signal }),
      api.listTests(
        { product_id: product.id, requirement_id: found.id, view: 'TEST_VIEW_BASIC', page_size: TESTS },
        { signal },
      ),
    ])
    const { requirement, children = [] } = read
    return {
      answer: answerLine(read),
      product,
      data: {
        requirement: await factsOf(requirement, product.id, context),
        coverage: coverageOf(requirement),
        statement: noteText(requirement.statement, TEXT),
        rationale: noteText(requirement.rationale, TEXT),
        criteria: coveredCriteria(read).map(({ criterion, covered }, index) => ({
          nr: index + 1,
          ...(detail === 'full' && { id: criterion.id }),
          covered,
          criterion: noteLine(criterionText(criterion), CRITERION),
        })),
        code_files: (requirement.code_refs ?? []).map((ref) => ({
          file: noteLine(ref.path, 200),
          symbol: noteLine(ref.symbol, 120),
          lines: linesOf(ref),
          ...(ref.source !== 'CODE_REF_SOURCE_DECLARED' && { source: withoutPrefix(ref.source, 'CODE_REF_SOURCE_') }),
        })),
        tests: linkRows(read, tests),
        children: children.map((child) => ({ id: keyOf(child), title: noteLine(child.title, 120) })),
      },
      next: nextOf(requirement, product.id),
    }
  },
})

type Read = Awaited<ReturnType<Context['api']['getRequirement']>>
type Link = NonNullable<Read['links']>[number]

/** Links that only exercise the requirement prove nothing of it (contract §4). */
function countingLinks({ links = [] }: Read): Link[] {
  return links.filter(({ role }) => role !== 'LINK_ROLE_EXERCISES')
}

function coveredCriteria(read: Read) {
  const { acceptance_criteria: criteria = [], coverage } = read.requirement
  const uncovered = new Set(coverage?.uncovered_criterion_ids)
  const isLinked = countingLinks(read).length > 0
  return criteria.map((criterion) => ({ criterion, covered: isLinked && !uncovered.has(criterion.id) }))
}

function answerLine(read: Read): string {
  const { requirement, children = [] } = read
  const { state = 'of unknown coverage', failing, suspect } = stateOf(requirement.coverage)
  const why = [failing === true && 'failing', suspect === true && 'links in doubt'].filter((word) => word !== false)
  const criteria = coveredCriteria(read)
  const covered = criteria.filter((one) => one.covered).length
  const parts = [
    withoutPrefix(requirement.status, 'REQUIREMENT_STATUS_'),
    criteria.length === 0
      ? 'no acceptance criteria'
      : `${String(covered)} of ${String(criteria.length)} acceptance criteria covered`,
    counted(read.links?.length ?? 0, 'linked test'),
    children.length === 0 ? undefined : `${counted(children.length, 'requirement')} below it`,
  ].filter((part) => part !== undefined)
  return `${keyOf(requirement)} is ${state}${why.length === 0 ? '' : ` (${why.join(', ')})`}: ${parts.join(', ')}.`
}

async function factsOf(requirement: Requirement, productId: string, { resolve }: Context) {
  const { component_ids: ids = [], normative, updated_by: by } = requirement
  const components = ids.length === 0 ? [] : await resolve.components(productId)
  const names = ids.map((id) => noteLine(components.find((one) => one.id === id)?.name, 60) ?? id)
  return {
    id: requirement.id,
    key: requirement.key,
    title: noteLine(requirement.title, 200),
    kind: withoutPrefix(requirement.kind, 'REQUIREMENT_KIND_'),
    status: withoutPrefix(requirement.status, 'REQUIREMENT_STATUS_'),
    priority: withoutPrefix(requirement.priority, 'PRIORITY_'),
    risk: withoutPrefix(requirement.risk, 'RISK_LEVEL_'),
    ...(normative === false && { normative }),
    version: requirement.version,
    parent: requirement.path?.at(-1),
    components: names.join(', '),
    tags: noteLine(requirement.tags?.join(', ')),
    updated_at: toMinute(requirement.updated_at),
    updated_by: noteLine(by?.display_name, 60),
  }
}

function coverageOf({ coverage }: Requirement) {
  if (coverage === undefined) return undefined
  const { last_verified_release: release, last_verified_release_known: known } = coverage
  return {
    ...stateOf(coverage),
    ...(coverage.flaky === true && { flaky: true }),
    tests: coverage.linked_test_count,
    passed: coverage.passed_count,
    failed: coverage.failed_count,
    not_run: coverage.not_run_count,
    last_verified_at: toMinute(coverage.last_verified_at),
    last_verified_release: vouched(hasText(release) ? release : undefined, known),
  }
}

function linesOf({ start_line: start = 0, end_line: end = 0 }: { start_line?: number; end_line?: number }) {
  if (start === 0) return undefined
  return end > start ? `${String(start)}-${String(end)}` : String(start)
}

/** The links, each with what is known of its test beyond the first page of tests only its name. */
function linkRows({ links = [] }: Read, tests: readonly Test[]) {
  return links.map((link) => {
    const test = tests.find(({ id }) => id === link.test_id)
    const row = test === undefined ? { id: nameOf(link), title: noteLine(link.test_title, 120) } : testRow(test)
    const isSuite = test?.kind === 'TEST_KIND_SUITE'
    return {
      ...row,
      // A suite has the results of its cases.
      ...(isSuite && { last: undefined, status: 'suite' }),
      ...(link.role !== 'LINK_ROLE_VERIFIES' && { role: withoutPrefix(link.role, 'LINK_ROLE_') }),
      ...(link.state !== 'LINK_STATE_ACTIVE' && { link: withoutPrefix(link.state, 'LINK_STATE_') }),
    }
  })
}

function nameOf({ test_id: id, test_key: key }: Link): string {
  return keyOf({ id, key })
}

function nextOf(requirement: Requirement, product: string) {
  const { coverage, kind } = requirement
  if (kind === 'REQUIREMENT_KIND_GROUP' || coverage?.state === 'verified') {
    return [{ tool: 'find_coverage_gaps', why: 'what is not verified yet', args: { product } }]
  }
  const args = { product, requirement: keyOf(requirement) }
  return [{ tool: 'get_test_context', why: 'what a test of it has to show', args }]
}
