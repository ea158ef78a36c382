import { TestLevel } from '../../../contract/tests.ts'
import { LinkRole, LinkState } from '../../../contract/links.ts'
import { eachInTurns, mapInTurns } from '../../../lib/turns-of-others.ts'
import { newestResults, type PlacedResult } from '../../quality/coverage/links.ts'
import type { CoverageScope } from '../../quality/coverage/scope.ts'
import { testKey } from '../../quality/keys.ts'
import { timestamp } from '../../shared/times.ts'
import { readTexts } from '../../sql/json.ts'
import type { Rows } from '../../sql/database.ts'
import type { Matrix, MatrixRow } from './model.ts'

type MatrixTest = MatrixRow['tests'][number]

export interface MatrixTests {
  /** The linked cases by requirement, in the order of their keys. A link to a suite has all cases of the suite. */
  byRequirement: ReadonlyMap<string, MatrixTest[]>
  unlinked: Matrix['orphans']['tests_without_requirement']
  /** Live cases. */
  total: number
}

/** The test cases of a product with their links and newest results in the scope. */
export async function readMatrixTests(rows: Rows, productId: number, scope: CoverageScope): Promise<MatrixTests> {
  const [tests, links] = await Promise.all([
    rows
      .selectFrom('test')
      .select(['id', 'number', 'title', 'names_known', 'parent_id', 'kind', 'level', 'file_path'])
      .where('product_id', '=', productId)
      .where('deleted_at', 'is', null)
      // A suite that is deprecated still has its cases (contract §1.2).
      .where((eb) => eb.or([eb('kind', '=', 'TEST_KIND_SUITE'), eb('status', '<>', 'TEST_STATUS_DEPRECATED')]))
      .orderBy('number')
      .execute(),
    rows
      .selectFrom('test_link')
      .select(['test_id', 'requirement_id', 'role', 'state', 'criterion_ids'])
      .where('product_id', '=', productId)
      .where('archived_at', 'is', null)
      .execute(),
  ])
  const cases = tests.filter(({ kind }) => kind === 'TEST_KIND_CASE')
  const below = casesBelow(tests)
  const linked = new Set(links.flatMap(({ test_id: id }) => below(id)))
  const newest = await newestResults(rows, [...linked], scope)
  const byId = new Map(cases.map((test) => [test.id, test]))
  const byRequirement = new Map<string, Map<string, MatrixTest>>()
  await eachInTurns(links, (link) => {
    const row = byRequirement.get(link.requirement_id) ?? new Map<string, MatrixTest>()
    byRequirement.set(link.requirement_id, row)
    for (const id of below(link.test_id)) {
      const test = byId.get(id)
      // A link to the case itself says more than one to its suite.
      if (test !== undefined && (link.test_id === id || !row.has(id))) row.set(id, viewTest(test, link, newest.get(id)))
    }
  })
  const order = new Map(cases.map(({ id }, index) => [id, index]))
  const place = ({ id }: MatrixTest) => order.get(id) ?? 0
  const inOrder = await mapInTurns(
    [...byRequirement],
    ([id, row]) => [id, [...row.values()].toSorted((a, b) => place(a) - place(b))] as const,
  )
  return {
    byRequirement: new Map(inOrder),
    unlinked: cases
      .filter(({ id }) => !linked.has(id))
      .map((test) => ({ id: test.id, key: testKey(test), title: test.title, known: test.names_known === 1 })),
    total: cases.length,
  }
}

interface TestInTree {
  id: string
  parent_id: string
  kind: string
}

/** The case itself, or all cases of a suite. */
function casesBelow(tests: readonly TestInTree[]): (id: string) => string[] {
  const children = Map.groupBy(tests, ({ parent_id: parent }) => parent)
  const byId = new Map(tests.map((test) => [test.id, test]))
  const known = new Map<string, string[]>()
  function below(id: string): string[] {
    const before = known.get(id)
    if (before !== undefined) return before
    const test = byId.get(id)
    const found =
      test === undefined
        ? []
        : test.kind === 'TEST_KIND_CASE'
          ? [id]
          : (children.get(id) ?? []).flatMap((child) => below(child.id))
    known.set(id, found)
    return found
  }
  return below
}

interface StoredCase {
  id: string
  number: number
  title: string
  names_known: number
  level: string
  file_path: string
}

interface StoredLink {
  role: string
  state: string
  criterion_ids: string
}

function viewTest(test: StoredCase, link: StoredLink, newest: PlacedResult | undefined): MatrixTest {
  return {
    id: test.id,
    key: testKey(test),
    title: test.title,
    level: TestLevel.parse(test.level),
    file_path: test.file_path,
    names_known: test.names_known === 1,
    role: LinkRole.parse(link.role),
    link_state: LinkState.parse(link.state),
    criterion_ids: readTexts(link.criterion_ids),
    last_result:
      newest === undefined
        ? null
        : {
            status: newest.status,
            executed_at: timestamp(newest.at),
            release: newest.release,
            release_known: newest.releaseKnown,
            environment: newest.environment,
            environment_known: newest.environmentKnown,
          },
  }
}
