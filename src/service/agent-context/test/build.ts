import { Repository } from '../../../contract/products.ts'
import type { Call } from '../../shared/context.ts'
import { createTruncationNotes, keepFirst } from '../../shared/truncation-notes.ts'
import { countedLinks } from '../../quality/coverage/links.ts'
import type { CountedLink } from '../../quality/coverage/rule.ts'
import { liveIssues, type LiveIssue, type LiveIssues } from '../../quality/gaps/exposure.ts'
import { scanGaps, type ScannedGap } from '../../quality/gaps/scan.ts'
import { viewGaps, type GapBody } from '../../quality/gaps/view.ts'
import { compileGlob } from '../../workspace/components/glob.ts'
import { compileComponentRows } from '../../workspace/components/components.ts'
import { componentRefs } from '../../workspace/releases/names.ts'
import type { StoredRequirement } from '../../quality/requirements/access.ts'
import { isProvisionalKey, requirementKey, testKey } from '../../quality/keys.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { CodeRefs, Criteria } from '../../quality/requirements/columns.ts'
import { issueClaims } from '../../quality/gaps/issue-claims.ts'
import { ancestorNumbers } from '../../quality/requirements/tree.ts'
import { requirementRef, viewRequirements } from '../../quality/requirements/view.ts'
import type { Rows } from '../../sql/database.ts'
import { viewTests } from '../../quality/cases/view.ts'
import { withinBudget, type TestContextBody } from './budget.ts'
import { listCodeFiles, type CodeFile } from './code-files.ts'
import { readConventions, type ConventionsBody, type TestFile } from './conventions.ts'
import { environmentRefs } from './environments.ts'
import { formatExcerpt, readCrashFrames, topFrames, type IssueFrames } from './excerpts.ts'
import { guidanceFor } from './guidance.ts'
import { pastFailures } from './past-failures.ts'
import { similarTests } from './similar.ts'
import { suggestCases, targetFile } from './suggestions.ts'
import { readJson, readTexts } from '../../sql/json.ts'

export interface ContextOptions {
  now: number
  symbolicator: Call['symbolicator']
  maxFiles?: number | undefined
  maxSimilar?: number | undefined
  maxTokens?: number | undefined
  /** Data that several contexts of one answer share; read from the database when absent. */
  shared?: SharedContext | undefined
}

export interface SharedContext {
  gaps: readonly ScannedGap[]
  issues: LiveIssues
  conventions: ConventionsBody
  testFiles: readonly TestFile[]
}

const WINDOW = '7d'
const TESTS_SHOWN = 50
const ISSUES_SHOWN = 5
const FRAMES_SHOWN = 5
const CASES_SHOWN = 20

/** Reads the data that all contexts of a product share. */
export async function readShared(rows: Rows, product: StoredProduct, now: number): Promise<SharedContext> {
  // A server answers them at the same time.
  const [gaps, issues, conventions] = await Promise.all([
    scanGaps(rows, product, { window: WINDOW, now }),
    liveIssues(rows, product.id, { window: '30d', now }),
    readConventions(rows, product.id),
  ])
  return { gaps, issues, ...conventions }
}

