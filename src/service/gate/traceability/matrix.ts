import { createHash } from 'node:crypto'
import type { InputOf } from '../../../contract/index.ts'
import { eachInTurns, mapInTurns } from '../../../lib/turns-of-others.ts'
import type { CoverageScope } from '../../quality/coverage/scope.ts'
import type { RequirementBody } from '../../quality/requirements/columns.ts'
import { invalid } from '../../quality/requirements/content.ts'
import { viewRequirements } from '../../quality/requirements/view.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { componentRefs } from '../../workspace/releases/names.ts'
import type { Rows } from '../../sql/database.ts'
import { readIssues, type MatrixIssues } from './issues.ts'
import type { Matrix, MatrixRow } from './model.ts'
import { readMatrixTests, type MatrixTests } from './tests.ts'

type Query = InputOf<'getTraceability'>

export interface MatrixFacts {
  query: Query
  scope: CoverageScope
  /** Of the newest verdict of this scope. */
  verdict: Matrix['verdict']
  /** Ids of the risks that count, by the identity (`type:id`) of each item that they cover. */
  risksByItem: ReadonlyMap<string, readonly string[]>
  version: string
  /** Epoch milliseconds. */
  now: number
}

/** Lists of orphans are cut here; `totals` counts all. */
const MOST_ORPHANS = 100

/**
 * The traceability matrix of a scope with all its rows, in the order of the requirements' keys (contract §7): every
 * format is made from it. Equal inputs give an equal matrix, so it holds no time of its making. Throws `invalid_argument` for
 * an `include` that names something else.
 */
export async function readMatrix(rows: Rows, product: StoredProduct, facts: MatrixFacts): Promise<Matrix> {
  const { query, scope, verdict, version, now } = facts
  const parts = included(query)
  const [requirements, tests, issues] = await Promise.all([
    inScope(rows, product, { query, scope, now }),
    readMatrixTests(rows, product.id, scope),
    readIssues(rows, product),
  ])
  const components = await componentRefs(rows, new Set(requirements.flatMap((one) => one.component_ids)))
  const viewed = await mapInTurns(requirements, (one) =>
    viewRow(one, { tests, issues, components, risksByItem: facts.risksByItem }),
  )
  const content = {
    scope: {
      release_id: query.release_id ?? '',
      environment_id: query.environment_id ?? '',
      branch_id: query.branch_id ?? '',
      commit_sha: query.commit_sha ?? '',
      git_branch: query.git_branch ?? '',
    },
    filter: query.filter ?? [],
    rows: viewed.filter((row) => isWanted(row, query)).map((row) => withParts(row.row, parts)),
    orphans: orphans(requirements, tests, issues),
    totals: totals(requirements, tests),
  }
  const digest = await digestContent(product.id, version, content)
  const { scope: matrixScope, filter, ...rest } = content
  return {
    product_id: String(product.id),
    scope: matrixScope,
    filter,
    version,
    digest,
    verdict,
    direction: 'bidirectional',
    grid: query.view === 'MATRIX_VIEW_GRID' ? grid(content.rows) : null,
    ...rest,
  }
}

/** The SHA-256 of `[productId, version, content]` as JSON, whose rows are written one by one. */
async function digestContent(
  productId: number,
  version: string,
  {
    scope,
    filter,
    rows,
    orphans: none,
    totals: sums,
  }: Pick<Matrix, 'scope' | 'filter' | 'rows' | 'orphans' | 'totals'>,
): Promise<string> {
  const text = (value: unknown) => JSON.stringify(value)
  const hash = createHash('sha256')
  hash.update(`[${text(productId)},${text(version)},{"scope":${text(scope)},"filter":${text(filter)},"rows":[`)
  await eachInTurns(rows, (row, index) => hash.update(index === 0 ? text(row) : `,${text(row)}`))
  return hash.update(`],"orphans":${text(none)},"totals":${text(sums)}}]`).digest('hex')
}

/** The live requirements of the scope's component or subtree that are neither groups nor deprecated, by key. */
async function inScope(
  rows: Rows,
  product: StoredProduct,
  { query, scope, now }: Pick<MatrixFacts, 'query' | 'scope' | 'now'>,
): Promise<RequirementBody[]> {
  const found = await rows
    .selectFrom('requirement')
    .selectAll()
    .where('product_id', '=', product.id)
    .where('deleted_at', 'is', null)
    .where('kind', '<>', 'REQUIREMENT_KIND_GROUP')
    .where('status', '<>', 'REQUIREMENT_STATUS_DEPRECATED')
    .orderBy('number')
    .execute()
  const { requirement_id: rootId } = query
  const top = rootId === undefined ? '' : await findPath(rows, product.id, rootId)
  const below = top === undefined ? [] : found.filter((row) => row.tree_path.startsWith(top))
  const viewed = await viewRequirements(rows, product, below, { now, scope })
  const { component_id: component } = query
  return viewed.filter(({ component_ids: ids }) => component === undefined || ids.includes(component))
}

