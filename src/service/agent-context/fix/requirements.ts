import { Priority, ResultStatus, RiskLevel } from '../../../contract/base/common.ts'
import { coverageFor, type CoveredProduct } from '../../quality/coverage/read.ts'
import { requirementKey, testKey } from '../../quality/keys.ts'
import { requirementsOfPaths } from '../../quality/requirements/match.ts'
import type { Rows } from '../../sql/database.ts'
import type { FileBody, RequirementBody } from './bodies.ts'

/** The files and limits to find requirements for. */
export interface RequirementQuery {
  product: CoveredProduct
  files: readonly Pick<FileBody, 'path' | 'component'>[]
  max: number
  /** Epoch milliseconds. */
  now: number
}

export interface ImplementedRequirements {
  /** At most `max`. */
  requirements: RequirementBody[]
  /** Including those beyond `max`. */
  total: number
  /** Ids of the requirements by path of the file. */
  idsByPath: ReadonlyMap<string, string[]>
}

type PathMatch = RequirementBody['matched_by'][number]

const TESTS_PER_REQUIREMENT = 10
/** Least covered first: that is where a regression test is missing. */
const order = ['no_test', 'not_run', 'verified']

/**
 * The requirements that the files implement, with their coverage: those whose code references match a file, or, if
 * there are none, those of the components that own the files (contract §10.4). Least covered first, then most important
 * first.
 */
export async function requirementsFor(rows: Rows, query: RequirementQuery): Promise<ImplementedRequirements> {
  const { product, files, max, now } = query
  const claimed = await byPath(rows, product.id, files)
  const matches = claimed.size > 0 ? claimed : await byComponent(rows, product.id, files)
  const ids = [...matches.keys()]
  if (ids.length === 0) return { requirements: [], total: 0, idsByPath: new Map() }
  const readFound = rows
    .selectFrom('requirement')
    .select(['id', 'number', 'title', 'statement', 'priority', 'risk'])
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'REQUIREMENT_STATUS_DEPRECATED')
    .execute()
  const [coverage, found] = await Promise.all([coverageFor(rows, product, ids, now), readFound])
  const ranked = found
    .map((row) => ({ ...row, covered: coverage.get(row.id) }))
    .toSorted(
      (a, b) =>
        order.indexOf(a.covered?.state ?? '') - order.indexOf(b.covered?.state ?? '') ||
        Priority.options.indexOf(Priority.parse(a.priority)) - Priority.options.indexOf(Priority.parse(b.priority)) ||
        a.number - b.number,
    )
  const shown = ranked.slice(0, max)
  const tests = await loadTests(
    rows,
    shown.map(({ id }) => id),
  )
  return {
    requirements: shown.map(({ covered, ...row }) => ({
      id: row.id,
      key: requirementKey(row),
      title: row.title,
      statement: row.statement,
      priority: Priority.parse(row.priority),
      risk: RiskLevel.parse(row.risk),
      coverage_state: covered?.state ?? 'no_test',
      failing: covered?.failing ?? false,
      suspect: covered?.suspect ?? false,
      matched_by: matches.get(row.id) ?? [],
      tests: tests.get(row.id) ?? [],
    })),
    total: ranked.length,
    idsByPath: idsByPath(
      shown.map(({ id }) => id),
      matches,
    ),
  }
}

async function byPath(
  rows: Rows,
  productId: number,
  files: RequirementQuery['files'],
): Promise<Map<string, PathMatch[]>> {
  const claims = await requirementsOfPaths(
    rows,
    productId,
    files.map(({ path }) => path),
  )
  const matches = new Map<string, PathMatch[]>()
  for (const [path, found] of claims) {
    for (const { requirementId, codeRef } of found) {
      matches.set(requirementId, [...(matches.get(requirementId) ?? []), { path, code_ref: codeRef }])
    }
  }
  return matches
}

async function byComponent(
  rows: Rows,
  productId: number,
  files: RequirementQuery['files'],
): Promise<Map<string, PathMatch[]>> {
  const owned = Map.groupBy(
    files.filter(({ component }) => component !== null),
    ({ component }) => component?.id ?? '',
  )
  const matches = new Map<string, PathMatch[]>()
  if (owned.size === 0) return matches
  const found = await rows
    .selectFrom('requirement_component')
    .select(['component_id', 'requirement_id'])
    .where('product_id', '=', productId)
    .where('component_id', 'in', [...owned.keys()])
    .execute()
  for (const { component_id, requirement_id } of found) {
    const paths = (owned.get(component_id) ?? []).map(({ path }): PathMatch => ({ path, code_ref: null }))
    matches.set(requirement_id, [...(matches.get(requirement_id) ?? []), ...paths])
  }
  return matches
}

function idsByPath(shown: readonly string[], matches: ReadonlyMap<string, PathMatch[]>): Map<string, string[]> {
  const ids = new Map<string, string[]>()
  for (const id of shown) {
    for (const path of new Set((matches.get(id) ?? []).map((match) => match.path))) {
      ids.set(path, [...(ids.get(path) ?? []), id])
    }
  }
  return ids
}

/** The linked cases with their newest status; null means never run. */
async function loadTests(rows: Rows, requirementIds: readonly string[]) {
  const tests = new Map<string, RequirementBody['tests']>()
  if (requirementIds.length === 0) return tests
  const found = await rows
    .selectFrom('test_link')
    .innerJoin('test', 'test.id', 'test_link.test_id')
    .select(['test_link.requirement_id', 'test.id', 'test.number', 'test.title', 'test.file_path'])
    .select(['test.names_known', 'test.last_status'])
    .where('test_link.requirement_id', 'in', requirementIds)
    .where('test_link.archived_at', 'is', null)
    .where('test.deleted_at', 'is', null)
    .orderBy('test.number')
    .execute()
  for (const { requirement_id, id, title, file_path, names_known, last_status, ...row } of found) {
    const listed = tests.get(requirement_id) ?? []
    if (listed.length === TESTS_PER_REQUIREMENT) continue
    const status = last_status === '' ? null : ResultStatus.parse(last_status)
    const names = { title, file_path, names_known: names_known === 1 }
    tests.set(requirement_id, [...listed, { id, key: testKey(row), ...names, last_status: status }])
  }
  return tests
}