/** Builds the context for writing tests of a requirement, within a token budget (contract §9.2). */
export async function buildTestContext(
  rows: Rows,
  product: StoredProduct,
  requirement: StoredRequirement,
  options: ContextOptions,
): Promise<TestContextBody> {
  const { now, symbolicator, maxFiles = 20, maxSimilar = 5, maxTokens = 12_000 } = options
  const notes = createTruncationNotes()
  // A server answers them at the same time.
  const [shared, [body], linked, ancestors, environments] = await Promise.all([
    options.shared ?? readShared(rows, product, now),
    viewRequirements(rows, product, [requirement], { now }),
    countedLinks(rows, [requirement.id], { now }),
    findAncestors(rows, requirement),
    environmentRefs(rows, product.id),
  ])
  const links = linked.get(requirement.id) ?? []
  const [{ tests, total }, issues, gap] = await Promise.all([
    linkedTests(rows, requirement.id, links),
    claimedIssues(rows, product.id, requirement.id, shared.issues),
    findGap(rows, product, requirement.id, shared.gaps, now),
  ])
  const firstTests = tests.slice(0, TESTS_SHOWN)
  notes.noteCut('linked_tests', 'max_items', firstTests.length, total)
  const [frames, located, viewed, failures] = await Promise.all([
    readCrashFrames(rows, product, issues.slice(0, ISSUES_SHOWN), symbolicator),
    findCodeFiles(rows, product, requirement, issues),
    viewTests(rows, firstTests, { now, basic: true }),
    pastFailures(rows, firstTests, notes),
  ])
  const files = withExcerpts(located, frames)
  const criteria = readJson(Criteria, requirement.acceptance_criteria)
  const keys = new Map(tests.map((test) => [test.id, testKey(test)]))
  const proved = new Set(body!.coverage.covered_criterion_ids)
  const covered = criteria.map((criterion) => ({
    ...criterion,
    covered: proved.has(criterion.id),
    covering_test_keys: testsNaming(criterion.id, links, keys),
  }))
  const componentIds = readTexts(requirement.component_ids)
  const open = issues.filter(({ status }) => status === 'unresolved')
  const crashing = open.filter((issue) => crashesIn(issue, requirement))
  const similar = await similarTests(rows, product.id, {
    text: `${requirement.title} ${criteria.map(({ text, when }) => `${text} ${when}`).join(' ')}`,
    componentIds,
    folders: files.map(({ path }) =>
      path.slice(0, Math.max(0, path.lastIndexOf('/'))).replace(/^(?:src|lib|app)\//, ''),
    ),
    except: new Set(tests.map(({ id }) => id)),
    max: maxSimilar,
  })
  const key = requirementKey(requirement)
  const unlinked = new Set(body!.coverage.uncovered_criterion_ids)
  const uncovered = covered.filter(({ id }) => unlinked.has(id))
  const example = tests.find(({ names_known: known }) => known === 1) ?? tests[0]
  const target = targetFile(shared.conventions, {
    linked: example && { path: example.file_path, isKnown: example.names_known === 1 },
    codeFiles: files.filter(({ reason }) => reason !== 'stack_frame').map(({ path }) => path),
    testFiles: shared.testFiles,
  })
  const cases = suggestCases({
    key,
    title: requirement.title,
    statement: requirement.statement,
    criteria: uncovered,
    hasCriteria: criteria.length > 0,
    issueKeys: crashing.slice(0, ISSUES_SHOWN).map(({ number }) => `${product.key_prefix}-${String(number)}`),
  })
  const context: TestContextBody = {
    requirement: body!,
    ancestors,
    coverage: body!.coverage,
    gap,
    acceptance_criteria: covered.map(({ id, text, given, when, then, covered: isCovered, covering_test_keys }) => ({
      id,
      text,
      given,
      when,
      // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
      then,
      covered: isCovered,
      covering_test_keys,
    })),
    linked_tests: viewed,
    past_failures: failures,
    code_files: keepFirst(notes, 'code_files', files, maxFiles),
    similar_tests: similar,
    conventions: shared.conventions,
    environments,
    related_issues: keepFirst(notes, 'related_issues', open, ISSUES_SHOWN).map(
      ({ id, number, title, level, events }) => ({
        id,
        short_id: `${product.key_prefix}-${String(number)}`,
        title,
        level,
        times_seen: events,
        culprit: topFrames(frames.find((one) => one.issueId === id)?.frames ?? [], 1)[0] ?? '',
        top_frames: topFrames(frames.find((one) => one.issueId === id)?.frames ?? [], FRAMES_SHOWN),
      }),
    ),
    suggestions: {
      target_file: target?.path ?? '',
      suite: example === undefined ? '' : readTexts(example.suite_path).join(' > '),
      names_known: target?.isKnown === true,
      annotation: isProvisionalKey(key)
        ? ''
        : shared.conventions.requirement_annotation.example.replaceAll('REQ-12', key),
      cases: keepFirst(notes, 'suggestions.cases', cases, CASES_SHOWN),
    },
    guidance: guidanceFor({
      key,
      coverage: body!.coverage,
      gap,
      tests: tests.map(testKey),
      skipped: tests.filter(({ last_status }) => last_status === 'RESULT_STATUS_SKIPPED').map(testKey),
      criteria: criteria.length,
      conventions: shared.conventions,
      files: [
        ...(target === undefined ? [] : [target.path]),
        ...files.map(({ path }) => path),
        ...readJson(Repository, product.repository).test_globs,
      ],
    }),
    token_estimate: 0,
    truncation_signals: notes.list(),
  }
  return withinBudget(context, maxTokens)
}

/** The cases linked, and those of linked suites as far as they may be shown; `total` counts all of them. */
async function linkedTests(rows: Rows, requirementId: string, links: readonly CountedLink[]) {
  const direct = await rows
    .selectFrom('test_link')
    .innerJoin('test', 'test.id', 'test_link.test_id')
    .selectAll('test')
    .where('test_link.requirement_id', '=', requirementId)
    .where('test_link.archived_at', 'is', null)
    .where('test.deleted_at', 'is', null)
    .orderBy('test.number')
    .execute()
  // A link to a suite means all of its cases.
  const known = new Set(direct.map(({ id }) => id))
  const ofLinks = new Set(links.flatMap(({ cases }) => cases.map(({ testId }) => testId)))
  const below = [...ofLinks].filter((id) => !known.has(id))
  const more =
    below.length === 0
      ? []
      : await rows
          .selectFrom('test')
          .selectAll()
          .where('id', 'in', below.slice(0, TESTS_SHOWN))
          .orderBy('number')
          .execute()
  const tests = [...direct.filter(({ kind }) => kind === 'TEST_KIND_CASE'), ...more]
  return { tests, total: tests.length - more.length + below.length }
}

/** The keys of the tests that a link names the criterion for. */
function testsNaming(id: string, links: readonly CountedLink[], keys: ReadonlyMap<string, string>): string[] {
  const naming = links.filter(({ criterionIds }) => criterionIds.includes(id))
  const tests = [...new Set(naming.flatMap(({ cases }) => cases.map(({ testId }) => testId)))]
  return tests.flatMap((test) => keys.get(test) ?? [])
}

/**
 * The issues whose files the requirement claims, highest exposure first, without those that are doubted: nothing is
 * suggested because of them.
 */
async function claimedIssues(rows: Rows, productId: number, requirementId: string, issues: LiveIssues) {
  const { byRequirement } = await issueClaims(rows, productId)
  const claimed = (byRequirement.get(requirementId) ?? []).flatMap((id) => issues.get(id) ?? [])
  return claimed
    .filter(({ doubt }) => doubt === undefined)
    .toSorted((a, b) => b.weighted - a.weighted || a.number - b.number)
}

/** Whether the frame nearest to the crash is in a file that the requirement itself names. */
function crashesIn({ files }: LiveIssue, { code_refs: refs }: StoredRequirement): boolean {
  const nearest = files.toSorted((a, b) => a.distance - b.distance)[0]
  const globs = readJson(CodeRefs, refs).map(({ path }) => path)
  return nearest !== undefined && globs.some((glob) => compileGlob(glob)(nearest.path))
}

async function findCodeFiles(
  rows: Rows,
  product: StoredProduct,
  requirement: StoredRequirement,
  issues: readonly LiveIssue[],
): Promise<CodeFile[]> {
  const components = await rows.selectFrom('component').selectAll().where('product_id', '=', product.id).execute()
  const mine = new Set(readTexts(requirement.component_ids))
  return listCodeFiles(rows, {
    productId: product.id,
    codeRefs: readJson(CodeRefs, requirement.code_refs),
    componentGlobs: components.filter(({ id }) => mine.has(id)).flatMap(({ path_globs }) => readTexts(path_globs)),
    issues,
    owners: compileComponentRows(components),
    components: await componentRefs(
      rows,
      components.map(({ id }) => id),
    ),
    keyPrefix: product.key_prefix,
  })
}

/** Adds the source around the frame nearest to the crash to each file that occurs in an issue. */
function withExcerpts(files: readonly CodeFile[], issues: readonly IssueFrames[]): CodeFile[] {
  const frames = issues.flatMap((issue) => issue.frames)
  return files.map((file) => {
    const frame = frames.find(({ repo_path, context_line }) => repo_path === file.path && context_line !== '')
    return frame === undefined ? file : { ...file, excerpt: formatExcerpt(frame) }
  })
}

async function findAncestors(rows: Rows, { product_id, tree_path }: StoredRequirement) {
  const numbers = ancestorNumbers(tree_path)
  if (numbers.length === 0) return []
  const found = await rows
    .selectFrom('requirement')
    .select(['id', 'number', 'title'])
    .where('product_id', '=', product_id)
    .where('number', 'in', numbers)
    .execute()
  return numbers.flatMap((number) => found.filter((row) => row.number === number).map(requirementRef))
}

async function findGap(
  rows: Rows,
  product: StoredProduct,
  requirementId: string,
  gaps: readonly ScannedGap[],
  now: number,
): Promise<GapBody | null> {
  const index = gaps.findIndex((gap) => gap.requirementId === requirementId)
  const gap = gaps[index]
  if (gap === undefined) return null
  const viewing = { window: WINDOW, now, keyPrefix: product.key_prefix } as const
  const [body] = await viewGaps(rows, product, [{ gap, rank: index + 1 }], viewing)
  return body ?? null
}