/** The path of a requirement of the product. */
async function findPath(rows: Rows, productId: number, id: string): Promise<string | undefined> {
  const row = await rows
    .selectFrom('requirement')
    .select('tree_path')
    .where('product_id', '=', productId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.tree_path
}

interface RowFacts {
  tests: MatrixTests
  issues: MatrixIssues
  components: ReadonlyMap<string, MatrixRow['components'][number]>
  risksByItem: MatrixFacts['risksByItem']
}

interface ViewedRow {
  row: MatrixRow
  /** Without proof although it demands one. */
  isHole: boolean
}

function viewRow(requirement: RequirementBody, { tests, issues, components, risksByItem }: RowFacts): ViewedRow {
  const { id, key, title, kind, status, priority, risk, version, path, coverage } = requirement
  const linked = tests.byRequirement.get(id) ?? []
  const near = issues.byRequirement.get(id) ?? []
  const items = [
    `requirement:${id}`,
    ...linked.map((test) => `test:${test.id}`),
    ...near.map((issue) => `issue:${issue.id}`),
  ]
  return {
    isHole: requirement.normative && coverage.state !== 'verified',
    row: {
      requirement: { id, key, title, kind, status, priority, risk, version, parent_key: path.at(-1) ?? '' },
      coverage_state: coverage.state,
      failing: coverage.failing,
      suspect: coverage.suspect,
      tests: linked,
      code: requirement.code_refs.map(({ path: file, symbol, source }) => ({ path: file, symbol, source })),
      components: requirement.component_ids.flatMap((one) => components.get(one) ?? []),
      issues: near,
      risk_ids: [...new Set(items.flatMap((item) => risksByItem.get(item) ?? []))].toSorted(),
    },
  }
}

/** `coverage_state` and `filter` are both alternatives: a row needs one of each that is given. */
function isWanted({ row, isHole }: ViewedRow, { coverage_state: states, filter }: Query): boolean {
  const passes = { holes: isHole, suspect: row.suspect, failing: row.failing }
  return (
    (states === undefined || states.length === 0 || states.includes(row.coverage_state)) &&
    (filter === undefined || filter.length === 0 || filter.some((name) => passes[name]))
  )
}

const allParts = ['tests', 'code', 'issues'] as const
type Part = (typeof allParts)[number]

function included({ include }: Query): ReadonlySet<Part> {
  if (include === undefined || include === '') return new Set(allParts)
  const named = include.split(',').map((name) => name.trim().toLowerCase())
  const parts = named.map((name) => allParts.find((part) => part === name))
  if (parts.every((part) => part !== undefined)) return new Set(parts)
  throw invalid([{ field: 'include', description: `must be a comma-separated list of ${allParts.join(', ')}` }])
}

function withParts(row: MatrixRow, parts: ReadonlySet<Part>): MatrixRow {
  const gone = Object.fromEntries(allParts.filter((part) => !parts.has(part)).map((part) => [part, []]))
  return { ...row, ...gone }
}

function orphans(
  requirements: readonly RequirementBody[],
  tests: MatrixTests,
  issues: MatrixIssues,
): Matrix['orphans'] {
  const untested = requirements.filter(({ coverage }) => coverage.state === 'no_test')
  return {
    tests_without_requirement: tests.unlinked.slice(0, MOST_ORPHANS),
    requirements_without_test: untested.slice(0, MOST_ORPHANS).map(({ id, key, title }) => ({ id, key, title })),
    files_with_errors_without_requirement: issues.unclaimedFiles,
  }
}

function totals(requirements: readonly RequirementBody[], tests: MatrixTests): Matrix['totals'] {
  const count = (state: string) => requirements.filter(({ coverage }) => coverage.state === state).length
  return {
    requirements: requirements.length,
    verified: count('verified'),
    not_run: count('not_run'),
    no_test: count('no_test'),
    failing: requirements.filter(({ coverage }) => coverage.failing).length,
    suspect: requirements.filter(({ coverage }) => coverage.suspect).length,
    tests: tests.total,
    linked_tests: tests.total - tests.unlinked.length,
    unlinked_tests: tests.unlinked.length,
  }
}

/** The matrix as coordinates: requirements down, tests across, by their order in the rows. */
function grid(rows: readonly MatrixRow[]): Matrix['grid'] {
  const testIds = [...new Set(rows.flatMap(({ tests }) => tests.map(({ id }) => id)))]
  const column = new Map(testIds.map((id, index) => [id, index]))
  const cells = rows.flatMap(({ tests }, row) =>
    tests.map((test): [number, number, GridCell] => [row, column.get(test.id) ?? 0, gridState(test)]),
  )
  return { requirement_ids: rows.map(({ requirement }) => requirement.id), test_ids: testIds, cells }
}

type GridCell = NonNullable<Matrix['grid']>['cells'][number][2]

function gridState({ link_state: state, last_result: result }: MatrixRow['tests'][number]): GridCell {
  if (state === 'LINK_STATE_SUSPECT') return 'suspect'
  return result === null ? 'not_run' : resultStates[result.status]
}

const resultStates: Readonly<Record<NonNullable<MatrixRow['tests'][number]['last_result']>['status'], GridCell>> = {
  RESULT_STATUS_PASSED: 'passed',
  RESULT_STATUS_FLAKY: 'passed',
  RESULT_STATUS_FAILED: 'failed',
  RESULT_STATUS_ERROR: 'failed',
  RESULT_STATUS_SKIPPED: 'skipped',
  RESULT_STATUS_BLOCKED: 'not_run',
}
