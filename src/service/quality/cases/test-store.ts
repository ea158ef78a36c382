import { sql } from 'kysely'
import { ServiceError } from '../../../errors.ts'
import { counted } from '../../../lib/counted.ts'
import type { Call, Writing } from '../../shared/context.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { audit } from '../../workspace/audit.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { requireRequirement } from '../requirements/access.ts'
import { nextTreeRevision, recordTreeChange } from '../tree-changes.ts'
import type { StoredTest } from './access.ts'
import { linkChange } from './link-store.ts'
import type { StoredLink } from './link-view.ts'
import { putLink } from './links.ts'
import type { StoredResult } from './result-view.ts'
import { changeTest, insertTest, removeTests } from './write.ts'

/** Creates a test and links it to the requirements, inside the caller's transaction. */
export async function createTest(
  rows: Rows,
  prepare: Prepare,
  call: Writing & Pick<Call, 'principal'>,
  product: StoredProduct,
  { requirementIds, ...fields }: Parameters<typeof insertTest>[4] & { requirementIds: readonly string[] },
): Promise<{ test: StoredTest; links: StoredLink[] }> {
  const test = await insertTest(rows, prepare, call, product, fields)
  const links: StoredLink[] = []
  for (const id of new Set(requirementIds)) {
    const { requirement } = await requireRequirement(rows, call.principal, id)
    const origin = call.principal.tokenKind === 'agent' ? 'LINK_ORIGIN_AGENT' : 'LINK_ORIGIN_MANUAL'
    const { after } = await putLink(rows, prepare, call, { test, requirement, origin })
    links.push(after)
  }
  await recordTreeChange(rows, call, product.id, {
    verb: 'create',
    resourceType: 'test',
    resourceId: test.id,
    after: test,
  })
  for (const link of links) await audit(rows, call, linkChange(undefined, link))
  return { test, links }
}

/** Changes a test as `changeTest` does, and records the change. */
export async function updateTest(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  found: { test: StoredTest; product: StoredProduct },
  fields: Parameters<typeof changeTest>[4],
): Promise<StoredTest> {
  const before = found.test
  const after = await changeTest(rows, prepare, call, found, fields)
  await recordTreeChange(rows, call, after.product_id, {
    verb: 'update',
    resourceType: 'test',
    resourceId: after.id,
    before,
    after,
  })
  return after
}

/** Deletes a test; `HAS_CHILDREN` for a suite with tests unless `recursive`, which deletes them too. */
export async function deleteTest(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  test: StoredTest,
  { recursive, reason }: { recursive: boolean; reason?: string | undefined },
): Promise<void> {
  const below = await readTestsBelow(rows, test.id)
  if (below.length > 0 && !recursive) {
    const message = `the suite contains ${counted(below.length, 'test')}; delete those first, or pass recursive`
    throw new ServiceError('failed_precondition', message, { reason: 'HAS_CHILDREN' })
  }
  await removeTests(rows, prepare, call, [test, ...below], reason)
  for (const before of [test, ...below])
    await audit(rows, call, { verb: 'delete', resourceType: 'test', resourceId: before.id, before })
  await nextTreeRevision(rows, test.product_id)
}

/** The newest results of a test, at most `limit`. */
export function readNewestResults(rows: Rows, testId: string, limit: number): Promise<StoredResult[]> {
  return rows
    .selectFrom('test_result')
    .selectAll()
    .where('test_id', '=', testId)
    .orderBy('executed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

async function readTestsBelow(rows: Rows, id: string): Promise<StoredTest[]> {
  const { rows: found } = await sql<StoredTest>`
    WITH RECURSIVE below (id) AS (
      SELECT id FROM test WHERE parent_id = ${id} AND deleted_at IS NULL
      UNION SELECT test.id FROM below JOIN test ON test.parent_id = below.id WHERE test.deleted_at IS NULL
    )
    SELECT * FROM test WHERE id IN (SELECT id FROM below)`.execute(rows)
  return found
}
